//! Checks if a Pod belongs to a workload, according to the Pod's controller reference.
//!
//! ```text
//! Pod -- uid of the controller ------------------------> DaemonSet, Job, ReplicaSet, StatefulSet
//! Pod -- ReplicaSet NAME-HASH, with HASH as a label ---> Deployment NAME
//! ```

use portolan_core_names::GroupKind;
use portolan_core_names::object::split_api_version;
use serde_json::Value;

use crate::object::{items, text};

/// The JSON pointer to the label that contains the hash at the end of the ReplicaSet name.
const HASH: &str = "/metadata/labels/pod-template-hash";
/// The maximum length of an object name.
const LONGEST_NAME: usize = 253;

/// Returns true if the Pod belongs to the workload, or if the Pod is itself the workload. Labels
/// are no evidence, because any user who creates Pods in the namespace can choose their labels.
pub(super) fn owns(workload: &Value, pod: &Value) -> bool {
    let kind = GroupKind::of(workload);
    if kind.is("", "Pod") {
        return text(workload, "/metadata/name") == text(pod, "/metadata/name");
    }
    let mut owners = items(pod, "/metadata/ownerReferences").iter();
    let Some(owner) = owners.find(|owner| owner["controller"] == true) else {
        return false;
    };
    if kind.is("apps", "Deployment") {
        return is_replica_set(owner) && is_of_deployment(workload, owner, pod);
    }
    let uid = text(workload, "/metadata/uid");
    !uid.is_empty() && text(owner, "/uid") == uid
}

fn is_replica_set(owner: &Value) -> bool {
    let (group, _) = split_api_version(text(owner, "/apiVersion"));
    group == "apps" && text(owner, "/kind") == "ReplicaSet"
}

/// Returns true if the owner is a ReplicaSet whose name the Deployment generates for Pods with this
/// hash. Long names of Deployments are truncated.
fn is_of_deployment(deployment: &Value, owner: &Value, pod: &Value) -> bool {
    let (name, hash) = (text(owner, "/name"), text(pod, HASH));
    let base = name.strip_suffix(hash).and_then(|it| it.strip_suffix('-'));
    let of = text(deployment, "/metadata/name");
    let is_cut = |base: &str| name.len() == LONGEST_NAME && of.starts_with(base);
    !hash.is_empty() && base.is_some_and(|base| base == of || is_cut(base))
}
