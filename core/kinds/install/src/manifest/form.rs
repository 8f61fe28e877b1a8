//! Checks that a manifest contains all required fields and no forbidden fields.

use portolan_api::SERVER_METADATA;
use portolan_core_names::object::split_api_version;
use portolan_core_names::text::listed;
use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::{Map, Value};

use super::canonical;
use crate::object::{items, text};

/// The maximum size of a manifest in bytes. By default, etcd accepts requests of this size, reduced
/// by the other parts of the request.
const LARGEST: usize = 1_572_864 - 4_096;
/// The maximum total size in bytes of the keys and values of an object's annotations.
const ANNOTATIONS: usize = 262_144;
/// The maximum size in bytes of the data of a ConfigMap or Secret.
const DATA: usize = 1_048_576;
/// The prefix of label and annotation keys that only Portolan writes.
const RESERVED: &str = "plans.portolan.dev/";

/// Returns the identity of the object that the manifest describes. Returns None if the identity is
/// incomplete.
pub(super) fn identity(manifest: &Value) -> Option<ObjectRef> {
    let (_, version) = split_api_version(text(manifest, "/apiVersion"));
    let identity = ObjectRef {
        kind: GroupKind::of(manifest),
        namespace: match text(manifest, "/metadata/namespace") {
            "" => None,
            namespace => Some(namespace.to_owned()),
        },
        name: text(manifest, "/metadata/name").to_owned(),
    };
    let says_all = !version.is_empty() && !identity.kind.kind.is_empty();
    (says_all && !identity.name.is_empty()).then_some(identity)
}

/// Returns all faults of a manifest in normal form, one sentence each.
pub(super) fn sentences(manifest: &Value) -> Vec<String> {
    let Some(fields) = manifest.as_object() else {
        return vec!["is not an object; write a manifest".to_owned()];
    };
    let kind = text(manifest, "/kind");
    if kind.ends_with("List") && manifest["items"].is_array() {
        return vec![format!(
            "is a {kind}; write each of its items as a resource"
        )];
    }
    let mut wrong = Vec::new();
    type_meta(manifest, &mut wrong);
    let metadata = fields.get("metadata").and_then(Value::as_object);
    names(manifest, metadata, &mut wrong);
    metadata_of_others(manifest, metadata, &mut wrong);
    if fields.contains_key("status") {
        let sentence =
            "has a status, which only the controller of the object writes; remove the status";
        wrong.push(sentence.to_owned());
    }
    sizes(manifest, kind, &mut wrong);
    wrong
}

fn type_meta(manifest: &Value, wrong: &mut Vec<String>) {
    let api_version = text(manifest, "/apiVersion");
    if api_version.is_empty() {
        wrong.push("has no apiVersion; write an API group and version, such as apps/v1".to_owned());
    } else {
        let mut parts = api_version.split('/');
        let is_well_formed =
            api_version.split('/').count() <= 2 && parts.all(|part| !part.is_empty());
        if !is_well_formed {
            let sentence = format!(
                "has an invalid apiVersion, {api_version:?}; write \
             group/version"
            );
            wrong.push(sentence);
        }
    }
    if text(manifest, "/kind").is_empty() {
        wrong.push("has no kind; write a kind, such as Deployment".to_owned());
    }
}

fn names(manifest: &Value, metadata: Option<&Map<String, Value>>, wrong: &mut Vec<String>) {
    let name = text(manifest, "/metadata/name");
    let generates = metadata.is_some_and(|metadata| metadata.contains_key("generateName"));
    match (name, generates) {
        (_, true) => {
            let sentence = "has metadata.generateName, which creates another object each time; \
                set metadata.name";
            wrong.push(sentence.to_owned());
        }
        ("", false) => wrong.push("has no name; write metadata.name".to_owned()),
        (name, false) if !is_segment(name) => {
            let sentence = format!("has the name {name:?}, which is invalid in a URL path");
            wrong.push(sentence);
        }
        (_, false) => {}
    }
    let namespace = text(manifest, "/metadata/namespace");
    if !namespace.is_empty() && !is_segment(namespace) {
        wrong.push(format!("has the invalid namespace {namespace:?}"));
    }
}

/// Returns true if the text may be a segment of a URL path.
fn is_segment(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '%'])
}

fn metadata_of_others(
    manifest: &Value,
    metadata: Option<&Map<String, Value>>,
    wrong: &mut Vec<String>,
) {
    let has = |name: &&str| metadata.is_some_and(|metadata| metadata.contains_key(*name));
    let of_the_server: Vec<_> = SERVER_METADATA.into_iter().filter(has).collect();
    if !of_the_server.is_empty() {
        let names = listed(of_the_server);
        let sentence =
            format!("has {names} in its metadata, which only the API server writes; remove");
        wrong.push(format!("{sentence} them"));
    }
    if !items(manifest, "/metadata/ownerReferences").is_empty() {
        let sentence = "has ownerReferences, so the object would be deleted with an object outside \
                        of the plan; remove the ownerReferences";
        wrong.push(sentence.to_owned());
    }
    for map in ["labels", "annotations"] {
        let keys = metadata.and_then(|metadata| metadata.get(map)?.as_object());
        let keys = keys.into_iter().flat_map(Map::keys);
        let mut reserved: Vec<_> = keys.filter(|key| key.starts_with(RESERVED)).collect();
        reserved.sort_unstable();
        if !reserved.is_empty() {
            let names = listed(reserved);
            wrong.push(format!(
                "has {names} in its {map}, which are reserved for InstallPlans; remove these keys"
            ));
        }
    }
}

fn sizes(manifest: &Value, kind: &str, wrong: &mut Vec<String>) {
    let stored = canonical(manifest).len() + owned_size(manifest, kind);
    if stored > LARGEST {
        wrong.push(format!(
            "has {stored} bytes with the names of its fields, but an API server stores at most \
             {LARGEST}; split the object"
        ));
    }
    let annotations = texts_size(manifest.pointer("/metadata/annotations"));
    if annotations > ANNOTATIONS {
        wrong.push(format!(
            "has {annotations} bytes of annotations; the maximum is {ANNOTATIONS}"
        ));
    }
    let is_core = text(manifest, "/apiVersion") == "v1";
    if is_core && matches!(kind, "ConfigMap" | "Secret") {
        let data = texts_size(manifest.get("data")) + texts_size(manifest.get("binaryData"));
        // Converts the size to the size of the decoded data. Base64 encodes three bytes as four
        // characters.
        let data = if kind == "Secret" { data / 4 * 3 } else { data };
        if data > DATA {
            wrong.push(format!("has {data} bytes of data; the maximum is {DATA}"));
        }
    }
}

fn texts_size(map: Option<&Value>) -> usize {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    let sizes = entries.map(|(key, text)| key.len() + text.as_str().map_or(0, str::len));
    sizes.sum()
}

/// Estimates the size of the managed fields that the API server stores with the object.
fn owned_size(manifest: &Value, kind: &str) -> usize {
    let (group, _) = split_api_version(text(manifest, "/apiVersion"));
    let all = fields_size(manifest);
    if GroupKind::new(group, kind).is_definition() {
        // The versions of a CRD, including their schemas, count as one field, because one field set
        // owns the whole list.
        let versions = manifest.pointer("/spec/versions");
        all - versions.map_or(0, fields_size)
    } else {
        all
    }
}

/// Estimates the size of the managed fields for all fields and list items that can have separate
/// owners.
fn fields_size(value: &Value) -> usize {
    /// The number of bytes that `"f:":{},` adds to each field name.
    const NAME: usize = 8;
    /// The number of bytes that `"k:{\"name\":\"\"}":{},` adds to the key of each list item.
    const ITEM: usize = 22;
    match value {
        Value::Object(fields) => {
            let sizes = fields
                .iter()
                .map(|(key, value)| key.len() + NAME + fields_size(value));
            sizes.sum()
        }
        Value::Array(items) => {
            // Only list items that are objects can have separate owners.
            let objects = items.iter().filter(|item| item.is_object());
            let sizes = objects.map(|item| {
                let name = text(item, "/name").len();
                ITEM + name + fields_size(item)
            });
            sizes.sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
