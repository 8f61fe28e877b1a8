//! Sentences that more than one part of Portolan has to say in the same words: a condition of a
//! policy, a verdict and a diagnosis stand beside each other in front of the same person.
//!
//! Each is a claim without a full stop, so that it can be a part of a sentence.

/// A namespace without an OperatorGroup.
pub fn no_group(namespace: &str) -> String {
    format!(
        "Namespace {namespace} has no OperatorGroup. Without one, OLM does nothing there, and \
         reports nothing"
    )
}

/// A namespace with several OperatorGroups, which are listed.
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

/// A bundle that OLM does not stop at.
pub fn leapt_over(over: &str, from: &str, to: &str) -> String {
    format!("OLM upgrades from {from} directly to {to}, skipping {over}")
}

/// An InstallPlan that OLM has given up.
pub fn plan_failed(namespace: &str, name: &str) -> String {
    format!("InstallPlan {namespace}/{name} has failed and is not retried")
}

/// A ClusterServiceVersion that a Subscription names as installed.
pub fn operator_gone(namespace: &str, name: &str) -> String {
    format!(
        "ClusterServiceVersion {namespace}/{name} does not exist, but OLM regards it as \
     installed"
    )
}

/// A ClusterServiceVersion that OLM has given up.
pub fn operator_failed(namespace: &str, name: &str) -> String {
    format!("ClusterServiceVersion {namespace}/{name} has failed")
}

/// A ClusterServiceVersion that lacks something.
pub fn operator_waits(namespace: &str, name: &str) -> String {
    format!("ClusterServiceVersion {namespace}/{name} is waiting to be installed")
}

/// A bundle that cannot watch the namespaces of an OperatorGroup, by what it lacks.
pub fn mode_missing(bundle: &str, lacking: &str, group: &str, targets: &str) -> String {
    format!(
        "{bundle} does not support {lacking}, which is required because OperatorGroup {group} \
         selects \
         {targets}"
    )
}
