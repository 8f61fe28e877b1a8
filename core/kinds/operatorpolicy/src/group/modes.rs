//! Checks if an operator can watch the namespaces that an OperatorGroup selects.

use portolan_api::{Form, Targets};
use portolan_core_olm::OperatorGroup;

use crate::case::Case;
use crate::phrase::listed;
use crate::{Answer, Modes};

const ALL: &str = "AllNamespaces";
const OWN: &str = "OwnNamespace";
const SINGLE: &str = "SingleNamespace";
const MULTI: &str = "MultiNamespace";

/// The result of the check if a bundle supports the namespaces of an OperatorGroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Admits<'a> {
    /// The bundle supports the namespaces.
    Yes,
    /// The bundle does not support the namespaces. Contains the modes of the bundle, and the
    /// install modes that the OperatorGroup needs.
    No(&'a Modes, Vec<&'static str>),
    /// It is unknown if the bundle supports the namespaces. Contains the reason.
    Unknown(String),
}

pub(super) fn admits<'a>(case: &Case<'a>, targets: &Targets) -> Admits<'a> {
    match targets {
        Targets::All => judged(case, &[String::new()]),
        Targets::Namespaces(names) => judged(case, names),
        Targets::Selector(_) => {
            Admits::Unknown("the namespaces that the selector selects are checked later".to_owned())
        }
    }
}

/// Checks if the bundle supports the namespaces of an existing OperatorGroup. If the OperatorGroup
/// has a selector, OLM lists the selected namespaces in the status.
pub(super) fn admits_group<'a>(case: &Case<'a>, group: &OperatorGroup) -> Admits<'a> {
    let spec = &group.spec;
    match (group.has_selector(), spec.target_namespaces.as_slice()) {
        (true, _) if group.status.namespaces.is_empty() => Admits::Yes,
        (true, _) => judged(case, &group.status.namespaces),
        (false, []) => judged(case, &[String::new()]),
        (false, names) => judged(case, names),
    }
}

fn judged<'a>(case: &Case<'a>, names: &[String]) -> Admits<'a> {
    let modes = match &case.answers.modes {
        Answer::Found(modes) => modes,
        Answer::NotFound(sentence) => return Admits::Unknown(sentence.clone()),
        Answer::Unavailable(unavailable) => return Admits::Unknown(unavailable.to_string()),
        Answer::NotAsked => {
            return Admits::Unknown("the resolver has not been queried yet".to_owned());
        }
    };
    let Some(supported) = &modes.supported else {
        return Admits::Unknown(format!("the catalog does not describe {}", modes.bundle));
    };
    let mut lacking = needed(&case.namespace.name, names);
    lacking.retain(|mode| !supported.iter().any(|supported| supported == mode));
    if lacking.is_empty() {
        Admits::Yes
    } else {
        Admits::No(modes, lacking)
    }
}

/// Returns the install modes that OLM (v0.46) requires for these watched namespaces.
fn needed(own: &str, names: &[String]) -> Vec<&'static str> {
    match names {
        [] => Vec::new(),
        [only] if only.is_empty() => vec![ALL],
        [only] if only == own => vec![OWN],
        [_] => vec![SINGLE],
        several if several.iter().any(|name| name == own) => vec![MULTI, OWN],
        _ => vec![MULTI],
    }
}

/// Returns true if the spec of an existing OperatorGroup selects all namespaces.
pub(super) fn is_for_all(group: &OperatorGroup) -> bool {
    let names = &group.spec.target_namespaces;
    !group.has_selector() && (names.is_empty() || names.iter().any(String::is_empty))
}

/// Returns text that names the namespaces that an existing OperatorGroup selects.
pub(super) fn in_words(group: &OperatorGroup) -> String {
    if group.has_selector() && group.status.namespaces.is_empty() {
        return "namespaces with labels that no namespace has".to_owned();
    }
    let names = if group.has_selector() {
        &group.status.namespaces
    } else {
        &group.spec.target_namespaces
    };
    match names.as_slice() {
        [] => "all namespaces".to_owned(),
        names if names.iter().any(String::is_empty) => "all namespaces".to_owned(),
        [only] => format!("the namespace {only}"),
        several => format!("the namespaces {}", listed(several)),
    }
}

/// Returns a sentence about the install modes that a bundle supports, with the remedy.
pub(super) fn sentence(case: &Case<'_>, modes: &Modes) -> String {
    let bundle = &modes.bundle;
    let supported = modes.supported.as_deref().unwrap_or_default();
    let has = |mode: &str| supported.iter().any(|supported| supported == mode);
    let field = field(case);
    let namespace = &case.namespace.name;
    let way = match () {
        () if has(OWN) => format!("set {field} to [{namespace}]"),
        () if has(SINGLE) => format!("set {field} to one namespace other than {namespace}"),
        () if has(MULTI) => format!("set {field} to the namespaces that the operator watches"),
        () if has(ALL) => format!("remove {field}"),
        () => return format!("{bundle} supports no install mode"),
    };
    let supported = supported.join(", ");
    format!("{bundle} supports only {supported}; {way}")
}

/// Returns the policy field that names the namespaces.
pub(super) fn field(case: &Case<'_>) -> &'static str {
    match case.intent.form {
        Form::Design => "spec.operatorGroup.target.namespaces",
        Form::Established => "spec.operatorGroup.targetNamespaces",
    }
}
