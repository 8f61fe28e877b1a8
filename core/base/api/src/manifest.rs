//! Writes the CRDs of Portolan's kinds for `deploy/crds`, and tables of conditions for the docs
//! pages.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::CustomResourceExt;

use crate::components;
use crate::installs::{self, Install};
use crate::operator::{self, Operator};
use crate::plan::{InstallPlan, ResourceManifest};
use crate::policy::{self, Policy, PolicyBinding};
use crate::{ConditionType, OperatorPolicy, Reason};

/// The first lines of each CRD file, which say how the file is generated.
const HEADER: &str =
    "# Written by `cargo run -p portolan-api --example crdgen`; not to be edited.\n";

/// The lines before and after the tables of conditions on a docs page.
const TABLES: [&str; 2] = [
    "<!-- conditions: written by `cargo run -p portolan-api --example crdgen` -->\n",
    "<!-- end of conditions -->\n",
];

/// The labels of each CRD. `portolan diagnose` compares the version with the version of the
/// controller.
const LABELS: [(&str, &str); 2] = [
    ("app.kubernetes.io/name", "portolan"),
    ("app.kubernetes.io/version", env!("CARGO_PKG_VERSION")),
];

/// A CRD file in `deploy/crds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrdFile {
    /// The path of the file in `deploy/crds`.
    pub file: String,
    pub text: String,
}

/// For each CRD whose name other programs also use: a field of `spec` that only Portolan's CRD has.
/// Open Cluster Management also has OperatorPolicies, and `operators.operatorframework.io` belongs
/// to the project of OLM.
const OWN_FIELDS: [(&str, &str); 5] = [
    (
        "operatorpolicies.policy.open-cluster-management.io",
        "allowedCSVs",
    ),
    ("installs.operators.coreos.com", "approval"),
    (
        "operators.operators.operatorframework.io",
        "progressDeadlineSeconds",
    ),
    (
        "upgradepolicies.operators.operatorframework.io",
        "opaPolicy",
    ),
    (
        "upgradepolicybindings.operators.operatorframework.io",
        "policyRef",
    ),
];

/// Returns the CRDs of Portolan's kinds, each with its folder in `deploy/crds`. Kustomize overlays
/// include whole folders.
fn definitions() -> [(&'static str, CustomResourceDefinition); 7] {
    let all = [
        ("", OperatorPolicy::crd()),
        ("", InstallPlan::crd()),
        ("", ResourceManifest::crd()),
        ("installs/", Install::crd()),
        ("operators/", Operator::crd()),
        ("policies/", Policy::crd()),
        ("policies/", PolicyBinding::crd()),
    ];
    all.map(|(folder, mut crd)| {
        let labels = LABELS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let own = crd.metadata.labels.get_or_insert_default();
        own.extend(labels);
        (folder, crd)
    })
}

/// Returns the CRDs of Portolan's kinds, by name.
pub fn crds() -> BTreeMap<String, CustomResourceDefinition> {
    let all = definitions().into_iter();
    let named = all.map(|(_, crd)| (crd.metadata.name.clone().unwrap_or_default(), crd));
    named.collect()
}

/// Returns a field of `spec` that only Portolan's CRD of this name has. Returns None if no other
/// program has a CRD of this name.
pub fn own_field(crd: &str) -> Option<&'static str> {
    let mut all = OWN_FIELDS.iter();
    all.find(|(name, _)| *name == crd).map(|(_, field)| *field)
}

/// Returns the CRD files.
///
/// # Errors
/// Returns an error if a CRD cannot be written as YAML, which never happens.
pub fn manifests() -> Result<Vec<CrdFile>, serde_saphyr::SerializeError> {
    let manifests = definitions().into_iter().map(|(folder, definition)| {
        let name = definition.metadata.name.as_deref().unwrap_or_default();
        Ok(CrdFile {
            file: format!("{folder}{name}.yaml"),
            text: format!("{HEADER}{}", serde_saphyr::to_string(&definition)?),
        })
    });
    manifests.collect()
}

/// Returns the docs page about OperatorPolicies with current tables of conditions. Returns None if
/// the page has no tables of conditions.
pub fn with_conditions(page: &str) -> Option<String> {
    with_words(page, &ConditionType::rows(), &Reason::rows())
}

/// Returns the docs page about Operators with current tables of conditions.
pub fn with_operator_conditions(page: &str) -> Option<String> {
    with_words(
        page,
        &operator::ConditionType::rows(),
        &operator::Reason::rows(),
    )
}

/// Returns the docs page about Policies and PolicyBindings with current tables of conditions.
pub fn with_policy_conditions(page: &str) -> Option<String> {
    with_words(
        page,
        &policy::ConditionType::rows(),
        &policy::Reason::rows(),
    )
}

/// Returns the docs page about Operators v2alpha1 with current tables of conditions.
pub fn with_component_conditions(page: &str) -> Option<String> {
    with_words(
        page,
        &components::ConditionType::rows(),
        &components::Reason::rows(),
    )
}

/// Returns the docs page about Installs with current tables of conditions.
pub fn with_install_conditions(page: &str) -> Option<String> {
    with_words(
        page,
        &installs::ConditionType::rows(),
        &installs::Reason::rows(),
    )
}

fn with_words(page: &str, kinds: &str, reasons: &str) -> Option<String> {
    let [begin, end] = TABLES;
    let (before, rest) = page.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    let kinds = table(["condition", "about"], kinds);
    let reasons = table(["reason", "meaning"], reasons);
    Some(format!("{before}{begin}\n{kinds}\n{reasons}\n{end}{after}"))
}

fn table([word, meaning]: [&str; 2], rows: &str) -> String {
    format!(
        "| {word} | {meaning} |
|---|---|
{rows}"
    )
}
