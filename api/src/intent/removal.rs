//! What is removed with an operator.

use super::Form;
use crate::place::Place;
use crate::refusal::{Fault, Refusal};
use crate::words::{DESIGN_GROUP_REMOVAL, GROUP_REMOVALS, REMOVALS, Words};

/// The fields of `removalBehavior`.
pub(super) const REMOVAL_FIELDS: &[&str] = &[
    "apiServiceDefinitions",
    "clusterServiceVersions",
    "customResourceDefinitions",
    "installPlans",
    "operatorGroups",
    "subscriptions",
];

/// Those that only the design form has, and what to do instead.
pub(crate) const DESIGN_KINDS: &[(&str, &str)] = &[
    ("installPlans", "leave it out, InstallPlans are kept"),
    (
        "apiServiceDefinitions",
        "leave it out, OLM removes APIServices with their ClusterServiceVersion",
    ),
];

/// What the established form has instead of deleting OperatorGroups that others use.
pub(crate) const DELETE_GROUPS: &str = "use DeleteIfUnused";

/// What becomes of objects when their operator is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remove {
    /// They stay.
    Keep,
    /// They go.
    Delete,
    /// They go unless another operator uses them.
    DeleteIfUnused,
}

/// What becomes of the objects of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removing {
    /// What becomes of them.
    pub remove: Remove,
    /// Whether the policy says so itself; only then may objects go that it did not create.
    pub is_explicit: bool,
}

/// What becomes of the objects of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// The OperatorGroup.
    pub operator_groups: Removing,
    /// The Subscription.
    pub subscriptions: Removing,
    /// The ClusterServiceVersions.
    pub cluster_service_versions: Removing,
    /// The InstallPlans; kept in the established form, which cannot say it.
    pub install_plans: Removing,
    /// The definitions that the operator brought, and with them all their objects.
    pub custom_resource_definitions: Removing,
    /// The APIServices; kept in the established form, which cannot say it.
    pub api_service_definitions: Removing,
}

/// Takes `spec.removalBehavior`. Both forms have the same defaults.
pub(super) fn parse(place: &Place<'_>, form: Form, refused: &mut Vec<Refusal>) -> Removal {
    place.only(REMOVAL_FIELDS, refused);
    refuse_what_the_design_form_has(place, form, refused);
    let mut kind = |name: &str, words: &Words<Remove>, default| {
        let written = place.field(name).word(words, refused);
        Removing {
            remove: written.unwrap_or(default),
            is_explicit: written.is_some(),
        }
    };
    Removal {
        operator_groups: kind("operatorGroups", GROUP_REMOVALS, Remove::DeleteIfUnused),
        subscriptions: kind("subscriptions", REMOVALS, Remove::Delete),
        cluster_service_versions: kind("clusterServiceVersions", REMOVALS, Remove::Delete),
        install_plans: kind("installPlans", REMOVALS, Remove::Keep),
        custom_resource_definitions: kind("customResourceDefinitions", REMOVALS, Remove::Keep),
        api_service_definitions: kind("apiServiceDefinitions", REMOVALS, Remove::Keep),
    }
}

fn refuse_what_the_design_form_has(place: &Place<'_>, form: Form, refused: &mut Vec<Refusal>) {
    match form {
        Form::Design => return,
        Form::Established => {}
    }
    for (name, instead) in DESIGN_KINDS {
        form.refuse_given(&place.field(name), instead, refused);
    }
    let groups = place.field("operatorGroups");
    if groups.is_text(DESIGN_GROUP_REMOVAL) {
        let instead = DELETE_GROUPS;
        groups.refuse(Fault::OtherForm { form, instead }, refused);
    }
}
