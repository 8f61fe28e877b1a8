//! Parses which objects are deleted when an operator is removed.

use super::Form;
use crate::place::ManifestPlace;
use crate::refusal::{Flaw, Refusal};
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

/// The fields that only the design form has, each with the remedy in error messages.
pub(crate) const DESIGN_KINDS: &[(&str, &str)] = &[
    ("installPlans", "remove this field: InstallPlans are kept"),
    (
        "apiServiceDefinitions",
        "remove this field: OLM deletes APIServices together with their ClusterServiceVersion",
    ),
];

/// The remedy for a policy of the established form that deletes OperatorGroups even if other
/// operators use them.
pub(crate) const DELETE_GROUPS: &str = "use DeleteIfUnused";

/// The action on objects when their operator is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remove {
    Keep,
    Delete,
    /// The object is deleted, unless another operator uses it.
    DeleteIfUnused,
}

/// The action on the objects of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removing {
    pub remove: Remove,
    /// True if the policy sets the action explicitly. Only then may Portolan delete objects that
    /// the policy did not create.
    pub is_explicit: bool,
}

/// The action on the objects of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    pub operator_groups: Removing,
    pub subscriptions: Removing,
    pub cluster_service_versions: Removing,
    /// The action on InstallPlans. The established form does not have this field, and keeps them.
    pub install_plans: Removing,
    /// The action on the CRDs of the operator, and so on all their custom resources.
    pub custom_resource_definitions: Removing,
    /// The action on APIServices. The established form does not have this field, and keeps them.
    pub api_service_definitions: Removing,
}

/// Parses `spec.removalBehavior`. Both forms have the same defaults.
pub(super) fn parse(place: &ManifestPlace<'_>, form: Form, refused: &mut Vec<Refusal>) -> Removal {
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

fn refuse_what_the_design_form_has(
    place: &ManifestPlace<'_>,
    form: Form,
    refused: &mut Vec<Refusal>,
) {
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
        groups.refuse(Flaw::OtherForm { form, instead }, refused);
    }
}
