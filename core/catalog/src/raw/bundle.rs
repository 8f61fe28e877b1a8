//! The properties and manifests of a bundle.

use super::base64::decode;
use super::{ReadRaw, fault, fields, read, tree};
use crate::document::{Content, LineTrouble};
use crate::node::Node;
use crate::{Fault, Limits, Property, model};

/// All that a document says of a bundle beside its images.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The properties in their order, but for those that hold manifests or what people see.
    pub properties: Vec<Property>,
    /// The value of its `olm.csv.metadata` as canonical JSON: the parts of the
    /// ClusterServiceVersion that people see.
    pub csv_metadata: Option<String>,
    /// The manifests from its `olm.bundle.object` as canonical JSON, in their order.
    pub manifests: Vec<String>,
    /// Manifests that are none, each at its line.
    pub faults: Vec<Fault>,
}

// === impl Bundle ===

impl Bundle {
    /// Reads the document of a bundle that is known.
    ///
    /// # Errors
    ///
    /// [`ReadRaw::Changed`] if the model would not read the very same bundle from the bytes.
    /// Manifests are no part of the model: a difference in them alone is no change.
    pub fn of(bytes: &[u8], known: &model::Bundle, limits: &Limits) -> Result<Self, ReadRaw> {
        let place = &known.place;
        let (document, package, content) = read(bytes, place, limits)?;
        if !matches!(content, Content::Bundle(bundle) if *bundle == *known) {
            return Err(ReadRaw::Changed(place.clone()));
        }
        let mut raw = Self::default();
        let properties = fields("olm.bundle", &document).and_then(|all| all.list("properties"));
        let taken = properties
            .unwrap_or_default()
            .iter()
            .map(|property| raw.take(property, limits));
        let errors: Vec<_> = taken.filter_map(Result::err).collect();
        let fault = |error| Fault {
            subject: format!("bundle {}", known.name),
            ..fault(place, Some(&package), error)
        };
        raw.faults = errors.into_iter().map(fault).collect();
        Ok(raw)
    }

    fn take(&mut self, property: &Node<'_>, limits: &Limits) -> Result<(), LineTrouble> {
        let property = fields("a property", property)?;
        let value = property
            .find("value")
            .ok_or_else(|| property.missing("value"))?;
        match property.required_text("type")? {
            "olm.bundle.object" => self.manifests.push(manifest(value, limits)?),
            "olm.csv.metadata" => {
                let json = || value.value.canonical_json();
                self.csv_metadata.get_or_insert_with(json);
            }
            kind => self.properties.push(Property {
                kind: kind.into(),
                value: value.value.canonical_json().into(),
            }),
        }
        Ok(())
    }
}

/// A manifest, which may be written in YAML like any other.
fn manifest(value: &Node<'_>, limits: &Limits) -> Result<String, LineTrouble> {
    let bytes = decode(&fields("olm.bundle.object", value)?, "data")?;
    let tree = tree(bytes.trim_ascii_start(), 1, limits).map_err(|broken| LineTrouble {
        line: value.line,
        trouble: broken.cause.into(),
    })?;
    Ok(tree.value.canonical_json())
}
