//! The images of bundles that an InstallPlan is made from.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Stated, stated};
use crate::Condition;

/// While one of these is True, the steps of the bundle are not in the plan: its image is not
/// unpacked, or nobody has taken over yet what was in it.
const OPEN: [&str; 2] = ["BundleLookupPending", "BundleLookupNotPersisted"];

/// The image of a bundle that an InstallPlan is made from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BundleLookup {
    /// The name of the bundle.
    pub identifier: String,
    /// Its image.
    pub path: String,
    /// The bundle whose place it takes.
    pub replaces: String,
    /// The CatalogSource that it is from.
    pub catalog_source_ref: Option<CatalogSourceRef>,
    /// What it says of itself.
    #[serde(deserialize_with = "read_text")]
    pub properties: Stated,
    /// How far OLM is with it.
    pub conditions: Vec<Condition>,
}

/// Names a CatalogSource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CatalogSourceRef {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// Reads properties from a text where it stands.
struct Text;

// === impl BundleLookup ===

impl BundleLookup {
    /// Whether OLM is still about to find out what is in the image.
    pub fn is_pending(&self) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|each| OPEN.contains(&each.r#type.as_str()) && each.status == "True")
    }
}

fn read_text<'de, D: Deserializer<'de>>(from: D) -> Result<Stated, D::Error> {
    from.deserialize_str(Text)
}

// === impl Text ===

impl Visitor<'_> for Text {
    type Value = Stated;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("properties as a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Stated, E> {
        Ok(stated(text))
    }
}
