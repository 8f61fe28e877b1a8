//! The origin of a catalog's content. Details that are not kept in memory are read from the origin.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_core_catalog::raw::{self, Icon, ReadRaw};
use portolan_core_catalog::{Bundle, CatalogPlace, Limits, Package};
use portolan_core_names::ChannelName;
use serde_json::Value;
use thiserror::Error;

use super::catalogd::{self, Catalogd, Edition};
use super::folder::{self, ReadDocument};
use super::image::CatalogImage;
use super::registry::{ReadRegistry, Registry, RegistryBundle, csv_among, shown};

/// The origin of the content of a catalog.
#[derive(Debug, Clone)]
pub enum ContentOrigin {
    /// Documents. Each document can be read again separately.
    Documents(Documents),
    /// Documents with the list of a registry, and with all details for some of its bundles.
    Listing(Documents),
    /// A registry, with this connection.
    Registry(Arc<Registry>),
}

/// The location of documents.
#[derive(Debug, Clone)]
pub enum Documents {
    /// A folder of files, or a single file.
    Folder(Arc<Path>),
    /// An edition of a catalog on a catalogd server.
    Catalogd(Arc<Catalogd>, Arc<Edition>),
    /// A pulled image.
    Image(Arc<CatalogImage>),
}

/// The details of a bundle that are not kept in memory.
#[derive(Debug, Default)]
pub(crate) struct BundleRest {
    /// The properties of the bundle, by type.
    pub(crate) properties: Vec<(String, String)>,
    /// The manifests. If they do not contain the ClusterServiceVersion, also an object with the
    /// fields of the ClusterServiceVersion that users see.
    pub(crate) objects: Vec<String>,
    /// The bundle with all details, if the list of the source lacks details.
    pub(crate) whole: Option<Arc<Bundle>>,
    /// The names of details that the source does not return.
    pub(crate) not_given: &'static [&'static str],
}

/// The details of a package that are not kept in memory.
#[derive(Debug, Default)]
pub(crate) struct PackageRest {
    pub(crate) description: Option<String>,
    pub(crate) icon: Option<Icon>,
    /// The names of details that the source does not return.
    pub(crate) not_given: &'static [&'static str],
}

/// The reason why the details of a package or of a bundle cannot be read from the source again.
#[derive(Debug, Error)]
pub enum ReadOrigin {
    #[error(transparent)]
    Folder(#[from] ReadDocument),
    #[error(transparent)]
    Catalogd(#[from] catalogd::ReadDocument),
    #[error(transparent)]
    Registry(#[from] ReadRegistry),
    /// The image does not contain the document.
    #[error("cannot read a document again from an image")]
    Image(#[source] std::io::Error),
    /// The bytes at the location have changed, or are not a document.
    #[error(transparent)]
    Raw(#[from] ReadRaw),
}

/// The details of a package that registries never return.
const NO_PACKAGE_DISPLAY: &[&str] = &["description", "icon"];
/// The details that a registry does not return if a bundle has neither a ClusterServiceVersion nor
/// its metadata.
const NO_CSV: &[&str] = &[
    "display_name",
    "related_images",
    "install_modes",
    "min_kube_version",
    "objects",
];
/// The details that a registry does not return for a bundle without a channel, because each request
/// for a bundle must name a channel.
const NO_CHANNEL: &[&str] = &[
    "display_name",
    "related_images",
    "install_modes",
    "min_kube_version",
    "properties",
    "objects",
];

// === impl ContentOrigin ===

impl ContentOrigin {
    /// Creates the origin of a folder or a single file.
    pub fn folder(root: PathBuf) -> Self {
        Self::Documents(Documents::Folder(root.into()))
    }

    /// Creates the origin of a folder with the list of a registry and with all details for some of
    /// its bundles.
    pub(super) fn listing(root: PathBuf) -> Self {
        Self::Listing(Documents::Folder(root.into()))
    }

    pub(super) fn catalogd(catalogd: &Arc<Catalogd>, edition: &Arc<Edition>) -> Self {
        let (catalogd, edition) = (Arc::clone(catalogd), Arc::clone(edition));
        Self::Documents(Documents::Catalogd(catalogd, edition))
    }

    pub(super) fn image(image: Arc<CatalogImage>) -> Self {
        Self::Documents(Documents::Image(image))
    }

    /// Returns true if both origins return the same details, provided that the contents are equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Documents(one), Self::Documents(other)) => one.is_same(other),
            // The contents are equal, so both connections return the same details.
            (Self::Registry(_), Self::Registry(_)) => true,
            (Self::Listing(one), Self::Listing(other)) => one.is_same(other),
            (Self::Documents(_) | Self::Listing(_) | Self::Registry(_), _) => false,
        }
    }

    /// Reads the details of a bundle. `channel` is a channel that contains the bundle.
    pub(crate) async fn bundle(
        &self,
        package: &Package,
        bundle: &Bundle,
        channel: Option<&ChannelName>,
    ) -> Result<BundleRest, ReadOrigin> {
        let registry = match self {
            Self::Registry(registry) => registry,
            Self::Documents(documents) => return documents.bundle(package, bundle).await,
            Self::Listing(documents) => {
                let rest = documents.bundle(package, bundle).await?;
                return Ok(BundleRest {
                    not_given: if rest.objects.is_empty() { NO_CSV } else { &[] },
                    ..rest
                });
            }
        };
        let Some(channel) = channel else {
            return Ok(BundleRest {
                not_given: NO_CHANNEL,
                ..BundleRest::default()
            });
        };
        let told = registry
            .bundle(&package.name, channel, &bundle.name)
            .await?;
        Ok(BundleRest::from(told))
    }

    /// Reads the details of a package.
    pub(crate) async fn package(&self, package: &Package) -> Result<PackageRest, ReadOrigin> {
        let documents = match self {
            Self::Documents(documents) => documents,
            Self::Listing(_) | Self::Registry(_) => {
                return Ok(PackageRest {
                    not_given: NO_PACKAGE_DISPLAY,
                    ..PackageRest::default()
                });
            }
        };
        let bytes = documents.read(&package.place).await?;
        let raw::Package {
            description,
            icon,
            faults: _,
        } = raw::Package::of(&bytes, package, &Limits::default())?;
        Ok(PackageRest {
            description,
            icon,
            not_given: &[],
        })
    }
}

// === impl Documents ===

impl Documents {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => one == other,
            (Self::Catalogd(_, one), Self::Catalogd(_, other)) => one == other,
            (Self::Image(one), Self::Image(other)) => one.digest() == other.digest(),
            (Self::Folder(_) | Self::Catalogd(..) | Self::Image(_), _) => false,
        }
    }

    async fn bundle(&self, package: &Package, bundle: &Bundle) -> Result<BundleRest, ReadOrigin> {
        let bytes = self.read(&bundle.place).await?;
        let read = raw::Bundle::of(&bytes, bundle, &Limits::default())?;
        Ok(BundleRest::of(package, bundle, read))
    }

    async fn read(&self, place: &CatalogPlace) -> Result<Vec<u8>, ReadOrigin> {
        match self {
            Self::Folder(root) => {
                let (root, place) = (Arc::clone(root), place.clone());
                let read = move || folder::document(&root, &place);
                let read = tokio::task::spawn_blocking(read).await;
                Ok(read.expect("reading a document must not panic")?)
            }
            Self::Catalogd(catalogd, edition) => Ok(catalogd.document(place, edition).await?),
            Self::Image(image) => {
                let (image, place) = (Arc::clone(image), place.clone());
                let read = tokio::task::spawn_blocking(move || image.document(&place)).await;
                let read = read.expect("reading a document must not panic");
                read.map_err(ReadOrigin::Image)
            }
        }
    }
}

// === impl BundleRest ===

impl BundleRest {
    /// Returns the details of a bundle. If the catalog has manifests and no CSV metadata, the
    /// fields that users see come from the manifests.
    fn of(package: &Package, bundle: &Bundle, read: raw::Bundle) -> Self {
        let raw::Bundle {
            properties,
            csv_metadata,
            manifests,
            faults: _,
        } = read;
        let properties = properties.into_iter();
        let properties: Vec<_> = properties
            .map(|property| (property.kind.to_string(), property.value.into()))
            .collect();
        Self {
            whole: match csv_metadata {
                Some(_) => None,
                None => shown(&package.name, bundle, &properties, &manifests),
            },
            properties,
            objects: objects(manifests, csv_metadata),
            not_given: &[],
        }
    }
}

impl From<RegistryBundle> for BundleRest {
    fn from(told: RegistryBundle) -> Self {
        let RegistryBundle {
            bundle,
            properties,
            csv: _,
            csv_metadata,
            objects: manifests,
        } = told;
        Self {
            properties,
            not_given: match csv_metadata {
                None => NO_CSV,
                Some(_) => &[],
            },
            objects: objects(manifests, csv_metadata),
            whole: Some(bundle),
        }
    }
}

// === impl ReadOrigin ===

impl ReadOrigin {
    /// Returns true if the content of the source has changed since this process read the catalog. A
    /// retry is sufficient.
    pub(crate) fn is_outdated(&self) -> bool {
        matches!(
            self,
            Self::Raw(ReadRaw::Changed(_)) | Self::Catalogd(catalogd::ReadDocument::Changed)
        )
    }
}

/// Returns the manifests of a bundle. If they contain no ClusterServiceVersion, adds the metadata
/// of the ClusterServiceVersion. Registries create a ClusterServiceVersion from this metadata, so
/// bundles of registries are handled here, too.
fn objects(manifests: Vec<String>, csv_metadata: Option<String>) -> Vec<String> {
    let metadata = csv_metadata.filter(|_| csv_among(&manifests).is_none());
    let metadata = metadata.map(|metadata| plain(&metadata));
    manifests.into_iter().chain(metadata).collect()
}

/// Returns the value of an `olm.csv.metadata` with sorted keys and without empty values. opm adds
/// empty values that the author did not write.
pub(super) fn plain(json: &str) -> String {
    match serde_json::from_str(json) {
        Ok(Value::Object(all)) => {
            let said = all.into_iter().filter(|(_, value)| !is_empty(value));
            Value::Object(said.collect()).to_string()
        }
        // A catalog whose metadata is not an object is rejected when it is read.
        Ok(_) | Err(_) => json.to_owned(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    #[rstest]
    #[case::empty_fields_are_omitted(
        r#"{"provider": {}, "links": [], "displayName": "", "labels": null, "maturity": "alpha"}"#,
        r#"{"maturity":"alpha"}"#
    )]
    #[case::nested_fields_are_kept(
        r#"{"provider": {"url": "", "name": "x"}, "keywords": [""]}"#,
        r#"{"keywords":[""],"provider":{"name":"x","url":""}}"#
    )]
    #[case::nothing(" { } ", "{}")]
    #[case::no_metadata("[]", "[]")]
    fn metadata_is_normalized(#[case] written: &str, #[case] plain: &str) {
        assert_eq!(super::plain(written), plain);
    }
}
