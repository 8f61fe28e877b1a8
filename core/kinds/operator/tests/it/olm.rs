//! Simulates the parts of OLM that manage operators, and the garbage collector, which removes owner
//! references.

use std::collections::BTreeMap;

use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_operator::{
    Act, Csv, Installation, Installer, LiveQuery, Present, Requirements, Subscribed, is_of,
};
use serde_json::{Value, json};

/// The OLM objects in the cluster, and the objects that OLM manages.
#[derive(Default)]
pub(crate) struct Olm {
    pub(crate) objects: BTreeMap<ObjectRef<Gvk>, Value>,
    /// The package of each ClusterServiceVersion, and the package that it requires. The key is the
    /// name of the ClusterServiceVersion.
    pub(crate) requires: BTreeMap<String, (String, String)>,
    writes: u32,
}

/// Returns the OLM objects of an operator that watches its own namespace and has an admission
/// webhook and a conversion webhook.
pub(crate) fn ferry() -> Olm {
    let mut olm = Olm::default();
    let owner = json!([{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "name": "ferry.v1.0.0", "uid": "csv"}]);
    let labels = json!({
        "app": "ferry", "olm.managed": "true", "olm.owner": "ferry.v1.0.0",
        "olm.owner.kind": "ClusterServiceVersion", "olm.owner.namespace": "harbor",
        "operators.coreos.com/ferry.harbor": "",
    });
    let managers = json!([{"manager": "olm", "operation": "Update"}, {"manager": "kubelet"}]);
    let put = |olm: &mut Olm, version: &str, kind: &str, name: &str, fields: Value| {
        let mut object = fields;
        object["apiVersion"] = json!(version);
        object["kind"] = json!(kind);
        object["metadata"]["name"] = json!(name);
        if !kind.starts_with("Cluster")
            && !kind.ends_with("Configuration")
            && !kind.starts_with("Custom")
        {
            object["metadata"]["namespace"] = json!("harbor");
        }
        olm.put(object);
    };
    let csv = json!({
        "metadata": {"uid": "csv", "finalizers": ["operators.coreos.com/csv-cleanup"]},
        "spec": {"webhookdefinitions": [{"type": "ConversionWebhook"}, {"type": "ValidatingAdmissionWebhook"}]},
        "status": {"phase": "Succeeded"},
    });
    put(
        &mut olm,
        "operators.coreos.com/v1alpha1",
        "ClusterServiceVersion",
        "ferry.v1.0.0",
        csv,
    );
    olm.move_into("ClusterServiceVersion", "harbor");
    let subscription = json!({
        "metadata": {"labels": {"team": "pier"}},
        "spec": {"name": "ferry", "channel": "stable", "config": {"env": [{"name": "A", "value": "1"}]}},
        "status": {"currentCSV": "ferry.v1.0.0", "installedCSV": "ferry.v1.0.0"},
    });
    put(
        &mut olm,
        "operators.coreos.com/v1alpha1",
        "Subscription",
        "ferry",
        subscription,
    );
    let template = json!({
        "metadata": {"labels": {"app": "a"}, "annotations": {"olm.targetNamespaces": ""}},
        "spec": {"containers": [{"name": "manager", "env": [{"name": "A", "value": "1"}]}]},
    });
    let deployment = json!({
        "metadata": {"labels": labels, "ownerReferences": owner, "managedFields": managers},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template},
        "status": {"readyReplicas": 1},
    });
    put(&mut olm, "apps/v1", "Deployment", "ferry", deployment);
    let definition = json!({
        "metadata": {"labels": {"olm.managed": "true"}},
        "spec": {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": "olm"}}}},
    });
    put(
        &mut olm,
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "ships.ferry.example",
        definition,
    );
    let mut of_webhook = labels.clone();
    of_webhook["olm.webhook-description-generate-name"] = json!("ships");
    let webhook = json!({
        "metadata": {"labels": of_webhook},
        "webhooks": [{"name": "ships", "clientConfig": {"caBundle": "olm", "service": {"name": "s"}}}],
    });
    put(
        &mut olm,
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "ships-x7k2p",
        webhook,
    );
    let role = json!({"metadata": {"labels": labels}, "rules": [{"verbs": ["get"]}]});
    put(
        &mut olm,
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        "ferry.v1.0.0-abc",
        role,
    );
    let secret =
        json!({"metadata": {"ownerReferences": owner}, "data": {"olmCAKey": "", "tls.crt": ""}});
    put(&mut olm, "v1", "Secret", "ferry-service-cert", secret);
    olm
}

/// Returns the objects of the ferry's rendered bundle, except its Deployment.
pub(crate) fn rendered() -> Vec<Value> {
    let trusts = json!({"portolan.dev/inject-ca-from": "harbor/ferry-service-cert"});
    vec![
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example", "annotations": trusts},
            "spec": {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {}}}},
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "ships", "annotations": trusts},
            "webhooks": [{"name": "ships", "clientConfig": {"service": {"name": "s"}}}],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "ferry.v1.0.0-ours"}, "rules": [{"verbs": ["get"]}],
        }),
    ]
}

impl Olm {
    pub(crate) fn put(&mut self, mut object: Value) {
        self.writes += 1;
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = json!(format!("uid-of-olm-{}", self.writes));
        }
        object["metadata"]["resourceVersion"] = json!(self.writes.to_string());
        self.objects.insert(ObjectRef::versioned(&object), object);
    }

    fn move_into(&mut self, kind: &str, namespace: &str) {
        let id = self
            .objects
            .keys()
            .find(|id| id.kind.kind == kind)
            .expect("one")
            .clone();
        let mut object = self.objects.remove(&id).expect("one");
        object["metadata"]["namespace"] = json!(namespace);
        self.put(object);
    }

    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.objects.values().filter(move |it| it["kind"] == kind)
    }

    pub(crate) fn change(&mut self, kind: &str, change: impl FnOnce(&mut Value)) {
        let mut object = self.of_kind(kind).next().expect("one").clone();
        change(&mut object);
        self.put(object);
    }

    pub(crate) fn present(&self) -> Vec<Present> {
        self.of_kind("ClusterServiceVersion")
            .map(|csv| self.present_of(csv))
            .collect()
    }

    fn present_of(&self, csv: &Value) -> Present {
        let metadata = &csv["metadata"];
        let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
        let (package, version) = name.split_once(".v").expect("a version");
        let phase = text(&csv["status"]["phase"]);
        let finalizers = metadata["finalizers"].as_array().into_iter().flatten();
        Present {
            object: format!("ClusterServiceVersion {namespace}/{name}"),
            by: Installer::Olm,
            installs: Installation {
                package: package.to_owned(),
                bundle: name.clone(),
                version: version.to_owned(),
                requires: Requirements {
                    packages: self.requires.get(&name).cloned().into_iter().collect(),
                    ..Requirements::default()
                },
                ..Installation::default()
            },
            csv: Some(Csv {
                namespace,
                uid: text(&metadata["uid"]),
                unsettled: (phase != "Succeeded").then(|| format!("is {phase}, not Succeeded")),
                is_terminating: metadata["deletionTimestamp"].is_string(),
                finalizers: finalizers.map(text).collect(),
                name,
            }),
        }
    }

    pub(crate) fn subscriptions(&self) -> Vec<Subscribed> {
        let subscribed = |it: &Value| {
            let (installed, current) = (&it["status"]["installedCSV"], &it["status"]["currentCSV"]);
            Subscribed {
                namespace: text(&it["metadata"]["namespace"]),
                name: text(&it["metadata"]["name"]),
                package: text(&it["spec"]["name"]),
                installed: text(installed),
                on_the_way: (installed != current).then(|| text(current)),
            }
        };
        self.of_kind("Subscription").map(subscribed).collect()
    }

    pub(crate) fn live(&self, query: &LiveQuery) -> Vec<Value> {
        let is_asked = |id: &ObjectRef<Gvk>, object: &Value| {
            let is_owned = query
                .owner
                .as_ref()
                .is_some_and(|csv| is_of(csv, &object["metadata"]));
            is_owned || query.objects.contains(id)
        };
        let found = self
            .objects
            .iter()
            .filter(|(id, object)| is_asked(id, object));
        found.map(|(_, object)| object.clone()).collect()
    }

    /// Carries out an action, and returns its description.
    pub(crate) fn act(&mut self, act: Act) -> String {
        match act {
            Act::Patch {
                object,
                uid,
                operations,
                ..
            } => {
                let mut changed = self.objects[&object].clone();
                assert_eq!(changed["metadata"]["uid"], json!(uid));
                for operation in operations {
                    patch(&mut changed, &operation);
                }
                self.put(changed);
                self.let_go();
                format!("patch {object}")
            }
            Act::Delete { object, uid, .. } => {
                let gone = self.objects.remove(&object).expect("one");
                assert_eq!(gone["metadata"]["uid"], json!(uid));
                format!("delete {object}")
            }
            Act::Orphan { object, uid, .. } => {
                let mut changed = self.objects[&object].clone();
                assert_eq!(changed["metadata"]["uid"], json!(uid));
                let finalizers = changed["metadata"]["finalizers"].as_array_mut();
                if let Some(finalizers) = finalizers {
                    let cleanup = json!("operators.coreos.com/csv-cleanup");
                    assert!(!finalizers.contains(&cleanup), "OLM would clean up");
                    finalizers.push(json!("orphan"));
                    changed["metadata"]["deletionTimestamp"] = json!("2026-11-01T00:00:00Z");
                    self.put(changed);
                } else {
                    self.objects.remove(&object);
                }
                format!("delete {object}")
            }
        }
    }

    /// Runs the garbage collector once.
    pub(crate) fn turn(&mut self) {
        let going: Vec<_> = self.of_kind("ClusterServiceVersion").cloned().collect();
        for mut csv in going {
            let finalizers = csv["metadata"]["finalizers"].as_array_mut();
            let Some(finalizers) = finalizers.filter(|it| it.contains(&json!("orphan"))) else {
                continue;
            };
            finalizers.retain(|it| it != "orphan");
            for object in self.objects.values_mut() {
                if let Some(metadata) = object["metadata"].as_object_mut() {
                    metadata.remove("ownerReferences");
                }
            }
            self.put(csv);
        }
        self.let_go();
    }

    /// Deletes the objects that have no finalizers and no owners, and simulates the reaction of OLM
    /// to each deletion.
    fn let_go(&mut self) {
        let is_free = |it: &Value| {
            let finalizers = it["metadata"]["finalizers"].as_array();
            it["metadata"]["deletionTimestamp"].is_string() && finalizers.is_none_or(Vec::is_empty)
        };
        let free: Vec<_> = self
            .objects
            .values()
            .filter(|it| is_free(it))
            .cloned()
            .collect();
        for csv in free {
            self.objects.remove(&ObjectRef::versioned(&csv));
            let webhooks = csv["spec"]["webhookdefinitions"].as_array();
            let mut webhooks = webhooks.into_iter().flatten();
            if webhooks.any(|it| it["type"] == "ConversionWebhook") {
                for definition in self
                    .objects
                    .values_mut()
                    .filter(|it| it["kind"] == "CustomResourceDefinition")
                {
                    definition["spec"]["conversion"] = json!({"strategy": "None"});
                }
            }
            self.objects
                .retain(|_, it| it["metadata"]["labels"]["olm.owner"] != csv["metadata"]["name"]);
        }
    }
}

fn patch(object: &mut Value, operation: &Value) {
    let path = operation["path"].as_str().expect("a path");
    let (parent, key) = path.rsplit_once('/').expect("a path");
    let key = key.replace("~1", "/").replace("~0", "~");
    let parent = object.pointer_mut(parent).expect("a place");
    let fields = parent.as_object_mut().expect("fields");
    match operation["op"].as_str() {
        Some("remove") => drop(fields.remove(&key).expect("a field")),
        _ => drop(fields.insert(key, operation["value"].clone())),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
