//! `olm.bundle.object`: manifests, looked into only where nothing else can tell.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::document::wanted::SUBSTITUTES_FOR;
use crate::node::{Node, Value};

/// The manifests of a bundle, each as it stands in the document.
#[derive(Default)]
pub(super) struct Objects<'n> {
    values: Vec<&'n Value<'n>>,
}

/// As much of a manifest as matters.
#[derive(Deserialize)]
struct Manifest {
    kind: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    annotations: Option<BTreeMap<String, IgnoredAny>>,
}

// === impl Objects ===

impl<'n> Objects<'n> {
    pub(super) fn add(&mut self, node: &'n Node<'_>) {
        self.values.push(&node.value);
    }

    pub(super) fn are_there(&self) -> bool {
        !self.values.is_empty()
    }

    /// Whether the ClusterServiceVersion among them says that it takes the place of another one;
    /// None if they were passed over.
    pub(super) fn is_substitute(&self) -> Option<bool> {
        let was_skipped = |value: &&Value<'_>| matches!(value, Value::Skipped | Value::Null);
        if self.values.iter().any(was_skipped) {
            return None;
        }
        let csv = self
            .values
            .iter()
            .filter_map(|value| manifest(value))
            .find(|manifest| manifest.kind.as_deref() == Some("ClusterServiceVersion"));
        let annotations = csv.and_then(|csv| csv.metadata.annotations);
        Some(annotations.is_some_and(|annotations| annotations.contains_key(SUBSTITUTES_FOR)))
    }
}

/// The manifest under `data`; None for whatever is none.
fn manifest(value: &Value<'_>) -> Option<Manifest> {
    let Value::Map(entries) = value else {
        return None;
    };
    let (_, node) = entries.iter().find(|(key, _)| key == "data")?;
    let Value::Text(data) = &node.value else {
        return None;
    };
    let json = STANDARD.decode(data.as_bytes()).ok()?;
    serde_json::from_slice(&json).ok()
}
