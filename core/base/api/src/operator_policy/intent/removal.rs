//! The objects that are removed with an operator.

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

/// The fields that only the design form has, each with a remedy.
pub(crate) const DESIGN_KINDS: &[(&str, &str)] = &[
    ("installPlans", "remove this field: InstallPlans are kept"),
    (
        "apiServiceDefinitions",
        "remove this field: OLM deletes APIServices together with their ClusterServiceVersion",
    ),
];

/// The remedy in the established form for a policy that deletes OperatorGroups that other operators
/// use.
pub(crate) const DELETE_GROUPS: &str = "use DeleteIfUnused";

/// The fate of objects when their operator is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remove {
    Keep,
    Delete,
    /// The objects are deleted unless another operator uses them.
    DeleteIfUnused,
}

/// The fate of the objects of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removing {
    pub remove: Remove,
    /// True if the policy sets it explicitly. Only then can objects be deleted that the policy did
    /// not create.
    pub is_explicit: bool,
}

/// The fate of the objects of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    pub operator_groups: Removing,
    pub subscriptions: Removing,
    pub cluster_service_versions: Removing,
    /// The InstallPlans. The established form has no such field and keeps them.
    pub install_plans: Removing,
    /// The CRDs of the operator, and all their custom resources.
    pub custom_resource_definitions: Removing,
    /// The APIServices. The established form has no such field and keeps them.
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
