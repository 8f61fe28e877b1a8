//! The fields of a v2alpha1 Operator that are in an annotation of the stored object.

use portolan_api::components::STORED;
use serde_json::{Map, Value};

/// The maximum size in bytes of the annotation. All annotations of an object may have 256 KiB, and
/// other programs need some of this space.
pub const LARGEST: usize = 200 << 10;

/// The v2alpha1 spec and status, which are in an annotation of the v1 object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stored {
    pub spec: Option<Map<String, Value>>,
    /// The status without the v1 status. The v1 status stays in the field that OLM writes.
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

    /// Reads an object in version v1. If the annotation is missing or invalid, there is neither
    /// spec nor status.
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
