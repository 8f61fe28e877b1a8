//! What OLM v0 holds of an operator: which objects these are, how they are written in a plan of ours, and
//! how OLM is made to let go of them.

mod wish;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::Account;
use portolan_core_certificate::{INJECT_CA_FROM, MADE};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use wish::adopting;

/// The label of a webhook configuration of OLM: the name that the author gave it.
const GENERATE_NAME: &str = "olm.webhook-description-generate-name";
/// What OLM keeps the certificate of its own authority under in the Secret of a webhook.
const OLM_AUTHORITY: &str = "olmCAKey";
/// Under which names OLM owns fields.
const MANAGERS: [&str; 3] = ["catalog", "olm", "olm.install"];
/// The labels and annotations that mean something to OLM alone, as long as it holds an object.
const MARKS: [&str; 9] = [
    "olm.copiedFrom",
    "olm.deployment-spec-hash",
    "olm.managed",
    "olm.owner",
    "olm.owner.kind",
    "olm.owner.namespace",
    "olm.permissions.hash",
    "olm.webhook-description-generate-name",
    "olm.webhook-description-hash",
];
/// How the keys of others begin.
const MARK_PREFIXES: [&str; 2] = [
    "operators.coreos.com/",
    "operatorframework.io/installed-alongside-",
];

/// What a plan takes over from OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Adopts {
    pub csv: CsvId,
    /// The Subscription as it was, with its name, labels, annotations and spec, as JSON; None if there
    /// was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// Who does it.
    pub account: (String, String),
    /// All that OLM has to let go of.
    pub objects: BTreeSet<ObjectId>,
    /// Of all of it as it was: where OLM has changed something since, it is taken over as it is then.
    pub digest: String,
}

/// A ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsvId {
    pub namespace: String,
    pub name: String,
    pub uid: String,
}

/// An object.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectId {
    pub api_version: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub name: String,
}

/// Which objects are to be looked at. Those that are not there are left out of the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiveQuery {
    /// As whom.
    pub account: Account,
    pub objects: BTreeSet<ObjectId>,
    /// And all that OLM has made for this one.
    pub owner: Option<CsvId>,
}

/// What a plan takes over, and under which names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Taken {
    pub(crate) manifests: Vec<Value>,
    pub(crate) renamed: BTreeMap<String, String>,
    pub(crate) objects: BTreeSet<ObjectId>,
}

impl Adopts {
    pub(crate) fn account(&self) -> Account {
        let (namespace, name) = self.account.clone();
        Account { namespace, name }
    }

    /// The Subscription as it was.
    pub(crate) fn subscription(&self) -> Option<Value> {
        serde_json::from_str(self.subscription.as_deref()?).ok()
    }
}

impl CsvId {
    pub fn object(&self) -> ObjectId {
        ObjectId::new(
            "operators.coreos.com/v1alpha1",
            "ClusterServiceVersion",
            Some(&self.namespace),
            &self.name,
        )
    }
}

impl ObjectId {
    pub fn new(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    pub fn of(object: &Value) -> Self {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str);
        Self::new(
            text("/apiVersion").unwrap_or_default(),
            text("/kind").unwrap_or_default(),
            text("/metadata/namespace"),
            text("/metadata/name").unwrap_or_default(),
        )
    }
}

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kind,
            namespace,
            name,
            ..
        } = self;
        match namespace {
            Some(namespace) => write!(f, "{kind} {namespace}/{name}"),
            None => write!(f, "{kind} {name}"),
        }
    }
}

/// Whether OLM has made an object with this metadata for a ClusterServiceVersion, or for one of its copies.
pub fn is_of(csv: &CsvId, metadata: &Value) -> bool {
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    let mut owners = owners.filter(|owner| owner["kind"] == "ClusterServiceVersion");
    let label = |key: &str| metadata["labels"][key].as_str();
    let is_labeled = label("olm.owner") == Some(&csv.name)
        && label("olm.owner.kind") == Some("ClusterServiceVersion")
        && [label("olm.owner.namespace"), label("olm.copiedFrom")].contains(&Some(&csv.namespace));
    is_labeled || owners.any(|owner| owner["uid"] == csv.uid)
}

/// What is taken over, of what a bundle renders to and of what is there: each object as it is, so that
/// nothing changes by it. What OLM has under another name than the bundle renders it to stays under that;
/// what is not there is made.
pub(crate) fn take(rendered: &[Value], live: &[Value], csv: &CsvId) -> Taken {
    let mut taken = Taken::default();
    let by_id: BTreeMap<_, _> = live.iter().map(|it| (ObjectId::of(it), it)).collect();
    for manifest in rendered {
        let id = ObjectId::of(manifest);
        match by_id.get(&id) {
            Some(live) => taken.push(meant_like(manifest, live)),
            None if is_named_by_olm(&id.kind) => {}
            None => taken.manifests.push(manifest.clone()),
        }
    }
    for (id, object) in by_id {
        if taken.objects.contains(&id) || !is_of(csv, &object["metadata"]) {
            continue;
        }
        match id.kind.as_str() {
            // Whose it becomes, those say who make certificates.
            "Secret" => drop(taken.objects.insert(id)),
            "OperatorCondition" | "ClusterServiceVersion" | "Subscription" | "InstallPlan" => {}
            _ => {
                let mut meant = meant(object);
                let given = object["metadata"]["labels"][GENERATE_NAME].as_str();
                let of_bundle = given.and_then(|given| {
                    let mut all = rendered.iter();
                    all.find(|it| it["kind"] == id.kind && it["metadata"]["name"] == given)
                });
                if let (Some(given), Some(rendered)) = (given, of_bundle) {
                    trust_like(rendered, &mut meant);
                    let key = format!("{}/{given}", id.kind);
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
        self.objects.insert(ObjectId::of(&manifest));
        self.manifests.push(manifest);
    }
}

/// The kinds of which OLM names the objects itself.
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

/// An object that is there under the name that the bundle gives it. The Pods of a Deployment are as OLM
/// wrote them, all of it, so that the next version can change all of it.
fn meant_like(rendered: &Value, live: &Value) -> Value {
    if rendered["kind"] != "Deployment" && contains(live, rendered) {
        return rendered.clone();
    }
    let mut meant = meant(live);
    trust_like(rendered, &mut meant);
    meant
}

/// Has an object trust the certificate that its rendered form names.
fn trust_like(rendered: &Value, manifest: &mut Value) {
    let name = &rendered["metadata"]["annotations"][INJECT_CA_FROM];
    if name.is_string() {
        manifest["metadata"]["annotations"][INJECT_CA_FROM] = name.clone();
    }
}

/// An object as somebody would write it who means what is there.
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
        let kept = known.into_iter().flatten().filter(|(key, _)| !is_mark(key));
        let kept = kept.filter(|(key, _)| !key.starts_with("deployment.kubernetes.io/"));
        let kept: Map<_, _> = kept
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !kept.is_empty() {
            metadata.insert(key.to_owned(), Value::Object(kept));
        }
    }
    fields.insert("metadata".to_owned(), Value::Object(metadata));
    // Who makes certificates says whom to trust.
    let config = meant.pointer_mut("/spec/conversion/webhook/clientConfig");
    forget_authority(config);
    forget_authority(meant.get_mut("spec"));
    let webhooks = meant.get_mut("webhooks").and_then(Value::as_array_mut);
    for webhook in webhooks.into_iter().flatten() {
        forget_authority(webhook.get_mut("clientConfig"));
    }
    // Which Secrets a ServiceAccount has, the cluster says.
    if meant["kind"] == "ServiceAccount" {
        meant.as_object_mut().map(|fields| fields.remove("secrets"));
    }
    // Which address a Service has, too.
    if meant["kind"] == "Service"
        && let Some(spec) = meant.get_mut("spec").and_then(Value::as_object_mut)
    {
        spec.retain(|key, _| matches!(key.as_str(), "ports" | "selector" | "type"));
    }
    meant
}

fn forget_authority(place: Option<&mut Value>) {
    if let Some(fields) = place.and_then(Value::as_object_mut) {
        fields.remove("caBundle");
    }
}

/// Whether an object has all that a manifest has, with the same values.
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

/// Whether a field with this value may be left out just as well.
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

fn is_mark(key: &str) -> bool {
    MARKS.contains(&key) || key == "olmcahash" || MARK_PREFIXES.iter().any(|it| key.starts_with(it))
}

/// What is patched of an object so that OLM has nothing to do with it any more; nothing if it has not.
pub(crate) fn disown(object: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    for map in ["labels", "annotations"] {
        let known = object["metadata"][map].as_object();
        let marks = known.into_iter().flatten().filter(|(key, _)| is_mark(key));
        operations.extend(marks.map(|(key, _)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            json!({"op": "remove", "path": format!("/metadata/{map}/{key}")})
        }));
    }
    let of_olm = |owner: &Value| {
        let version = owner["apiVersion"].as_str().unwrap_or_default();
        owner["kind"] == "ClusterServiceVersion" && version.starts_with("operators.coreos.com/")
    };
    operations.extend(without(object, "ownerReferences", of_olm));
    let is_manager = |entry: &Value| {
        let manager = entry["manager"].as_str();
        manager.is_some_and(|manager| MANAGERS.contains(&manager))
    };
    operations.extend(without(object, "managedFields", is_manager));
    operations
}

/// A list of the metadata without some of its items; None if it has none of these.
fn without(object: &Value, list: &str, goes: impl Fn(&Value) -> bool) -> Option<Value> {
    let items = object["metadata"][list].as_array()?;
    let kept: Vec<_> = items.iter().filter(|item| !goes(item)).cloned().collect();
    (kept.len() < items.len())
        .then(|| json!({"op": "replace", "path": format!("/metadata/{list}"), "value": kept}))
}

/// What is patched of a Secret that OLM made, so that who makes certificates has it from now on; nothing
/// if it is no such Secret, or has been done.
pub(crate) fn hand_over_certificate(secret: &Value) -> Vec<Value> {
    let is_of_olm = secret["data"].get(OLM_AUTHORITY).is_some();
    if secret["kind"] != "Secret" || !is_of_olm {
        return Vec::new();
    }
    let mut operations = disown(secret);
    if secret["metadata"]["labels"][MADE] != "true" {
        let key = MADE.replace('/', "~1");
        if !secret["metadata"]["labels"].is_object() {
            operations.push(json!({"op": "add", "path": "/metadata/labels", "value": {}}));
        }
        let path = format!("/metadata/labels/{key}");
        operations.push(json!({"op": "add", "path": path, "value": "true"}));
    }
    operations
}

/// What is patched of a ClusterServiceVersion before it goes, so that OLM does not take from definitions
/// by whom their objects are converted; nothing if it converts none.
pub(crate) fn without_conversions(csv: &Value) -> Vec<Value> {
    let Some(webhooks) = csv["spec"]["webhookdefinitions"].as_array() else {
        return Vec::new();
    };
    let kept = webhooks
        .iter()
        .filter(|it| it["type"] != "ConversionWebhook");
    let kept: Vec<_> = kept.cloned().collect();
    if kept.len() == webhooks.len() {
        return Vec::new();
    }
    vec![json!({"op": "replace", "path": "/spec/webhookdefinitions", "value": kept})]
}
