//! One bundle, whole.

use std::sync::Arc;

use portolan_catalog::{Bundle, Catalog, Fault, Reading};
use portolan_names::BundleName;
use portolan_proto::registry as pb;

use super::ReadRegistry;
use super::document::{Csv, Document, excerpt};

/// A bundle as its registry has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The bundle, with what its CSV says for people to see.
    pub bundle: Arc<Bundle>,
    /// Type and JSON of each property. Registries keep those back that hold manifests.
    pub properties: Vec<(String, String)>,
    /// The ClusterServiceVersion as JSON; None if the catalog has neither it nor its metadata.
    /// Registries make one of the metadata, without what it would install; a CSV that can be
    /// installed has `spec.install.spec`.
    pub csv: Option<String>,
    /// The manifests as JSON. Of a bundle with an image they are most often not there, or only the
    /// CSV is.
    pub objects: Vec<String>,
}

// === impl Offer ===

impl Offer {
    pub(super) fn decode(told: &pb::Bundle, name: &BundleName) -> Result<Self, ReadRegistry> {
        let unreadable = |why: String| ReadRegistry::Bundle {
            bundle: name.clone(),
            why,
        };
        if told.name != name.as_str() {
            let called = excerpt(&told.name);
            return Err(unreadable(format!("it is called {called:?} there")));
        }
        let text = |bytes: &[u8]| {
            String::from_utf8(bytes.to_vec()).map_err(|error| unreadable(error.to_string()))
        };
        let csv = text(&told.csv_json)?;
        let properties = told.properties.iter();
        let properties =
            properties.map(|told| text(&told.value).map(|value| (told.r#type.clone(), value)));
        Ok(Self {
            bundle: bundle(told, name).map_err(unreadable)?,
            properties: properties.collect::<Result<_, _>>()?,
            csv: (!csv.is_empty()).then_some(csv),
            objects: told
                .objects
                .iter()
                .map(|object| text(object))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Reads a bundle by the rules of catalogs: as the only one of a catalog.
fn bundle(told: &pb::Bundle, name: &BundleName) -> Result<Arc<Bundle>, String> {
    let csv = Csv::parse(&told.csv_json).unwrap_or_default();
    let metadata = csv.metadata();
    let document = Document::bundle(told, Some(&metadata), csv.related_images());
    let document = document.map_err(|broken| broken.to_string())?;
    let package = Document::Package {
        name: &told.package_name,
        default_channel: &told.channel_name,
    };
    let lines = [package.to_line(), document.to_line()].concat();
    let catalog = Catalog::of([Reading::of("registry", &lines)]);
    let mut packages = catalog.packages.values();
    let found = packages.find_map(|package| package.bundles.get(name));
    let fault = || {
        catalog
            .faults
            .first()
            .map(Fault::to_string)
            .unwrap_or_default()
    };
    found.cloned().ok_or_else(fault)
}
