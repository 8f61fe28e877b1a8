//! Parses the OperatorGroup that a policy requires.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{Form, UpgradeStrategy};
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, quoted};
use crate::selector::{is_empty_selector, parse_selector};
use crate::words::STRATEGIES;

pub(super) const GROUP_FIELDS: &[&str] = &[
    "name",
    "namespace",
    "selector",
    "serviceAccountName",
    "staticProvidedAPIs",
    "target",
    "targetNamespaces",
    "upgradeStrategy",
];

const TARGET_FIELDS: &[&str] = &["namespaces", "selector"];

/// The remedy in error messages for a policy that should select all namespaces.
const ALL: &str = "to watch all namespaces, remove spec.operatorGroup.target and \
                   spec.operatorGroup.selector";

/// The error message for an empty target.
const NEITHER: &str = "has neither namespaces nor a selector; set one of them, or remove the \
                       target to watch all namespaces";

/// The OperatorGroup that a policy requires.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorGroup {
    /// The name. Only the design form may omit it.
    pub name: Option<String>,
    /// The namespace. It equals the namespace of the Subscription if both fields are set.
    pub namespace: Option<String>,
    /// The namespaces that the operators watch.
    pub targets: Targets,
    /// A selector that OLM ignores, because the policy also lists namespaces. It is written
    /// unchanged.
    pub idle_selector: Option<LabelSelector>,
    /// The ServiceAccount with whose permissions OLM installs operators.
    pub service_account: Option<String>,
    /// True if OLM does not update the annotation with the provided APIs.
    pub static_provided_apis: Option<bool>,
    /// Determines whether a newer version can replace an operator that failed.
    pub upgrade_strategy: Option<UpgradeStrategy>,
}

/// The namespaces that the operators watch.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    All,
    /// At least one namespace. Each name is a label as defined in RFC 1123.
    Namespaces(Vec<String>),
    /// The namespaces that this selector selects. It has at least one requirement.
    Selector(LabelSelector),
}

/// Parses `spec.operatorGroup`. Returns None if the field is missing.
pub(super) fn parse(
    place: &ManifestPlace<'_>,
    form: Form,
    of_subscription: Option<&str>,
    refused: &mut Vec<Refusal>,
) -> Option<OperatorGroup> {
    place.refuse_templates(refused);
    place.only(GROUP_FIELDS, refused)?;
    let name = place.field("name");
    if form == Form::Established {
        name.require("write the name of the OperatorGroup", refused);
    }
    let account = place.field("serviceAccountName");
    let (targets, idle_selector) = match form {
        Form::Design => (design_targets(place, form, refused), None),
        Form::Established => established_targets(place, form, refused),
    };
    Some(OperatorGroup {
        name: name.subdomain("an OperatorGroup", refused),
        namespace: namespace(&place.field("namespace"), of_subscription, refused),
        targets,
        idle_selector,
        service_account: account.subdomain("a ServiceAccount", refused),
        static_provided_apis: place.field("staticProvidedAPIs").flag(refused),
        upgrade_strategy: place.field("upgradeStrategy").word(STRATEGIES, refused),
    })
}

fn namespace(
    place: &ManifestPlace<'_>,
    of_subscription: Option<&str>,
    refused: &mut Vec<Refusal>,
) -> Option<String> {
    let namespace = place.label("a namespace", refused)?;
    if let Some(other) = of_subscription.filter(|other| *other != namespace) {
        let sentence = format!(
            "is {}, but spec.subscription.namespace is {}; write the namespace of the \
             Subscription, or remove this field",
            quoted(&namespace),
            quoted(other)
        );
        place.refuse_value(sentence, refused);
    }
    Some(namespace)
}

/// Parses the namespaces of the established form, with the meaning that they have in OLM (v0.46).
/// If there are neither namespaces nor labels, or if a name is empty, all namespaces are selected.
/// If there are namespaces, OLM ignores the selector.
fn established_targets(
    place: &ManifestPlace<'_>,
    form: Form,
    refused: &mut Vec<Refusal>,
) -> (Targets, Option<LabelSelector>) {
    form.refuse_given(
        &place.field("target"),
        "use spec.operatorGroup.targetNamespaces or spec.operatorGroup.selector",
        refused,
    );
    let selector = parse_selector(&place.field("selector"), refused);
    let texts = place.field("targetNamespaces").texts(refused);
    if texts.iter().any(|(_, text)| text.is_empty()) {
        return (Targets::All, None);
    }
    let namespaces: Vec<_> = texts
        .iter()
        .filter_map(|(at, _)| at.label("a namespace", refused))
        .collect();
    if !namespaces.is_empty() {
        return (Targets::Namespaces(namespaces), selector);
    }
    let selector = selector.filter(|selector| !is_empty_selector(selector));
    (selector.map_or(Targets::All, Targets::Selector), None)
}

/// Parses the namespaces of the design form: either names or a selector. If both are missing, all
/// namespaces are selected.
fn design_targets(place: &ManifestPlace<'_>, form: Form, refused: &mut Vec<Refusal>) -> Targets {
    form.refuse_given(
        &place.field("targetNamespaces"),
        "use spec.operatorGroup.target.namespaces",
        refused,
    );
    let target = place.field("target");
    target.only(TARGET_FIELDS, refused);
    let names = target.field("namespaces");
    let selectors = [target.field("selector"), place.field("selector")];
    let mut given = [&names, &selectors[0], &selectors[1]]
        .into_iter()
        .filter(|place| place.is_given());
    let first = given.next();
    if let (Some(first), Some(second)) = (first, given.next()) {
        let sentence = format!(
            "cannot be combined with {}; write only one of them",
            first.path()
        );
        second.refuse_value(sentence, refused);
    }
    if first.is_none() && target.is_object() {
        target.refuse_value(NEITHER, refused);
    }
    if names.is_given() {
        listed(&names, refused)
    } else {
        selectors
            .iter()
            .find_map(|place| selected(place, refused))
            .unwrap_or(Targets::All)
    }
}

fn listed(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Targets {
    if place.is_empty_list() {
        place.refuse_value(format!("names nothing; {ALL}"), refused);
    }
    let namespaces = place.texts(refused).into_iter();
    let namespaces = namespaces.filter_map(|(at, _)| at.label("a namespace", refused));
    Targets::Namespaces(namespaces.collect())
}

fn selected(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Targets> {
    let before = refused.len();
    let selector = parse_selector(place, refused)?;
    if is_empty_selector(&selector) && refused.len() == before {
        place.refuse_value(format!("has no criteria; {ALL}"), refused);
    }
    Some(Targets::Selector(selector))
}
