//! The catalog from which an Operator is installed, and the bundles that its Install contains.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The annotation that lists the bundles of an Install whose content comes from a catalog.
pub const BUNDLES: &str = "operators.portolan.dev/bundles";

/// The field `spec.updates.catalogSource` of an Operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The CatalogSource, as `NAMESPACE/NAME`.
    pub catalog: String,
    /// The package. Empty if only the entrypoint selects the bundle. In this case, the bundle is
    /// never updated.
    pub package: String,
    /// The channel. Empty for any channel.
    pub channel: String,
    /// The bundle with which the installation starts. Empty for the best bundle.
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

/// The bundles of an Install. The first is the bundle of the Operator itself, and the others are
/// its dependencies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    pub bundles: Vec<Bundle>,
    /// The moves that the last change began together, including moves of other Installs. Empty if
    /// the last change contained only one move.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub moves: BTreeSet<Move>,
}

/// The move of a package from one bundle to another.
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
    /// Returns a sentence about the fault in the spec.
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

    /// Returns true if only an entrypoint is set. In this case, the bundle is installed once and
    /// never updated.
    pub fn is_entrypoint_alone(&self) -> bool {
        self.package.is_empty()
    }

    /// Returns true if the spec selects this bundle: it names the package of the bundle, or only
    /// this bundle as the entrypoint.
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
    /// Reads the record from the annotation of an Install. Returns None if it does not match the
    /// content of the Install, for example because another client changed one of them.
    pub fn read(annotation: Option<&str>, content: &Value) -> Option<Self> {
        let record: Self = serde_json::from_str(annotation?).ok()?;
        (record.content() == *content && !record.bundles.is_empty()).then_some(record)
    }

    pub(crate) fn content(&self) -> Value {
        let images = self.bundles.iter().map(|it| &it.image);
        let entries = images.map(|image| json!({"type": "ManifestImage", "manifestImage": image}));
        Value::Array(entries.collect())
    }

    /// Returns the record as the value of the annotation.
    pub(crate) fn to_text(&self) -> String {
        json!(self).to_string()
    }
}
