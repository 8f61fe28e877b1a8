//! One document as it stands in a file: typed, but not yet believed.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, de};

/// The keys that any of our schemas has. What no answer needs is skipped unread.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Document {
    pub(crate) schema: Option<String>,
    pub(crate) package: Option<String>,
    pub(crate) name: Option<String>,
    #[serde(rename = "defaultChannel")]
    pub(crate) default_channel: Option<String>,
    #[serde(default)]
    pub(crate) entries: Vec<RawEntry>,
    #[serde(default)]
    pub(crate) properties: Vec<Property>,
}

/// An element of `entries` of a channel.
#[derive(Debug, Deserialize)]
pub(crate) struct RawEntry {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) replaces: Option<String>,
    #[serde(default)]
    pub(crate) skips: Vec<String>,
    #[serde(rename = "skipRange")]
    pub(crate) skip_range: Option<String>,
}

/// A property of a bundle, as far as the graph needs it.
#[derive(Debug)]
pub(crate) enum Property {
    /// `olm.package`: the version.
    Package(PackageProperty),
    /// Any other; its value was not kept.
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PackageProperty {
    pub(crate) version: Option<String>,
}

// === impl Property ===

impl<'de> Deserialize<'de> for Property {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PropertyVisitor)
    }
}

struct PropertyVisitor;

impl<'de> Visitor<'de> for PropertyVisitor {
    type Value = Property;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a property with `type` and `value`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Property, A::Error> {
        let mut kind: Option<String> = None;
        let mut value = None;
        // Only a value that stands before its type has to be kept until the type is known.
        let mut early = None;
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), kind.as_deref()) {
                ("type", _) => kind = Some(map.next_value()?),
                ("value", Some("olm.package")) => value = Some(map.next_value()?),
                ("value", None) => early = Some(map.next_value::<serde_json::Value>()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if kind.as_deref() != Some("olm.package") {
            return Ok(Property::Other);
        }
        match (value, early) {
            (Some(value), _) => Ok(Property::Package(value)),
            (None, Some(early)) => serde_json::from_value(early)
                .map(Property::Package)
                .map_err(de::Error::custom),
            (None, None) => Err(de::Error::missing_field("value")),
        }
    }
}
