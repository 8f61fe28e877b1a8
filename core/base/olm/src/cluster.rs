//! The cluster as a whole: `ClusterVersion`, and its `Namespace`s.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// The state of a release that the whole cluster has reached.
const COMPLETED: &str = "Completed";

/// The current OpenShift release of a cluster, or the release to which it is being upgraded. There
/// is only one such object. Clusters without OpenShift do not have this kind.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterVersion {
    /// The name and versions.
    pub metadata: ObjectMeta,
    /// The observed state.
    pub status: ClusterVersionStatus,
}

resource!(
    ClusterVersion,
    "clusterversions",
    "config.openshift.io",
    "v1",
    ClusterResourceScope
);

/// The metadata of a namespace.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Namespace {
    /// The name and labels.
    pub metadata: ObjectMeta,
}

resource!(Namespace, "namespaces", "", "v1", ClusterResourceScope);

/// The observed state of a ClusterVersion.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterVersionStatus {
    /// The release to which the cluster is being upgraded.
    pub desired: Release,
    /// The releases to which the cluster was being upgraded, the latest first.
    pub history: Vec<Release>,
}

/// An OpenShift.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Release {
    /// The version of the API server.
    pub version: String,
    /// `Completed` if the whole cluster has this version. Not set for a desired version.
    pub state: String,
}

// === impl ClusterVersion ===

impl ClusterVersion {
    /// Returns the last completed version of the cluster, or else the version in progress. Returns
    /// an empty text without a version.
    pub fn version(&self) -> &str {
        let ClusterVersionStatus { desired, history } = &self.status;
        let mut completed = history.iter().filter(|release| release.state == COMPLETED);
        &completed.next().unwrap_or(desired).version
    }
}
