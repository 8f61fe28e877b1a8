//! Sentences that several parts of Portolan write. They are the same everywhere, because users see
//! conditions, verdicts and diagnoses next to each other.
//!
//! Each sentence has no final period, so that it can be part of a longer sentence.

/// Returns the sentence about a namespace without an OperatorGroup.
pub fn no_group(namespace: &str) -> String {
    format!(
        "Namespace {namespace} has no OperatorGroup. Without one, OLM installs nothing there, \
         and reports no error"
    )
}

/// Returns the sentence about a namespace with several OperatorGroups. `listed` has their names.
pub fn several_groups(namespace: &str, count: usize, listed: &str) -> String {
    format!(
        "Namespace {namespace} has {count} OperatorGroups, {listed}, and OLM does nothing until all \
         but one are deleted"
    )
}

/// Returns the sentence about a missing CatalogSource.
pub fn no_catalog(namespace: &str, name: &str) -> String {
    format!(
        "CatalogSource {namespace}/{name} does not exist, so nothing is installed or updated from \
         it"
    )
}

/// Returns the sentence about a bundle that OLM skips during an upgrade.
pub fn leapt_over(over: &str, from: &str, to: &str) -> String {
    format!("OLM upgrades from {from} directly to {to}, skipping {over}")
}

/// Returns the sentence about an InstallPlan that has failed.
pub fn plan_failed(namespace: &str, name: &str) -> String {
    format!("InstallPlan {namespace}/{name} has failed and is not retried")
}

/// Returns the sentence about a missing ClusterServiceVersion that a Subscription reports as
/// installed.
pub fn operator_gone(namespace: &str, name: &str) -> String {
    format!(
        "ClusterServiceVersion {namespace}/{name} does not exist, but OLM regards it as \
     installed"
    )
}

/// Returns the sentence about a ClusterServiceVersion that has failed.
pub fn operator_failed(namespace: &str, name: &str) -> String {
    format!("ClusterServiceVersion {namespace}/{name} has failed")
}

/// Returns the sentence about a ClusterServiceVersion that is not installed yet.
pub fn operator_waits(namespace: &str, name: &str) -> String {
    format!("ClusterServiceVersion {namespace}/{name} is waiting to be installed")
}

/// Returns the sentence about a bundle that does not support the install mode that an OperatorGroup
/// requires. `lacking` is this install mode.
pub fn mode_missing(bundle: &str, lacking: &str, group: &str, targets: &str) -> String {
    format!(
        "{bundle} does not support {lacking}, which is required because OperatorGroup {group} \
         selects \
         {targets}"
    )
}
