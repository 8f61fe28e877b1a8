//! A single bundle with all its details.

use std::sync::Arc;

use portolan_core_catalog::{Bundle, Catalog, Fault, Reading};
use portolan_core_names::{BundleName, PackageName};
use portolan_proto::registry as pb;
use serde_json::Value;

use super::ReadRegistry;
use super::document::{Csv, Document, excerpt, is_csv, is_made};

/// A bundle with all details that its registry returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryBundle {
    /// The bundle, with the descriptions in its CSV.
    pub bundle: Arc<Bundle>,
    /// The type and the JSON value of each property. Registries omit properties that contain
    /// manifests.
    pub properties: Vec<(String, String)>,
    /// The ClusterServiceVersion as JSON. None if the catalog contains neither the
    /// ClusterServiceVersion nor its metadata. If the catalog contains only the metadata,
    /// registries create a ClusterServiceVersion from the metadata. It cannot be installed.
    pub csv: Option<String>,
    /// The fields of the ClusterServiceVersion that users see, in the form of `olm.csv.metadata`.
    pub csv_metadata: Option<String>,
    /// The manifests as JSON, without a ClusterServiceVersion that the registry has created. A
    /// bundle with an image usually has no manifests here.
    pub objects: Vec<String>,
}

// === impl RegistryBundle ===

impl RegistryBundle {
    pub(super) fn decode(told: &pb::Bundle, name: &BundleName) -> Result<Self, ReadRegistry> {
        let unreadable = |why: String| ReadRegistry::Bundle {
            bundle: name.clone(),
            why,
        };
        if told.name != name.as_str() {
            let called = excerpt(&told.name);
            return Err(unreadable(format!(
                "its name in the registry is {called:?}"
            )));
        }
        let text = |bytes: &[u8]| {
            String::from_utf8(bytes.to_vec()).map_err(|error| unreadable(error.to_string()))
        };
        let csv = text(&told.csv_json)?;
        let properties = told.properties.iter();
        let properties =
            properties.map(|told| text(&told.value).map(|value| (told.r#type.clone(), value)));
        let objects = told.objects.iter().map(|object| text(object));
        let objects =
            objects.filter(|object| !object.as_ref().is_ok_and(|it| is_made(it.as_bytes())));
        let metadata = Csv::parse(&told.csv_json).map(|csv| csv.metadata().to_json());
        Ok(Self {
            bundle: bundle(told, name).map_err(unreadable)?,
            properties: properties.collect::<Result<_, _>>()?,
            csv_metadata: metadata,
            csv: (!csv.is_empty()).then_some(csv),
            objects: objects
                .map(|object| object.map(canonical))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Returns a manifest in the form of catalog files: with sorted keys and without whitespace.
fn canonical(manifest: String) -> String {
    match serde_json::from_str::<serde_json::Value>(&manifest) {
        Ok(value) => value.to_string(),
        Err(_) => manifest,
    }
}

/// Returns a copy of a bundle with the descriptions from the CSV in its manifests. Returns None if
/// the manifests contain no CSV, or the CSV of another bundle.
pub(in crate::source) fn shown(
    package: &PackageName,
    bundle: &Bundle,
    properties: &[(String, String)],
    manifests: &[String],
) -> Option<Arc<Bundle>> {
    let csv = csv_among(manifests)?;
    let properties = properties.iter().map(|(kind, value)| pb::Property {
        r#type: kind.clone(),
        value: value.clone().into(),
    });
    let told = pb::Bundle {
        package_name: package.to_string(),
        // The parser requires a channel. The name is arbitrary.
        channel_name: package.to_string(),
        name: bundle.name.to_string(),
        image: bundle.image.as_deref().unwrap_or_default().to_owned(),
        properties: properties.collect(),
        csv_json: csv.clone().into(),
        ..pb::Bundle::default()
    };
    self::bundle(&told, &bundle.name).ok()
}

/// Returns the ClusterServiceVersion in a list of manifests.
pub(in crate::source) fn csv_among(manifests: &[String]) -> Option<&String> {
    manifests.iter().find(|manifest| is_csv(&read(manifest)))
}

/// Parses a bundle by the rules of catalogs, as the only bundle of a catalog.
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

/// Parses a manifest. Returns null if it is not JSON.
fn read(manifest: &str) -> Value {
    serde_json::from_str(manifest).unwrap_or_default()
}
