//! Converts Operators between v2alpha1 and v1. v1 is the stored version.
//!
//! A conversion may change only labels and annotations in the metadata, because the API server
//! rejects other changes. Therefore an annotation contains the fields that v1 lacks. The field
//! `status.v1` of v2alpha1 contains the status that OLM writes in v1.

use portolan_api::components::{GROUP, STORAGE, STORED, VERSION};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::stored::{LARGEST, Stored};

/// The field of a v2alpha1 status that contains the status of OLM.
const OLM: &str = "v1";

/// The reason why an object cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotConverted {
    #[error(
        "Operator {name} has the apiVersion {version:?}; only {GROUP}/{STORAGE} and \
         {GROUP}/{VERSION} can be converted"
    )]
    Version { name: String, version: String },
    #[error(
        "spec and status of Operator {name} have {bytes} bytes, but at most {LARGEST} bytes can be \
         stored; shorten the spec"
    )]
    Large { name: String, bytes: usize },
    #[error("spec and status of Operator {0} must be objects")]
    Form(String),
}

/// Converts an object to a version such as `operators.coreos.com/v1`.
///
/// # Errors
///
/// Returns an error if the object has an unknown version, or if its fields do not fit into the
/// annotation.
pub fn converted(object: &Value, wanted: &str) -> Result<Value, NotConverted> {
    let version = |version: &str| format!("{GROUP}/{version}");
    let (v1, v2) = (version(STORAGE), version(VERSION));
    let is = object["apiVersion"].as_str().unwrap_or_default();
    if is == wanted && (is == v1 || is == v2) {
        Ok(object.clone())
    } else if is == v2 && wanted == v1 {
        to_v1(object)
    } else if is == v1 && wanted == v2 {
        Ok(to_v2(object))
    } else {
        let other = if is == v1 || is == v2 { wanted } else { is };
        Err(NotConverted::Version {
            name: name(object),
            version: other.to_owned(),
        })
    }
}

fn name(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str();
    name.unwrap_or_default().to_owned()
}

/// Converts a v2alpha1 object to v1.
fn to_v1(object: &Value) -> Result<Value, NotConverted> {
    let spec = map(object, "spec")?;
    let mut status = map(object, "status")?;
    let olm = status.as_mut().and_then(|status| status.remove(OLM));
    // If a status contains only the v1 status, an earlier conversion generated it. It is not stored
    // again.
    let status = status.filter(|status| olm.is_none() || !status.is_empty());
    let stored = Stored { spec, status };
    let mut metadata = object["metadata"].clone();
    if !stored.is_empty() {
        let text = stored.to_text();
        if text.len() > LARGEST {
            return Err(NotConverted::Large {
                name: name(object),
                bytes: text.len(),
            });
        }
        if !metadata["annotations"].is_object() {
            metadata["annotations"] = json!({});
        }
        metadata["annotations"][STORED] = json!(text);
    }
    let mut v1 = json!({
        "apiVersion": format!("{GROUP}/{STORAGE}"),
        "kind": object["kind"],
        "metadata": metadata,
        "spec": {},
    });
    if let Some(olm) = olm {
        v1["status"] = olm;
    }
    Ok(v1)
}

/// Returns a field whose value is a JSON object. Returns None if the field is missing.
fn map(object: &Value, field: &str) -> Result<Option<Map<String, Value>>, NotConverted> {
    match &object[field] {
        Value::Null => Ok(None),
        Value::Object(value) => Ok(Some(value.clone())),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(NotConverted::Form(name(object)))
        }
    }
}

/// Converts a v1 object to v2alpha1. If the annotation is invalid, it stays in the object, so that
/// the object can still be read.
fn to_v2(object: &Value) -> Value {
    let text = object["metadata"]["annotations"][STORED].as_str();
    let stored = text.and_then(Stored::parse);
    let mut metadata = object["metadata"].clone();
    if stored.is_some() {
        take_off(&mut metadata);
    }
    let Stored { spec, mut status } = stored.unwrap_or_default();
    if !object["status"].is_null() {
        let status = status.get_or_insert_default();
        status.insert(OLM.to_owned(), object["status"].clone());
    }
    let mut v2 = json!({
        "apiVersion": format!("{GROUP}/{VERSION}"),
        "kind": object["kind"],
        "metadata": metadata,
    });
    for (field, value) in [("spec", spec), ("status", status)] {
        if let Some(value) = value {
            v2[field] = Value::Object(value);
        }
    }
    v2
}

fn take_off(metadata: &mut Value) {
    let Some(annotations) = metadata["annotations"].as_object_mut() else {
        return;
    };
    annotations.remove(STORED);
    if annotations.is_empty()
        && let Some(metadata) = metadata.as_object_mut()
    {
        metadata.remove("annotations");
    }
}
