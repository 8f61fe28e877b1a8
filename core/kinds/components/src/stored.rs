//! The annotation of a stored Operator that contains the fields of v2alpha1.

use portolan_api::components::STORED;
use serde_json::{Map, Value};

/// The maximum size of the annotation in bytes. The API server allows 256 KiB for all annotations
/// of an object, and other programs need some of them.
pub const LARGEST: usize = 200 << 10;

/// The spec and the status of v2alpha1. An annotation of the v1 object contains them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stored {
    pub spec: Option<Map<String, Value>>,
    /// The status without the status of OLM. OLM writes its own status to the v1 object.
    pub status: Option<Map<String, Value>>,
}

// === impl Stored ===

impl Stored {
    /// Parses the annotation. Returns None if its content is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let Value::Object(mut fields) = serde_json::from_str(text).ok()? else {
            return None;
        };
        let mut field = |name: &str| match fields.remove(name) {
            None => Some(None),
            Some(Value::Object(value)) => Some(Some(value)),
            Some(_) => None,
        };
        let (spec, status) = (field("spec")?, field("status")?);
        fields.is_empty().then_some(Self { spec, status })
    }

    /// Reads an object of version v1. If the annotation is missing or invalid, neither spec nor
    /// status is set.
    pub fn of(object: &Value) -> Self {
        let text = object["metadata"]["annotations"][STORED].as_str();
        text.and_then(Self::parse).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.spec.is_none() && self.status.is_none()
    }

    /// Returns the value of the annotation.
    pub fn to_text(&self) -> String {
        let Self { spec, status } = self;
        let mut fields = Map::new();
        for (name, value) in [("spec", spec), ("status", status)] {
            let value = value.clone().map(|it| (name.to_owned(), Value::Object(it)));
            fields.extend(value);
        }
        Value::Object(fields).to_string()
    }
}
