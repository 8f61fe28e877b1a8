//! The states of failing Deployments and of their ReplicaSets and Pods, as Kubernetes writes them.

use serde_json::{Value, json};

use super::World;
use super::objects::TIME;
use super::operators::{append, condition};

impl World {
    /// Starts a rollout of the last Deployment. None of its replicas is updated yet.
    #[must_use]
    pub fn rolling_out(self) -> Self {
        self.last("Deployment", |deployment| {
            deployment["status"]["updatedReplicas"] = json!(0);
            let message = "the ReplicaSet is progressing";
            let said = condition("Progressing", "True", "ReplicaSetUpdated", message);
            append(&mut deployment["status"]["conditions"], said);
        })
    }

    /// Makes the rollout of the last Deployment exceed its progress deadline.
    #[must_use]
    pub fn deadline_exceeded(self) -> Self {
        self.last("Deployment", |deployment| {
            let message = "the ReplicaSet has timed out progressing";
            let said = condition("Progressing", "False", "ProgressDeadlineExceeded", message);
            append(&mut deployment["status"]["conditions"], said);
        })
    }

    /// Adds a ReplicaSet for a revision of the last Deployment. Sets the uid of the Deployment if
    /// it has no uid.
    ///
    /// # Panics
    /// Panics if the world has no Deployment.
    #[must_use]
    #[track_caller]
    pub fn replica_set(self, name: &str, revision: u32, replicas: u32) -> Self {
        self.below("Deployment", |owner, labels| {
            json!({
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "metadata": {
                    "name": name,
                    "labels": labels,
                    "annotations": {"deployment.kubernetes.io/revision": revision.to_string()},
                    "ownerReferences": [owner],
                },
                "spec": {"replicas": replicas, "selector": {"matchLabels": labels}},
                "status": {"replicas": replicas, "observedGeneration": 1},
            })
        })
    }

    /// Adds a Pod with one ready container to the last ReplicaSet. Sets the uid of the ReplicaSet
    /// if it has no uid.
    ///
    /// # Panics
    /// Panics if the world has no ReplicaSet.
    #[must_use]
    #[track_caller]
    pub fn pod(self, name: &str) -> Self {
        let container = json!({
            "name": "operator",
            "image": "registry.example/operator:v1",
            "ready": true,
            "restartCount": 0,
            "state": {"running": {"startedAt": TIME}},
            "lastState": {},
        });
        self.below("ReplicaSet", |owner, labels| {
            json!({
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "labels": labels, "ownerReferences": [owner]},
                "spec": {"containers": [
                    {"name": "operator", "image": "registry.example/operator:v1"},
                ]},
                "status": {
                    "phase": "Running",
                    "conditions": [condition("Ready", "True", "", "")],
                    "containerStatuses": [container],
                },
            })
        })
    }

    /// Makes the container of the last Pod crash repeatedly.
    #[must_use]
    pub fn crash_looping(self, exit_code: i32, restarts: u32) -> Self {
        self.unready(|container| {
            container["restartCount"] = json!(restarts);
            container["state"] = waiting("CrashLoopBackOff", "back-off restarting the container");
            container["lastState"] = json!({"terminated": {
                "exitCode": exit_code, "reason": "Error", "startedAt": TIME, "finishedAt": TIME,
            }});
        })
    }

    /// Makes the image pull of the last Pod fail.
    #[must_use]
    pub fn image_pull_failing(self, message: &str) -> Self {
        let world = self.unready(|container| {
            container["state"] = waiting("ImagePullBackOff", message);
        });
        world.last("Pod", |pod| pod["status"]["phase"] = json!("Pending"))
    }

    /// Makes the last Pod unschedulable.
    #[must_use]
    pub fn unschedulable(self, message: &str) -> Self {
        self.last("Pod", |pod| {
            let said = condition("PodScheduled", "False", "Unschedulable", message);
            pod["status"] = json!({"phase": "Pending", "conditions": [said]});
        })
    }

    /// Adds a Warning Event about the last object that is not an Event itself.
    ///
    /// # Panics
    /// Panics if the world has no such object.
    #[must_use]
    #[track_caller]
    pub fn event(self, reason: &str, message: &str) -> Self {
        let about = self
            .objects
            .iter()
            .rfind(|object| object["kind"] != "Event");
        let about = about.expect("a world must have an object that an event is about");
        let metadata = &about["metadata"];
        let number = 1 + self.objects.len();
        let name = format!(
            "{}.{number:x}",
            metadata["name"].as_str().unwrap_or_default()
        );
        let event = json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": self.namespace},
            "involvedObject": {
                "apiVersion": about["apiVersion"],
                "kind": about["kind"],
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
            },
            "type": "Warning",
            "reason": reason,
            "message": message,
            "firstTimestamp": TIME,
            "lastTimestamp": TIME,
            "eventTime": null,
            "count": 1,
        });
        self.push(event)
    }

    /// Adds an object that the last object of `kind` owns. `object` creates it from the owner
    /// reference and the labels.
    #[track_caller]
    fn below(mut self, kind: &str, object: impl FnOnce(Value, Value) -> Value) -> Self {
        let mut objects = self.objects.iter_mut();
        let owner = objects.rfind(|object| object["kind"] == kind);
        let owner = owner.unwrap_or_else(|| panic!("the world has no {kind} yet"));
        let name = owner["metadata"]["name"].clone();
        if owner["metadata"]["uid"].is_null() {
            let name = name.as_str().unwrap_or_default();
            owner["metadata"]["uid"] = json!(format!("{}-{name}", kind.to_lowercase()));
        }
        let reference = json!({
            "apiVersion": "apps/v1",
            "kind": kind,
            "name": name,
            "uid": owner["metadata"]["uid"],
            "controller": true,
            "blockOwnerDeletion": true,
        });
        let labels = owner["spec"]["selector"]["matchLabels"].clone();
        let namespace = owner["metadata"]["namespace"].clone();
        let mut object = object(reference, labels);
        object["metadata"]["namespace"] = namespace;
        self.push(object)
    }

    /// Makes the container of the last Pod unready. The Pod is then also unready.
    fn unready(self, change: impl FnOnce(&mut Value)) -> Self {
        self.last("Pod", |pod| {
            let status = &mut pod["status"];
            let message = "containers with unready status: [operator]";
            let unready = condition("Ready", "False", "ContainersNotReady", message);
            status["conditions"] = json!([unready]);
            let container = &mut status["containerStatuses"][0];
            container["ready"] = json!(false);
            change(container);
        })
    }
}

fn waiting(reason: &str, message: &str) -> Value {
    json!({"waiting": {"reason": reason, "message": message}})
}
