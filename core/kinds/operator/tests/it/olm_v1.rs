//! A model of OLM v1 1.2, which installs an operator as a Helm release. Unlike later versions, it
//! also reconciles a ClusterExtension that is being deleted.

use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_operator::{Extension, HELD_VERSION, Installation, Installer, Present};
use serde_json::{Value, json};

use crate::olm::{Olm, next_generation, text};

const API: &str = "olm.operatorframework.io/v1";

/// Returns the objects of an operator of OLM v1 with a CRD that has a conversion webhook.
pub(crate) fn boat() -> Olm {
    let mut olm = Olm::default();
    let finalizers = [
        "olm.operatorframework.io/cleanup-contentmanager-cache",
        "olm.operatorframework.io/cleanup-unpack-cache",
    ];
    olm.put(json!({
        "apiVersion": API, "kind": "ClusterExtension",
        "metadata": {"name": "boat", "uid": "extension", "generation": 1, "finalizers": finalizers},
        "spec": {
            "namespace": "harbor",
            "source": {"catalog": {"packageName": "ferry", "version": "1.0.0"}},
        },
        "status": {"install": {"bundle": {"name": "ferry.v1.0.0", "version": "1.0.0"}}},
    }));
    olm.put(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": "sh.helm.release.v1.boat.v1", "namespace": "olmv1-system",
            "labels": {"name": "boat", "owner": "operator-controller", "type": "index"},
            "ownerReferences": [{"uid": "extension"}],
        },
    }));
    let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "manager"}]}});
    let managers = json!([{"manager": "operator-controller"}, {"manager": "kubelet"}]);
    let objects = [
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {
                "name": "ferry", "namespace": "harbor", "managedFields": managers,
                "labels": {"app": "ferry"},
            },
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template},
        }),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example"},
            "spec": {
                "group": "ferry.example",
                "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": "own"}}},
            },
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "ferry.v1.0.0-abc"}, "rules": [{"verbs": ["get"]}],
        }),
        json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": "ferry", "namespace": "harbor"},
        }),
    ];
    for mut object in objects {
        object["metadata"]["annotations"] = json!({
            "meta.helm.sh/release-name": "boat", "meta.helm.sh/release-namespace": "harbor",
        });
        object["metadata"]["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
        olm.installed.insert(ObjectRef::versioned(&object));
        olm.put(object);
    }
    olm.turn();
    olm
}

/// Returns the objects of the rendered bundle, except its Deployment.
pub(crate) fn rendered() -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example"}, "spec": {"group": "ferry.example"},
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "ferry.v1.0.0-ours"}, "rules": [{"verbs": ["get"]}],
        }),
        json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": "ferry", "namespace": "harbor"},
        }),
    ]
}

impl Olm {
    /// Runs OLM v1 once for each ClusterExtension.
    pub(crate) fn turn_extensions(&mut self) {
        let all: Vec<_> = self.of_kind("ClusterExtension").cloned().collect();
        for mut extension in all {
            let before = extension.clone();
            if !remove_own_finalizers(&mut extension) {
                self.reconcile(&mut extension);
            }
            if extension != before {
                self.put(extension);
            }
        }
    }

    fn reconcile(&mut self, extension: &mut Value) {
        let version = text(&extension["spec"]["source"]["catalog"]["version"]);
        let is_installed = self
            .of_kind("Secret")
            .any(|it| it["metadata"]["labels"]["name"] == extension["metadata"]["name"]);
        let (reason, message) = if version == HELD_VERSION {
            let message =
                format!("no bundles found for package \"ferry\" matching version \"{version}\"");
            ("Retrying", message)
        } else if is_installed {
            self.own(&text(&extension["metadata"]["uid"]));
            ("Succeeded", "desired state reached".to_owned())
        } else {
            (
                "Retrying",
                "cannot be managed by operator-controller".to_owned(),
            )
        };
        let generation = &extension["metadata"]["generation"];
        extension["status"]["conditions"] = json!([
            {"type": "Installed", "status": "True", "reason": "Succeeded"},
            {"type": "Progressing", "status": "True", "reason": reason, "message": message,
                "observedGeneration": generation},
        ]);
    }

    /// Adds the labels and owner references to the objects of the Helm release.
    fn own(&mut self, uid: &str) {
        for id in self.installed.clone() {
            let Some(object) = self.objects.get(&id) else {
                continue;
            };
            let mut owned = object.clone();
            owned["metadata"]["labels"]["olm.operatorframework.io/owner-kind"] =
                json!("ClusterExtension");
            owned["metadata"]["labels"]["olm.operatorframework.io/owner-name"] = json!("boat");
            owned["metadata"]["ownerReferences"] = json!([{
                "apiVersion": API, "kind": "ClusterExtension", "name": "boat", "uid": uid,
                "controller": true, "blockOwnerDeletion": true,
            }]);
            if owned != *object {
                self.put(owned);
            }
        }
    }

    /// Returns the objects of the operator with an owner reference to this uid.
    pub(crate) fn owned_by(&self, uid: &str) -> Vec<ObjectRef<Gvk>> {
        let owned = self.objects.iter().filter(|(id, object)| {
            let owners = object["metadata"]["ownerReferences"].as_array();
            let mut owners = owners.into_iter().flatten();
            id.kind.kind != "Secret" && owners.any(|owner| owner["uid"] == uid)
        });
        owned.map(|(id, _)| id.clone()).collect()
    }

    /// Deletes the objects of a deleted ClusterExtension, as the garbage collector does.
    pub(crate) fn collect(&mut self, uid: &str) {
        let owned = self.owned_by(uid);
        self.objects.retain(|id, _| !owned.contains(id));
        self.collected.extend(owned);
    }

    pub(crate) fn extensions(&self) -> impl Iterator<Item = Present> {
        self.of_kind("ClusterExtension").map(present)
    }

    /// Changes the spec of the ClusterExtension, as another client does.
    pub(crate) fn request(&mut self, version: &str) {
        self.change("ClusterExtension", |it| {
            it["spec"]["source"]["catalog"]["version"] = json!(version);
            next_generation(it);
        });
    }

    /// Deletes the ClusterExtension, as another client does.
    pub(crate) fn delete_extension(&mut self) {
        self.change("ClusterExtension", |it| {
            it["metadata"]["deletionTimestamp"] = json!("2026-11-01T00:00:00Z");
            next_generation(it);
        });
    }
}

/// Removes the finalizers of OLM v1 from a ClusterExtension that is being deleted. Returns true if
/// it had such finalizers.
fn remove_own_finalizers(extension: &mut Value) -> bool {
    if !extension["metadata"]["deletionTimestamp"].is_string() {
        return false;
    }
    let Some(finalizers) = extension["metadata"]["finalizers"].as_array_mut() else {
        return false;
    };
    let before = finalizers.len();
    finalizers.retain(|it| !text(it).starts_with("olm.operatorframework.io/"));
    finalizers.len() < before
}

fn present(extension: &Value) -> Present {
    let (metadata, bundle) = (
        &extension["metadata"],
        &extension["status"]["install"]["bundle"],
    );
    let conditions = extension["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let progressing = conditions.find(|it| it["type"] == "Progressing");
    let reason = progressing
        .map(|it| text(&it["reason"]))
        .unwrap_or_default();
    Present {
        object: format!("ClusterExtension {}", text(&metadata["name"])),
        by: Installer::ClusterExtension,
        installs: Installation {
            package: text(&extension["spec"]["source"]["catalog"]["packageName"]),
            bundle: text(&bundle["name"]),
            version: text(&bundle["version"]),
            ..Installation::default()
        },
        csv: None,
        extension: Some(Extension {
            name: text(&metadata["name"]),
            uid: text(&metadata["uid"]),
            namespace: text(&extension["spec"]["namespace"]),
            unsettled: (reason != "Succeeded").then(|| format!("is {reason}, not Succeeded")),
            is_terminating: metadata["deletionTimestamp"].is_string(),
            version: text(&extension["spec"]["source"]["catalog"]["version"]),
            generation: metadata["generation"].as_i64().unwrap_or_default(),
            observed: progressing.and_then(|it| it["observedGeneration"].as_i64()),
        }),
    }
}
