//! The content of an Install: manifests out of what its author wrote, each in its namespace.

use std::collections::BTreeMap;

use portolan_api::installs::{Content, Mapping, Resolved};
use portolan_core_install::{Discovery, Kind, digest};
use portolan_core_names::text::one_line;
use serde_json::{Value, json};

/// Where what names no namespace is, as for kubectl.
const DEFAULT: &str = "default";
/// The most manifests of one Install.
const MOST: usize = 1000;

/// The content, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// All manifests, as they are written.
    pub manifests: Vec<Value>,
    /// One for each entry.
    pub resolved: Vec<Resolved>,
}

/// The manifests of all entries.
///
/// # Errors
/// All that is wrong with them, a sentence each with its place.
pub fn import(content: &[Content]) -> Result<Imported, Vec<String>> {
    let (mut imported, mut faults) = (Imported::default(), Vec::new());
    for (at, entry) in content.iter().enumerate() {
        let place = format!("spec.content[{at}].raw");
        let Content::Raw(raw) = entry;
        match documents(raw).map(flattened) {
            Ok(manifests) => imported.take(&place, manifests, &mut faults),
            Err(sentence) => faults.push(format!("{place} {sentence}")),
        }
    }
    if imported.manifests.len() > MOST {
        let count = imported.manifests.len();
        faults.push(format!(
            "spec.content has {count} manifests, and the most are {MOST}; make several Installs of it"
        ));
    }
    if faults.is_empty() {
        Ok(imported)
    } else {
        Err(faults)
    }
}

impl Imported {
    fn take(&mut self, place: &str, manifests: Vec<Value>, faults: &mut Vec<String>) {
        if manifests.is_empty() {
            faults.push(format!("{place} has no manifest; write at least one"));
        }
        let wrong = manifests.iter().enumerate().filter_map(|(at, manifest)| {
            let sentence = fault(manifest)?;
            Some(format!("{place}, manifest {}: {sentence}", at + 1))
        });
        faults.extend(wrong);
        self.resolved.push(Resolved {
            type_: "Raw".to_owned(),
            digest: digest(&json!(manifests)),
            objects: i64::try_from(manifests.len()).unwrap_or(i64::MAX),
        });
        self.manifests.extend(manifests);
    }
}

/// The documents of a text, or the one that is written as an object.
fn documents(raw: &Value) -> Result<Vec<Value>, String> {
    let Some(text) = raw.as_str() else {
        return Ok(vec![raw.clone()]);
    };
    let read = serde_saphyr::from_multiple::<Value>(text);
    let read = read.map_err(|error| format!("is no YAML: {}", one_line(&error.to_string())))?;
    Ok(read.into_iter().filter(|it| !it.is_null()).collect())
}

/// The manifests, those of a list one by one.
fn flattened(documents: Vec<Value>) -> Vec<Value> {
    let mut manifests = Vec::new();
    for document in documents {
        let is_list = document["kind"] == "List" && document["apiVersion"] == "v1";
        match document["items"].as_array() {
            Some(items) if is_list => manifests.extend(items.iter().cloned()),
            Some(_) | None => manifests.push(document),
        }
    }
    manifests
}

/// What is wrong with a manifest. What else there may be, a plan tells.
fn fault(manifest: &Value) -> Option<String> {
    if !manifest.is_object() {
        return Some("it is no object with apiVersion, kind and metadata".to_owned());
    }
    for field in ["/apiVersion", "/kind", "/metadata/name"] {
        let text = manifest.pointer(field).and_then(Value::as_str);
        if text.is_none_or(str::is_empty) {
            let field = field.trim_start_matches('/').replace('/', ".");
            return Some(format!("{field} is missing"));
        }
    }
    let is_secret = manifest["kind"] == "Secret" && manifest["apiVersion"] == "v1";
    is_secret.then(|| {
        "it is a Secret, which whoever sees the Install would read; write it into its namespace by \
         another way"
            .to_owned()
    })
}

/// The manifests in the namespaces that they are installed into. Kinds that nobody serves are left as they are.
pub(crate) fn placed(manifests: &[Value], mapping: &Mapping, discovery: &Discovery) -> Vec<Value> {
    let defined = defined(manifests);
    let placed = manifests.iter().map(|manifest| {
        let kind = Kind::of(manifest);
        let served = discovery.kind(&kind).map(|served| served.is_namespaced);
        let is_namespaced = served.or_else(|| defined.get(&kind).copied());
        let mut manifest = manifest.clone();
        let namespace = &manifest["metadata"]["namespace"];
        let is_open = namespace.is_null() || namespace == "";
        if is_namespaced == Some(true) && is_open {
            manifest["metadata"]["namespace"] = json!(DEFAULT);
        }
        mapped(manifest, mapping)
    });
    placed.collect()
}

/// The kinds that the manifests define, each with whether its objects lie in namespaces.
pub(crate) fn defined(manifests: &[Value]) -> BTreeMap<Kind, bool> {
    let definitions = manifests.iter().filter(|it| Kind::of(it).is_definition());
    let kinds = definitions.map(portolan_core_install::defined);
    kinds
        .map(|(kind, served)| (kind, served.is_namespaced))
        .collect()
}

/// Replaces every field that names a namespace: of the object itself, of who gets rights, and of Services.
fn mapped(mut manifest: Value, mapping: &Mapping) -> Value {
    const FIELDS: [&str; 3] = [
        "/metadata/namespace",
        "/spec/service/namespace",
        "/spec/conversion/webhook/clientConfig/service/namespace",
    ];
    for field in FIELDS {
        rename(manifest.pointer_mut(field), mapping);
    }
    for subject in items(&mut manifest, "subjects") {
        rename(subject.get_mut("namespace"), mapping);
    }
    for webhook in items(&mut manifest, "webhooks") {
        rename(
            webhook.pointer_mut("/clientConfig/service/namespace"),
            mapping,
        );
    }
    if Kind::of(&manifest).is_namespace() {
        rename(manifest.pointer_mut("/metadata/name"), mapping);
    }
    manifest
}

fn items<'m>(manifest: &'m mut Value, field: &str) -> impl Iterator<Item = &'m mut Value> {
    let list = manifest.get_mut(field).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn rename(field: Option<&mut Value>, mapping: &Mapping) {
    if let Some(Value::String(name)) = field {
        *name = mapping.of(name).to_owned();
    }
}
