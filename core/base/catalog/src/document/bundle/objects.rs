//! Reads the two types of properties that contain manifests. `olm.csv.metadata` contains the
//! displayed fields of a ClusterServiceVersion. `olm.bundle.object` contains a whole manifest, and
//! is parsed only if no other property contains the data.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::document::fields::Fields;
use crate::document::selection::{CSV_KEYS, SUBSTITUTES_FOR};
use crate::document::{LineDefect, ReadContext};
use crate::model::{Display, InstallMode};
use crate::node::{Node, Value};

/// The `olm.bundle.object` values of a bundle, each as the document contains it.
#[derive(Default)]
pub(super) struct Objects<'n> {
    values: Vec<&'n Value<'n>>,
}

/// The fields of a manifest that are read.
#[derive(Deserialize)]
struct ManifestFields {
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

    /// Returns true if the ClusterServiceVersion declares that it substitutes another
    /// ClusterServiceVersion. Returns None if the manifests were skipped.
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

/// Returns the manifest in the field `data`. Returns None if it cannot be read.
fn manifest(value: &Value<'_>) -> Option<ManifestFields> {
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

const MODE_KEYS: [&str; 2] = ["type", "supported"];

#[derive(Debug, Default)]
pub(super) struct CsvMetadata {
    pub(super) display: Display,
    /// True if the bundle declares that it substitutes another bundle.
    pub(super) is_substitute: bool,
}

pub(super) fn read_csv_metadata(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<CsvMetadata, LineDefect> {
    let fields = Fields::of("olm.csv.metadata", node, &CSV_KEYS, context)?;
    let text = |key| Ok(fields.text(key)?.filter(|text| !text.is_empty()));
    let mut install_modes = Vec::new();
    for mode in fields.list("installModes")? {
        let mode = Fields::of("an install mode", mode, &MODE_KEYS, context)?;
        install_modes.push(InstallMode {
            name: context.interner.text(mode.required_text("type")?),
            is_supported: matches!(
                mode.find("supported").map(|node| &node.value),
                Some(Value::Bool(true))
            ),
        });
    }
    install_modes.sort();
    let annotations = fields.find("annotations").map(|node| &node.value);
    let is_substitute = match annotations {
        Some(Value::Map(entries)) => entries.iter().any(|(key, _)| key == SUBSTITUTES_FOR),
        _ => false,
    };
    Ok(CsvMetadata {
        display: Display {
            name: text("displayName")?.map(|text| context.interner.text(text)),
            install_modes,
            min_kube_version: text("minKubeVersion")?.map(|text| context.interner.text(text)),
        },
        is_substitute,
    })
}
