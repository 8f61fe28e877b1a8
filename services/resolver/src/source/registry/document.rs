//! Converts the rows of a registry to documents of a file-based catalog.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_proto::registry as pb;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

/// The fields of a ClusterServiceVersion's `metadata` that catalogs contain.
const SHOWN: [&str; 2] = ["annotations", "labels"];
/// The fields of a ClusterServiceVersion's `spec` that catalogs contain, with their names in
/// catalogs.
const SHOWN_OF_SPEC: [(&str, &str); 12] = [
    ("apiservicedefinitions", "apiServiceDefinitions"),
    ("customresourcedefinitions", "crdDescriptions"),
    ("description", "description"),
    ("displayName", "displayName"),
    ("installModes", "installModes"),
    ("keywords", "keywords"),
    ("links", "links"),
    ("maintainers", "maintainers"),
    ("maturity", "maturity"),
    ("minKubeVersion", "minKubeVersion"),
    ("nativeAPIs", "nativeAPIs"),
    ("provider", "provider"),
];

/// A document of a catalog. The document is validated when it is parsed, like a document in a file.
#[derive(Serialize)]
#[serde(tag = "schema", rename_all_fields = "camelCase")]
pub(super) enum Document<'d> {
    #[serde(rename = "olm.package")]
    Package {
        name: &'d str,
        default_channel: &'d str,
    },
    #[serde(rename = "olm.channel")]
    Channel {
        package: &'d str,
        name: &'d str,
        entries: &'d [Entry],
    },
    #[serde(rename = "olm.bundle")]
    Bundle {
        package: &'d str,
        name: &'d str,
        image: &'d str,
        properties: Vec<Property<'d>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        related_images: Option<&'d RawValue>,
    },
    #[serde(rename = "olm.deprecations")]
    Deprecations {
        package: &'d str,
        entries: &'d [Deprecation],
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    name: String,
    replaces: String,
    skips: Vec<String>,
    skip_range: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Deprecation {
    reference: Reference,
    message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Reference {
    schema: &'static str,
    name: String,
}

#[derive(Serialize)]
pub(super) struct Property<'d> {
    #[serde(rename = "type")]
    kind: &'d str,
    value: Value<'d>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Value<'d> {
    Told(&'d RawValue),
    Metadata(&'d Metadata<'d>),
    /// A marker for an existing manifest, without its content.
    Manifest {},
    /// A manifest with its content.
    Written {
        data: String,
    },
}

/// A property whose value is not valid in a document.
#[derive(Debug, Error)]
#[error("the value of {kind:?} is not JSON: {why}")]
pub(super) struct BrokenProperty {
    kind: String,
    why: serde_json::Error,
}

/// The fields of a ClusterServiceVersion that the documents of a catalog contain.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Csv<'d> {
    #[serde(borrow, default)]
    metadata: Fields<'d>,
    #[serde(borrow, default)]
    spec: Fields<'d>,
}

type Fields<'d> = BTreeMap<String, &'d RawValue>;

/// The value of an `olm.csv.metadata`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Metadata<'d>(BTreeMap<&'static str, &'d RawValue>);

// === impl Document ===

impl<'d> Document<'d> {
    /// Creates the document of a bundle from the properties of the bundle and these fields of its
    /// CSV.
    pub(super) fn bundle(
        bundle: &'d pb::Bundle,
        metadata: Option<&'d Metadata<'d>>,
        related_images: Option<&'d RawValue>,
    ) -> Result<Self, BrokenProperty> {
        let is_inline = !bundle.objects.is_empty() || !bundle.csv_json.is_empty();
        let manifests = is_inline.then_some(Value::Manifest {});
        Self::with_manifests(bundle, metadata, related_images, manifests)
    }

    /// Creates the document of a bundle with all details that a request for this bundle returns.
    pub(super) fn whole(
        bundle: &'d pb::Bundle,
        metadata: Option<&'d Metadata<'d>>,
        related_images: Option<&'d RawValue>,
    ) -> Result<Self, BrokenProperty> {
        let manifests = bundle.objects.iter().filter(|object| !is_made(object));
        let manifests = manifests.map(|object| Value::Written {
            data: STANDARD.encode(object),
        });
        Self::with_manifests(bundle, metadata, related_images, manifests)
    }

    fn with_manifests(
        bundle: &'d pb::Bundle,
        metadata: Option<&'d Metadata<'d>>,
        related_images: Option<&'d RawValue>,
        manifests: impl IntoIterator<Item = Value<'d>>,
    ) -> Result<Self, BrokenProperty> {
        let told = bundle.properties.iter().map(|property| {
            let pb::Property {
                r#type: kind,
                value,
            } = property;
            let value = serde_json::from_slice(value).map_err(|why| BrokenProperty {
                kind: excerpt(kind),
                why,
            })?;
            let value = Value::Told(value);
            Ok(Property { kind, value })
        });
        let metadata = metadata.map(|metadata| Property {
            kind: "olm.csv.metadata",
            value: Value::Metadata(metadata),
        });
        let manifests = manifests.into_iter().map(|value| Property {
            kind: "olm.bundle.object",
            value,
        });
        let added = metadata.into_iter().chain(manifests).map(Ok);
        Ok(Self::Bundle {
            package: &bundle.package_name,
            name: &bundle.name,
            image: &bundle.image,
            properties: told.chain(added).collect::<Result<_, _>>()?,
            related_images,
        })
    }

    pub(super) fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("a document must have a JSON form");
        line.push(b'\n');
        line
    }
}

// === impl Entry ===

impl Entry {
    pub(super) fn of(row: &mut pb::Bundle) -> Self {
        Self {
            name: row.name.clone(),
            replaces: std::mem::take(&mut row.replaces),
            skips: std::mem::take(&mut row.skips),
            skip_range: std::mem::take(&mut row.skip_range),
        }
    }
}

// === impl Deprecation ===

impl Deprecation {
    pub(super) fn of(schema: &'static str, name: &str, told: pb::Deprecation) -> Self {
        let name = name.to_owned();
        Self {
            reference: Reference { schema, name },
            message: told.message,
        }
    }
}

// === impl Csv ===

impl<'d> Csv<'d> {
    /// Parses a CSV. Returns None if the text is empty or another object.
    pub(super) fn parse(json: &'d [u8]) -> Option<Self> {
        serde_json::from_slice(json).ok()
    }

    /// Returns the fields of metadata and spec that a catalog would contain.
    pub(super) fn metadata(&self) -> Metadata<'d> {
        let Self { metadata, spec } = self;
        let top = SHOWN.map(|key| (key, metadata.get(key)));
        let below = SHOWN_OF_SPEC.map(|(key, called)| (called, spec.get(key)));
        let all = top.into_iter().chain(below);
        Metadata(all.filter_map(|(key, it)| Some((key, *it?))).collect())
    }

    pub(super) fn related_images(&self) -> Option<&'d RawValue> {
        self.spec.get("relatedImages").copied()
    }
}

// === impl Metadata ===

impl Metadata<'_> {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("metadata must have a JSON form")
    }
}

/// Returns true if a registry has created this CSV from metadata. Such a CSV installs nothing. Its
/// list of Deployments is `null`, which no author writes.
pub(super) fn is_made(manifest: &[u8]) -> bool {
    // Invalid JSON counts as an empty manifest.
    let manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap_or_default();
    let deployments = manifest.pointer("/spec/install/spec/deployments");
    is_csv(&manifest) && deployments.is_some_and(serde_json::Value::is_null)
}

pub(super) fn is_csv(manifest: &serde_json::Value) -> bool {
    manifest["kind"] == "ClusterServiceVersion"
}

/// Returns the beginning of a text from another source. It is short enough for an error message.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(200).collect()
}
