//! Parses the files in `metadata`: annotations, properties and dependencies.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_catalog::Property;
use portolan_core_catalog::node::{Node, Value};
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::{Faults, find, scalar_text};
use crate::bundle::{LONGEST_JSON, PACKAGE};
use crate::csv::Csv;
use crate::fault::{BundleFault, Code};
use crate::folder::Folder;
use crate::go;
use crate::json;
use crate::typed::{self, Misfit};

const ANNOTATIONS: &str = "metadata/annotations.yaml";
/// The annotation of the ClusterServiceVersion that contains properties as JSON.
const PROPERTIES: &str = "olm.properties";

/// Returns the annotations in `metadata/annotations.yaml`. Upper and lower case in the keys
/// `annotations` and [`PACKAGE`] makes no difference, as in Go.
pub(super) fn annotations(folder: &Folder, faults: &mut Faults) -> BTreeMap<String, String> {
    let Some(bytes) = folder.file(ANNOTATIONS) else {
        faults.miss(ANNOTATIONS, Code::FileMissing, "the file is missing");
        return BTreeMap::new();
    };
    let file: Arc<str> = ANNOTATIONS.into();
    let mut annotations = BTreeMap::new();
    let document = faults.documents(&file, bytes).into_iter().next();
    let Some(list) = document.and_then(|document| entry(document, "annotations")) else {
        return annotations;
    };
    let Value::Map(entries) = list.value else {
        return annotations;
    };
    for (key, value) in entries {
        let key = if key.eq_ignore_ascii_case(PACKAGE) {
            Cow::Borrowed(PACKAGE)
        } else {
            key
        };
        match scalar_text(&value) {
            Some(text) => drop(annotations.insert(key.into_owned(), text)),
            None if value.value == Value::Null => {}
            None => {
                let (key, found) = (typed::shortened(&key), value.value.describe());
                let sentence = format!("`{key}` is {found}, not a text");
                faults.misfit(&file, Misfit::new(value.line, sentence));
            }
        }
    }
    annotations
}

fn entry<'a>(document: Node<'a>, wanted: &str) -> Option<Node<'a>> {
    let entries = document.value.into_map()?;
    let mut found = entries.into_iter().rev();
    found
        .find(|(key, _)| key.eq_ignore_ascii_case(wanted))
        .map(|(_, value)| value)
}

/// Returns the entries of `metadata/properties.yaml` or `metadata/dependencies.yaml`, with the path
/// of the file. Returns None if the file is missing or empty.
pub(super) fn list(
    folder: &Folder,
    name: &'static str,
    faults: &mut Faults,
) -> Option<(Vec<Property>, Arc<str>)> {
    let file: Arc<str> = format!("metadata/{name}.yaml").into();
    let bytes = folder.file(&file)?;
    if bytes.is_empty() {
        return None;
    }
    let mut listed = Vec::new();
    let document = faults.documents(&file, bytes).into_iter().next();
    if let Some(list) = document.and_then(|document| entry(document, name)) {
        let (line, found) = (list.line, list.value.describe());
        if let Value::List(items) = list.value {
            for item in &items {
                match property(item) {
                    Ok(property) => listed.push(property),
                    Err(misfit) => faults.misfit(&file, misfit),
                }
            }
        } else if list.value != Value::Null {
            let sentence = format!("`{name}` is {found}, not a list");
            faults.misfit(&file, Misfit::new(line, sentence));
        }
    }
    Some((listed, file))
}

fn property(node: &Node<'_>) -> Result<Property, Misfit> {
    let misfit = |sentence: &str| Misfit::new(node.line, sentence.to_owned());
    if !matches!(node.value, Value::Map(_)) {
        return Err(misfit("an entry is not an object with `type` and `value`"));
    }
    let kind = find(node, "type").and_then(scalar_text);
    let kind = kind.ok_or_else(|| misfit("an entry has no `type`"))?;
    let value = find(node, "value").map_or(Ok(Json::Null), json::whole)?;
    Ok(Property {
        kind: kind.into(),
        value: go::json(&value).into(),
    })
}

#[derive(Deserialize)]
struct Annotated<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
}

/// Returns the properties in the annotation, followed by the properties in the file, and stores all
/// of them in the annotation. If the annotation is invalid, adds a fault and returns None.
pub(super) fn merge_properties(
    csv: &mut Csv,
    file: &Option<(Vec<Property>, Arc<str>)>,
    faults: &mut Faults,
) -> Option<Vec<Property>> {
    let annotation = csv.annotations().get(PROPERTIES);
    if annotation.is_some_and(|text| text.len() > LONGEST_JSON) {
        let sentence = format!("the annotation `{PROPERTIES}` has more than {LONGEST_JSON} bytes");
        faults.add(BundleFault::error(
            &csv.file,
            csv.line,
            Code::TooMuch,
            sentence,
        ));
        return None;
    }
    let mut all = match annotation.map(|text| annotated(text)).transpose() {
        Ok(annotated) => annotated.unwrap_or_default(),
        Err(error) => {
            let sentence = format!("the annotation `{PROPERTIES}` is not a list: {error}");
            faults.add(BundleFault::error(
                &csv.file,
                csv.line,
                Code::Properties,
                sentence,
            ));
            return None;
        }
    };
    if let Some((listed, _)) = file {
        all.extend(listed.iter().cloned());
        let text = if all.is_empty() {
            "null".to_owned()
        } else {
            written(&all)
        };
        csv.annotate(PROPERTIES, text);
    }
    Some(all)
}

fn annotated(text: &str) -> serde_json::Result<Vec<Property>> {
    let list: Option<Vec<Annotated<'_>>> = serde_json::from_str(text)?;
    let list = list.unwrap_or_default().into_iter();
    let properties = list.map(|Annotated { kind, value }| Property {
        kind: kind.unwrap_or_default().into(),
        value: value.map_or_else(|| "null".into(), |value| go::compact(value.get()).into()),
    });
    Ok(properties.collect())
}

/// Formats properties as Go does. Keeps the order of keys in each value.
fn written(properties: &[Property]) -> String {
    let entries = properties.iter().map(|Property { kind, value }| {
        let kind = go::quoted(kind);
        format!("{{\"type\":{kind},\"value\":{value}}}")
    });
    format!("[{}]", entries.collect::<Vec<_>>().join(","))
}
