//! What an operator brings and needs, in the words of OLM.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

/// An operator, as its objects tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The name of its bundle.
    pub name: String,
    /// Its version; empty if the objects do not tell.
    pub version: String,
    /// Its package; empty if the objects do not tell.
    pub package: String,
    /// The APIs that it brings.
    pub provides: BTreeSet<Api>,
    /// What it needs beside itself.
    pub requires: Requires,
    /// All its properties, for rules in constraints of others.
    pub properties: Vec<Property>,
}

/// What a bundle says of itself under some type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Property {
    /// The type, such as `olm.gvk`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value.
    #[serde(default)]
    pub value: Value,
}

/// An API, by its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Api {
    /// Its group; empty for the core of Kubernetes.
    pub group: String,
    /// Its version.
    pub version: String,
    /// Its kind.
    pub kind: String,
}

/// What an operator needs beside itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requires {
    /// APIs.
    pub apis: BTreeSet<Api>,
    /// Packages.
    pub packages: Vec<RequiredPackage>,
    /// Compound constraints, as JSON.
    pub constraints: Vec<String>,
}

/// A package that an operator needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequiredPackage {
    /// Its name.
    #[serde(rename = "packageName")]
    pub name: String,
    /// The versions, in the words of the author.
    #[serde(rename = "versionRange")]
    pub range: String,
}

// === impl Api ===

impl Api {
    pub(crate) fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// Whether it says enough to be told from others.
    pub(crate) fn is_whole(&self) -> bool {
        !self.version.is_empty() && !self.kind.is_empty()
    }
}

// === impl Property ===

impl Property {
    pub(crate) fn of(kind: &str, api: &Api) -> Self {
        let Api {
            group,
            version,
            kind: name,
        } = api;
        Self {
            kind: kind.to_owned(),
            value: json!({"group": group, "version": version, "kind": name}),
        }
    }
}
