//! The catalogs that a user names in flags, and the locations of their content.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use portolan_core_names::{CatalogName, InvalidText, name};
use portolan_images::{ParseReference, Reference};
use portolan_world::Dump;
use thiserror::Error;

use super::catalogd::{Catalogd, Options, ParseUrl};
use super::folder::open;
use super::registry::{Address, ParseAddress};
use super::{ReadCatalogs, ReadSource};
use crate::snapshot::SourceObject;

/// A catalog and the location of its content: `NAME=PLACE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogAt {
    /// The name of the catalog in queries and responses.
    pub name: CatalogName,
    pub location: Location,
}

/// The location of the content of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// A folder of catalog files, or one such file.
    Folder(PathBuf),
    /// A folder with the list of a registry and with all details for some of its bundles.
    Listing(PathBuf),
    /// A registry that speaks gRPC.
    Registry(Address),
    /// The URL of a catalogd.
    Catalogd(String),
    /// An image that contains a catalog.
    Image(Reference),
}

/// An invalid value of `--catalog`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseCatalog {
    /// The `=` or the location is missing.
    #[error("`{0}` is not NAME=PLACE, such as demo=./catalogs/demo")]
    Form(String),
    /// The name is not a valid catalog name.
    #[error(transparent)]
    Name(#[from] InvalidText<name::Flaw>),
    /// The address of the registry is invalid.
    #[error(transparent)]
    Address(#[from] ParseAddress),
    /// The URL of the catalogd is invalid.
    #[error(transparent)]
    Url(#[from] ParseUrl),
    /// The text is not the name of an image.
    #[error(transparent)]
    Image(#[from] ParseReference),
    /// The scheme of the location is supported only by other programs.
    #[error(
        "{0} is in the local store of Docker, which is not supported; use oci://REGISTRY/NAME:TAG \
         for an image in a registry"
    )]
    Stored(String),
}

/// The folders of catalog contents inside a folder of manifests. The contents have the path
/// NAMESPACE/NAME for a CatalogSource, and NAME for a ClusterCatalog.
const BROUGHT: [(&str, usize); 2] = [("catalogsources", 2), ("clustercatalogs", 1)];

// === impl CatalogAt ===

impl CatalogAt {
    /// Returns the catalogs whose content is in a folder of manifests: in
    /// `catalogsources/NAMESPACE/NAME` and `clustercatalogs/NAME`.
    pub(crate) fn brought(world: &Path) -> Vec<Self> {
        let mut all = Vec::new();
        for (top, depth) in BROUGHT {
            for (name, folder) in folders(&world.join(top), depth) {
                if let Ok(name) = CatalogName::parse(&name) {
                    let location = Location::Folder(folder);
                    all.push(Self { name, location });
                }
            }
        }
        all
    }

    /// Marks the content as the list of a registry if the dump describes it as a list.
    pub(crate) fn with_dump(self, dump: &Dump) -> Self {
        let is_listed = dump.listed.iter().any(|name| name == self.name.as_str());
        let location = match self.location {
            Location::Folder(path) if is_listed => Location::Listing(path),
            other => other,
        };
        Self { location, ..self }
    }

    /// Returns the path of a catalog's content inside a folder of manifests.
    pub fn place_in(world: &Path, name: &CatalogName) -> PathBuf {
        let depth = name.as_str().split('/').count();
        let top = BROUGHT.iter().find(|(_, levels)| *levels == depth);
        let top = top.map_or("", |(top, _)| *top);
        world.join(top).join(name.as_str())
    }

    pub(super) fn look(&self) -> Result<(), ReadCatalogs> {
        let Location::Folder(path) = &self.location else {
            return Ok(());
        };
        let looked = std::fs::metadata(path).map(drop);
        looked.map_err(|source| {
            let path = path.clone();
            self.failed(open(&path, source).into())
        })
    }

    pub(super) fn failed(&self, source: ReadSource) -> ReadCatalogs {
        ReadCatalogs::Read {
            name: self.name.clone(),
            source,
        }
    }
}

impl FromStr for CatalogAt {
    type Err = ParseCatalog;

    fn from_str(text: &str) -> Result<Self, ParseCatalog> {
        let form = || ParseCatalog::Form(text.to_owned());
        let (name, place) = text.split_once('=').ok_or_else(form)?;
        if place.is_empty() {
            return Err(form());
        }
        Ok(Self {
            name: CatalogName::parse(name)?,
            location: place.parse()?,
        })
    }
}

/// Returns the folders at this depth below a root, each with its path relative to the root. Returns
/// no folders if the root cannot be read.
fn folders(root: &Path, depth: usize) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(root).into_iter().flatten();
    let mut here: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let path = entry.path();
            let name = entry.file_name().into_string().ok()?;
            path.is_dir().then_some((name, path))
        })
        .collect();
    here.sort();
    if depth <= 1 {
        return here;
    }
    let below = here.into_iter().flat_map(|(name, path)| {
        let below = folders(&path, depth - 1).into_iter();
        below.map(move |(last, path)| (format!("{name}/{last}"), path))
    });
    below.collect()
}

// === impl Location ===

impl Location {
    pub(crate) fn observed(&self) -> SourceObject {
        match self {
            Self::Folder(path) | Self::Listing(path) => {
                SourceObject::local("Folder", path.display().to_string())
            }
            Self::Registry(address) => SourceObject::local("Registry", address.to_string()),
            Self::Catalogd(url) => SourceObject::local("Catalogd", url.clone()),
            Self::Image(reference) => SourceObject::local("Image", reference.to_string()),
        }
    }
}

impl FromStr for Location {
    type Err = ParseCatalog;

    /// Parses a location. The scheme of a URL determines the kind of location. Text without a known
    /// scheme is a path.
    fn from_str(text: &str) -> Result<Self, ParseCatalog> {
        match text.split_once("://") {
            Some(("grpc", _)) => Ok(Self::Registry(text.parse()?)),
            Some(("http" | "https", _)) => {
                Catalogd::new(text, Options::default())?;
                Ok(Self::Catalogd(text.to_owned()))
            }
            // Other tools use the scheme `docker` for the same kind of location.
            Some(("oci" | "docker", image)) => Ok(Self::Image(image.parse()?)),
            Some(("docker-daemon", _)) => Err(ParseCatalog::Stored(text.to_owned())),
            _ => Ok(Self::Folder(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(text: &str) -> Location {
        let parsed: CatalogAt = text.parse().expect("the flag must parse");
        assert_eq!(parsed.name.as_str(), "demo");
        parsed.location
    }

    #[test]
    fn catalog_flag_consists_of_a_name_and_a_location() {
        assert_eq!(location("demo=./a=b"), Location::Folder("./a=b".into()));
        assert_eq!(
            location("demo=grpc://127.0.0.1:50051"),
            Location::Registry("127.0.0.1:50051".parse().expect("an address"))
        );
        let url = "https://catalogd.test/catalogs/demo";
        assert_eq!(
            location(&format!("demo={url}")),
            Location::Catalogd(url.to_owned())
        );
        let image = "quay.test/ferries/catalog:latest";
        for scheme in ["oci", "docker"] {
            assert_eq!(
                location(&format!("demo={scheme}://{image}")),
                Location::Image(image.parse().expect("a reference"))
            );
        }
    }

    #[test]
    fn world_provides_its_catalogs() {
        let world = portolan_kit::TempFolder::empty();
        let folders = [
            "catalogsources/olm/shop",
            "catalogsources/olm/given",
            "catalogsources/No Name/x",
            "clustercatalogs/operatorhub",
        ];
        for folder in folders {
            std::fs::create_dir_all(world.join(folder)).expect("a folder");
        }
        std::fs::write(world.join("catalogsources/olm/file"), "").expect("a file");
        let all = CatalogAt::brought(&world);
        let told = all.iter().map(|each| match &each.location {
            Location::Folder(path) => {
                let path = path.strip_prefix(&*world).unwrap_or(path);
                format!("{}={}", each.name, path.display())
            }
            other => format!("{other:?}"),
        });
        let expected = [
            "olm/given=catalogsources/olm/given",
            "olm/shop=catalogsources/olm/shop",
            "operatorhub=clustercatalogs/operatorhub",
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        for at in &all {
            let place = CatalogAt::place_in(&world, &at.name);
            assert_eq!(Location::Folder(place), at.location);
        }
        assert_eq!(CatalogAt::brought(&world.join("nothing")), Vec::new());
    }

    #[test]
    fn invalid_catalog_flag_error_shows_an_example() {
        for text in ["demo", "demo="] {
            let refusal = text
                .parse::<CatalogAt>()
                .expect_err("the flag must be refused");
            assert_eq!(
                refusal.to_string(),
                format!("`{text}` is not NAME=PLACE, such as demo=./catalogs/demo")
            );
        }
        assert!(matches!(
            "De mo=x".parse::<CatalogAt>(),
            Err(ParseCatalog::Name(_))
        ));
        let image = "demo=docker-daemon://quay.test/catalog:latest".parse::<CatalogAt>();
        assert_eq!(
            image.expect_err("an image").to_string(),
            "docker-daemon://quay.test/catalog:latest is in the local store of Docker, which is \
             not supported; use oci://REGISTRY/NAME:TAG for an image in a registry"
        );
        assert!(matches!(
            "demo=oci://quay.test/catalog".parse::<CatalogAt>(),
            Err(ParseCatalog::Image(_))
        ));
        assert!(matches!(
            "demo=grpc://:1".parse::<CatalogAt>(),
            Err(ParseCatalog::Address(_))
        ));
    }
}
