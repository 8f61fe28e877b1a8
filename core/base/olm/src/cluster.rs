//! The cluster as a whole: its `ClusterVersion` and its `Namespace`s.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// The state of a release in the history after the whole cluster was upgraded to it.
const COMPLETED: &str = "Completed";

/// The OpenShift release of a cluster, and the release to which the cluster is being upgraded. A
/// cluster has only one ClusterVersion. Clusters without OpenShift do not have this kind.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterVersion {
    /// The metadata, such as the name and the resource version.
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

/// A namespace. Only its metadata is read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Namespace {
    /// The metadata, such as the name and the labels.
    pub metadata: ObjectMeta,
}

resource!(Namespace, "namespaces", "", "v1", ClusterResourceScope);

/// The observed state of a ClusterVersion.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterVersionStatus {
    /// The release to which the cluster is being upgraded.
    pub desired: Release,
    /// The releases to which the cluster was upgraded or is being upgraded, newest first.
    pub history: Vec<Release>,
}

/// A release of OpenShift.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Release {
    /// The version of the release, such as `4.16.3`.
    pub version: String,
    /// `Completed` if the whole cluster was upgraded to this release. Empty for the desired
    /// release.
    pub state: String,
}

// === impl ClusterVersion ===

impl ClusterVersion {
    /// Returns the newest release to which the whole cluster was upgraded. If there is no such
    /// release, returns the desired release. Returns an empty text if both are unknown.
    pub fn version(&self) -> &str {
        let ClusterVersionStatus { desired, history } = &self.status;
        let mut completed = history.iter().filter(|release| release.state == COMPLETED);
        &completed.next().unwrap_or(desired).version
    }
}
