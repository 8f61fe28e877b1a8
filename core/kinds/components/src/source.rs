//! The catalog from which an Operator is installed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The annotation of an Install with the bundles in its content, if the content comes from a
/// catalog.
pub const BUNDLES: &str = "operators.portolan.dev/bundles";

/// The content of `spec.updates.catalogSource`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The CatalogSource, as NAMESPACE/NAME.
    pub catalog: String,
    /// The package. Empty if only the entrypoint selects the bundle. Such a bundle is never
    /// updated.
    pub package: String,
    /// The channel. Empty for any channel.
    pub channel: String,
    /// The name of the first bundle. Empty for the best bundle.
    pub entrypoint: String,
    /// True if each update needs an approval.
    pub is_manual: bool,
}

/// A bundle that an Install contains or should contain.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Bundle {
    pub package: String,
    pub name: String,
    pub version: String,
    pub image: String,
    /// The catalog and the channel from which the bundle was taken.
    pub catalog: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub channel: String,
}

/// The bundles of an Install. The first bundle is the bundle of its Operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    pub bundles: Vec<Bundle>,
    /// The moves that were begun together in the last change, including moves of other Installs.
    /// Empty if there was only one move.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub moves: BTreeSet<Move>,
}

/// A move of one package from a bundle to another.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Move {
    pub package: String,
    pub from: String,
    pub to: String,
}

// === impl Source ===

impl Source {
    /// Reads the spec of an Operator. Returns None if the spec names no catalog.
    ///
    /// # Errors
    ///
    /// Returns the fault in the spec.
    pub fn of(spec: Option<&Map<String, Value>>) -> Option<Result<Self, String>> {
        let updates = spec?.get("updates")?;
        let is_catalog = updates["type"] == "CatalogSource";
        is_catalog.then(|| Self::parse(&updates["catalogSource"]))
    }

    fn parse(source: &Value) -> Result<Self, String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let reference = &source["ref"];
        let [namespace, name] = ["namespace", "name"].map(|field| text(&reference[field]));
        if namespace.is_empty() || name.is_empty() {
            return Err(
                "spec.updates.catalogSource.ref is incomplete; write name and namespace".to_owned(),
            );
        }
        let [package, channel, entrypoint] =
            ["package", "channel", "entrypoint"].map(|field| text(&source[field]));
        if package.is_empty() && entrypoint.is_empty() {
            return Err(
                "spec.updates.catalogSource names neither a package nor an entrypoint; write one \
                 of the two fields"
                    .to_owned(),
            );
        }
        if package.is_empty() && !channel.is_empty() {
            return Err(
                "spec.updates.catalogSource.channel needs a package; write the package, or remove \
                 the channel"
                    .to_owned(),
            );
        }
        let is_manual = match source["approval"].as_str().unwrap_or_default() {
            "" | "Automatic" => false,
            "Manual" => true,
            other => {
                return Err(format!(
                    "spec.updates.catalogSource.approval is {other}; write Automatic or Manual"
                ));
            }
        };
        Ok(Self {
            catalog: format!("{namespace}/{name}"),
            package,
            channel,
            entrypoint,
            is_manual,
        })
    }

    /// Returns true if the bundle is installed once and never updated.
    pub fn is_entrypoint_alone(&self) -> bool {
        self.package.is_empty()
    }

    /// Returns true if the author specifies the package of this bundle in any version, or specifies
    /// exactly this bundle as the only entrypoint.
    pub(crate) fn names(&self, bundle: &Bundle) -> bool {
        if self.is_entrypoint_alone() {
            bundle.name == self.entrypoint
        } else {
            bundle.package == self.package
        }
    }
}

// === impl Record ===

impl Record {
    /// Returns the record of an Install with this annotation and this content. Returns None if the
    /// annotation does not match the content, for example after a change by another program.
    pub fn read(annotation: Option<&str>, content: &Value) -> Option<Self> {
        let record: Self = serde_json::from_str(annotation?).ok()?;
        (record.content() == *content && !record.bundles.is_empty()).then_some(record)
    }

    pub(crate) fn content(&self) -> Value {
        let images = self.bundles.iter().map(|it| &it.image);
        let entries = images.map(|image| json!({"type": "ManifestImage", "manifestImage": image}));
        Value::Array(entries.collect())
    }

    /// Returns the text of the annotation.
    pub(crate) fn to_text(&self) -> String {
        json!(self).to_string()
    }
}
