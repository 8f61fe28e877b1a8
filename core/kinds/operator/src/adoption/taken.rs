//! Turns the existing objects of an operator into manifests of a plan.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{DIGEST, LINEAGE};
use portolan_core_certificate::INJECT_CA_FROM;
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Map, Value};

use super::released::is_mark;
use super::{CsvId, is_of};

/// The label that OLM sets on webhook configurations. Its value is the webhook name from the
/// bundle.
const GENERATE_NAME: &str = "olm.webhook-description-generate-name";
/// The manifests of the objects that a plan adopts, and the names of these objects.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Taken {
    pub(crate) manifests: Vec<Value>,
    pub(crate) renamed: BTreeMap<String, String>,
    pub(crate) objects: BTreeSet<ObjectRef<Gvk>>,
}

/// Builds the manifests of a plan from the rendered bundle and the live objects. A live object
/// keeps its current content, and also its name, which OLM may have generated. The plan creates
/// missing objects from the bundle.
pub(crate) fn take(rendered: &[Value], live: &[Value], csv: &CsvId) -> Taken {
    let mut taken = Taken::default();
    let by_id: BTreeMap<_, _> = live
        .iter()
        .map(|it| (ObjectRef::versioned(it), it))
        .collect();
    for manifest in rendered {
        let id = ObjectRef::versioned(manifest);
        match by_id.get(&id) {
            Some(live) => taken.push(meant_like(manifest, live)),
            None if is_named_by_olm(&id.kind.kind) => {}
            None => taken.manifests.push(manifest.clone()),
        }
    }
    for (id, object) in by_id {
        if taken.objects.contains(&id) || !is_of(csv, &object["metadata"]) {
            continue;
        }
        match id.kind.kind.as_str() {
            // The certificate controller manages the Secret from now on, so the plan does not
            // contain it.
            "Secret" => drop(taken.objects.insert(id)),
            "OperatorCondition" | "ClusterServiceVersion" | "Subscription" | "InstallPlan" => {}
            _ => {
                let mut meant = meant(object);
                let given = object["metadata"]["labels"][GENERATE_NAME].as_str();
                let of_bundle = given.and_then(|given| {
                    let mut all = rendered.iter();
                    all.find(|it| it["kind"] == id.kind.kind && it["metadata"]["name"] == given)
                });
                if let (Some(given), Some(rendered)) = (given, of_bundle) {
                    trust_like(rendered, &mut meant);
                    let key = format!("{}/{given}", id.kind.kind);
                    taken.renamed.insert(key, id.name.clone());
                }
                taken.push(meant);
            }
        }
    }
    taken
}

impl Taken {
    fn push(&mut self, manifest: Value) {
        self.objects.insert(ObjectRef::versioned(&manifest));
        self.manifests.push(manifest);
    }
}

/// Returns true if OLM generates the names of objects of this kind.
fn is_named_by_olm(kind: &str) -> bool {
    let kinds = [
        "ClusterRole",
        "ClusterRoleBinding",
        "MutatingWebhookConfiguration",
        "Role",
        "RoleBinding",
        "ValidatingWebhookConfiguration",
    ];
    kinds.contains(&kind)
}

/// Returns the manifest of an object that has the same name in the bundle and in the cluster. If
/// the live object has all fields of the bundle's manifest, this is the bundle's manifest.
/// Otherwise, the manifest is made from the live object. A Deployment always keeps the content that
/// OLM has written, so that the next version can change every field.
fn meant_like(rendered: &Value, live: &Value) -> Value {
    if rendered["kind"] != "Deployment" && contains(live, rendered) {
        return rendered.clone();
    }
    let mut meant = meant(live);
    trust_like(rendered, &mut meant);
    meant
}

/// Copies the annotation that names the CA certificate from the rendered object to the manifest of
/// the live object. The certificate controller then injects this certificate.
fn trust_like(rendered: &Value, manifest: &mut Value) {
    let name = &rendered["metadata"]["annotations"][INJECT_CA_FROM];
    if name.is_string() {
        manifest["metadata"]["annotations"][INJECT_CA_FROM] = name.clone();
    }
}

/// Returns the manifest that a plan must apply to get this live object.
fn meant(live: &Value) -> Value {
    let mut meant = live.clone();
    let Some(fields) = meant.as_object_mut() else {
        return meant;
    };
    fields.remove("status");
    let mut metadata = Map::new();
    for key in ["name", "namespace"] {
        let value = live["metadata"].get(key);
        metadata.extend(value.map(|value| (key.to_owned(), value.clone())));
    }
    for key in ["labels", "annotations"] {
        let known = live["metadata"][key].as_object();
        let known = known.into_iter().flatten();
        let kept = known.filter(|(key, _)| !is_mark(key) && !is_written(key));
        let kept: Map<_, _> = kept
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !kept.is_empty() {
            metadata.insert(key.to_owned(), Value::Object(kept));
        }
    }
    fields.insert("metadata".to_owned(), Value::Object(metadata));
    // The certificate controller sets the CA bundle, so the manifest does not contain it.
    let config = meant.pointer_mut("/spec/conversion/webhook/clientConfig");
    forget_authority(config);
    forget_authority(meant.get_mut("spec"));
    let webhooks = meant.get_mut("webhooks").and_then(Value::as_array_mut);
    for webhook in webhooks.into_iter().flatten() {
        forget_authority(webhook.get_mut("clientConfig"));
    }
    // The cluster sets the Secrets of a ServiceAccount, so the manifest does not contain them.
    if meant["kind"] == "ServiceAccount" {
        meant.as_object_mut().map(|fields| fields.remove("secrets"));
    }
    // The cluster sets the IP address of a Service, so the manifest does not contain it.
    if meant["kind"] == "Service"
        && let Some(spec) = meant.get_mut("spec").and_then(Value::as_object_mut)
    {
        spec.retain(|key, _| matches!(key.as_str(), "ports" | "selector" | "type"));
    }
    meant
}

/// Returns true if a controller writes the label or annotation. This is the Deployment controller,
/// or the plan controller for a plan that managed the object before.
fn is_written(key: &str) -> bool {
    key.starts_with("deployment.kubernetes.io/") || key == LINEAGE.name() || key == DIGEST
}

fn forget_authority(place: Option<&mut Value>) {
    if let Some(fields) = place.and_then(Value::as_object_mut) {
        fields.remove("caBundle");
    }
}

/// Returns true if an object contains all fields of a manifest with the same values.
fn contains(object: &Value, manifest: &Value) -> bool {
    match (object, manifest) {
        (Value::Object(object), Value::Object(manifest)) => {
            let annotations = |key: &str| key == INJECT_CA_FROM;
            let mut all = manifest.iter().filter(|(key, _)| !annotations(key));
            all.all(|(key, value)| match object.get(key) {
                Some(there) => contains(there, value),
                None => is_nothing(value),
            })
        }
        (Value::Array(object), Value::Array(manifest)) => {
            object.len() == manifest.len()
                && object
                    .iter()
                    .zip(manifest)
                    .all(|(one, other)| contains(one, other))
        }
        (object, manifest) => object == manifest,
    }
}

/// Returns true if a value is null or empty. A field with such a value may be missing in the live
/// object.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields
            .iter()
            .all(|(key, value)| key == INJECT_CA_FROM || is_nothing(value)),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
