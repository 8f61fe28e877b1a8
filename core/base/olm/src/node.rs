//! `Node`: a machine that runs Pods.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::metadata::has_labels;
use crate::resource::resource;

/// The key of the taint that Kubernetes sets on each cordoned node.
const CORDONED: &str = "node.kubernetes.io/unschedulable";

/// A node, with the fields that show if it is cordoned.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Node {
    /// The metadata, such as the name and the labels.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: NodeSpec,
}

resource!(Node, "nodes", "", "v1", ClusterResourceScope);

/// The desired state of a node.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NodeSpec {
    /// True if the node is cordoned: Kubernetes starts no more Pods on it.
    pub unschedulable: bool,
    /// The taints, which keep away Pods that do not tolerate them.
    pub taints: Vec<Taint>,
}

/// A taint of a node.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Taint {
    /// The key.
    pub key: String,
    /// The time at which the taint was added. None if it is unknown.
    pub time_added: Option<Time>,
}

// === impl Node ===

impl Node {
    /// The field selector with which API servers select the cordoned nodes.
    pub const FIELDS: &'static str = "spec.unschedulable=true";

    /// Returns true if the field selector [`FIELDS`](Self::FIELDS) selects the node.
    pub fn is_cordoned(&self) -> bool {
        self.spec.unschedulable
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// Returns the time since which the node is cordoned. Returns None if the time is unknown.
    pub fn cordoned_since(&self) -> Option<&Time> {
        let mut taints = self.spec.taints.iter();
        let taint = taints.find(|taint| taint.key == CORDONED)?;
        taint.time_added.as_ref()
    }

    /// Returns true if the node has all labels of this node selector.
    pub fn is_selected_by(&self, selector: &BTreeMap<String, String>) -> bool {
        has_labels(&self.metadata, selector)
    }
}
