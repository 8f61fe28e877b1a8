//! The Deployment of an operator, and its ReplicaSet and Pod, as the controllers of Kubernetes
//! write them.

use serde_json::{Value, json};

use super::filler::prose;
use super::fleet::Operator;
use super::manifests::{THEN, condition};

// === impl Operator ===

impl Operator {
    pub(crate) fn deployment_manifest(self) -> Value {
        let mut manifest = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": self.deployment(),
                "namespace": self.namespace(),
                "labels": {
                    "olm.deployment-spec-hash": "6b7f9d",
                    "olm.managed": "true",
                    "olm.owner": self.csv(),
                    "olm.owner.kind": "ClusterServiceVersion",
                    "olm.owner.namespace": self.namespace(),
                },
            },
            "spec": self.deployment_spec(),
            "status": available(),
        });
        manifest["status"]["observedGeneration"] = json!(1);
        manifest
    }

    pub(crate) fn replica_set_manifest(self, deployment: &str) -> Value {
        let spec = self.deployment_spec();
        json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": self.replica_set(),
                "namespace": self.namespace(),
                "labels": self.pod_labels(),
                "annotations": {"deployment.kubernetes.io/revision": "1"},
                "ownerReferences": [owner("apps/v1", "Deployment", &self.deployment(), deployment)],
            },
            "spec": {
                "replicas": 1,
                "selector": spec["selector"],
                "template": spec["template"],
            },
            "status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "observedGeneration": 1},
        })
    }

    pub(crate) fn pod_manifest(self, replica_set: &str) -> Value {
        let mut spec = self.deployment_spec()["template"]["spec"].take();
        spec["nodeName"] = json!("node-0");
        spec["serviceAccountName"] = json!("default");
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": format!("{}-x2x4z", self.replica_set()),
                "namespace": self.namespace(),
                "labels": self.pod_labels(),
                "ownerReferences": [owner("apps/v1", "ReplicaSet", &self.replica_set(), replica_set)],
            },
            "spec": spec,
            "status": pod_status(),
        })
    }

    pub(super) fn deployment_spec(self) -> Value {
        let environment =
            (0..10).map(|at| json!({"name": format!("VAR_{at}"), "value": prose(at, 40)}));
        let probe = json!({"httpGet": {"path": "/healthz", "port": 8081}, "periodSeconds": 10});
        json!({
            "replicas": 1,
            "selector": {"matchLabels": self.pod_labels()},
            "template": {
                "metadata": {"labels": self.pod_labels()},
                "spec": {
                    "automountServiceAccountToken": false,
                    "containers": [{
                        "name": "manager",
                        "image": "registry.example/fleet/manager:v1.4.2",
                        "args": ["--leader-elect", "--health-probe-bind-address=:8081"],
                        "env": environment.collect::<Value>(),
                        "livenessProbe": probe,
                        "readinessProbe": probe,
                        "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}},
                    }],
                },
            },
        })
    }

    fn pod_labels(self) -> Value {
        json!({"control-plane": self.package()})
    }
}

/// Returns the status of a running Pod.
pub(crate) fn pod_status() -> Value {
    let ready = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    json!({
        "phase": "Running",
        "startTime": THEN,
        "conditions": ready.map(|type_| json!({"type": type_, "status": "True"})),
        "containerStatuses": [{
            "name": "manager",
            "image": "registry.example/fleet/manager:v1.4.2",
            "imageID": "",
            "ready": true,
            "started": true,
            "restartCount": 0,
            "state": {"running": {"startedAt": THEN}},
        }],
    })
}

/// Returns the status fields of a Deployment that is fully available.
pub(crate) fn available() -> Value {
    json!({
        "replicas": 1,
        "updatedReplicas": 1,
        "readyReplicas": 1,
        "availableReplicas": 1,
        "unavailableReplicas": null,
        "conditions": [
            condition("Available", "True", "MinimumReplicasAvailable"),
            condition("Progressing", "True", "NewReplicaSetAvailable"),
        ],
    })
}

/// Returns the status fields of a Deployment whose only Pod has failed.
pub(crate) fn unavailable() -> Value {
    json!({
        "replicas": 1,
        "updatedReplicas": 1,
        "readyReplicas": null,
        "availableReplicas": null,
        "unavailableReplicas": 1,
        "conditions": [
            condition("Available", "False", "MinimumReplicasUnavailable"),
            condition("Progressing", "True", "NewReplicaSetAvailable"),
        ],
    })
}

fn owner(api_version: &str, kind: &str, name: &str, uid: &str) -> Value {
    json!({
        "apiVersion": api_version,
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": true,
        "blockOwnerDeletion": true,
    })
}
