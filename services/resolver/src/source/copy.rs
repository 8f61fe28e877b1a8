//! Copies the content of a catalog to a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use portolan_core_names::{CatalogName, PackageName};
use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_world::World;
use portolan_world::registry::Dialer;
use thiserror::Error;

use super::catalogd::ReadCatalogd;
use super::cluster::locations;
use super::follow::{AskedCatalogd, Otherwise, PulledImage};
use super::image::ReadImage;
use super::registry::{ReadRegistry, Registry};
use super::secrets::NamedImage;
use super::{CatalogAt, Location, READ_CATALOGD, READ_IMAGE, READ_REGISTRY, SourceAccess, folder};
use crate::snapshot::SourceFailure;

/// The name of the file for content that is one stream.
const FILE: &str = "catalog.jsonl";

/// The completeness of the copy of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    Whole,
    /// The copy contains the list of a registry, with all details for some of its bundles.
    Listed,
}

/// The reason why there is no copy of a catalog.
#[derive(Debug, Error)]
pub enum CopyCatalog {
    /// A file or folder cannot be written, or a file cannot be read.
    #[error("cannot copy the catalog to {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The registry does not return the content.
    #[error(transparent)]
    Registry(#[from] ReadRegistry),
    /// The catalogd does not return the content.
    #[error(transparent)]
    Catalogd(#[from] ReadCatalogd),
    /// The image cannot be pulled, or has no catalog.
    #[error(transparent)]
    Image(#[from] ReadImage),
}

// === impl CopyCatalog ===

impl CopyCatalog {
    /// Returns the failure of reading the catalog.
    pub fn failure(&self) -> SourceFailure {
        let code = match self {
            Self::Write { .. } => "CopyCatalog",
            Self::Registry(_) => READ_REGISTRY,
            Self::Catalogd(_) => READ_CATALOGD,
            Self::Image(_) => READ_IMAGE,
        };
        SourceFailure::new(code, self)
    }
}

/// The location of a catalog's content in a world.
#[derive(Debug, Clone)]
pub struct Located {
    at: Result<Location, SourceFailure>,
    /// The image with the same content, if the object names one.
    image: NamedImage,
}

/// Returns the catalogs of a world with the locations of their content. Locations from flags take
/// precedence.
pub async fn located(world: &impl World, given: &[CatalogAt]) -> BTreeMap<CatalogName, Located> {
    let mut sources = world.objects::<CatalogSource>();
    let mut clusters = world.objects::<ClusterCatalog>();
    let sources = sources.known().await;
    let clusters = clusters.known().await;
    // If the world has ended, there are no catalogs.
    let (sources, clusters) = (sources.unwrap_or_default(), clusters.unwrap_or_default());
    let named = locations(&sources, &clusters).into_iter();
    let named = named.map(|(name, (at, image))| (name, Located { at, image }));
    let mut all: BTreeMap<_, _> = named.collect();
    for CatalogAt { name, location } in given {
        let given = Located {
            at: Ok(location.clone()),
            image: NamedImage::default(),
        };
        all.insert(name.clone(), given);
    }
    all
}

// === impl Located ===

impl Located {
    /// Copies the content as [`Location::copy`] does. If this fails and the flags permit to pull
    /// images, copies the content of the catalog's image instead. Removes the files of a failed
    /// copy.
    ///
    /// # Errors
    /// Returns an error if there is no content, or if it cannot be written.
    pub async fn copy(
        &self,
        (reach, dialer): (&SourceAccess, &Dialer),
        packages: &BTreeSet<PackageName>,
        to: &Path,
    ) -> Result<Copied, SourceFailure> {
        let why = match &self.at {
            Ok(location) => match location.copy((reach, dialer), packages.clone(), to).await {
                Ok(copied) => return Ok(copied),
                Err(error) => removed(to, error.failure()),
            },
            Err(why) => why.clone(),
        };
        match Otherwise::of(&self.image, reach.pulls_catalogs()) {
            Otherwise::Pull(reference, puller) => {
                let image = PulledImage::named(reference, puller, reach);
                let copied = copy_image(image, to).await;
                copied.map_err(|error| {
                    let other = removed(to, error.failure());
                    SourceFailure {
                        message: format!("{}; {}", why.message, other.message),
                        ..why
                    }
                })
            }
            otherwise @ (Otherwise::Nothing | Otherwise::Unpulled(_)) => {
                Err(otherwise.with_remedy(why))
            }
        }
    }
}

/// Removes the files of a failed copy. Returns the failure. If the files cannot be removed, adds
/// the reason to the failure.
fn removed(to: &Path, mut why: SourceFailure) -> SourceFailure {
    match fs::remove_dir_all(to) {
        Ok(()) => {}
        // Nothing was copied yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            why.message = format!("{}; {} stays: {error}", why.message, to.display());
        }
    }
    why
}

async fn copy_image(mut pulled: PulledImage, to: &Path) -> Result<Copied, CopyCatalog> {
    let image = pulled.pull().await?;
    let to = to.to_owned();
    let copying = tokio::task::spawn_blocking(move || match image {
        Some(image) => image.copy(&to),
        None => Ok(()),
    });
    let copied = copying.await.expect("copying an image must not panic");
    copied.map_err(|(path, source)| CopyCatalog::Write { path, source })?;
    Ok(Copied::Whole)
}

// === impl Location ===

impl Location {
    /// Writes the current content to a new folder. The list of a registry lacks some details of
    /// bundles. For the bundles of `packages`, these details are requested separately.
    ///
    /// # Errors
    /// Returns an error if the content is incomplete, or cannot be written. Files that were already
    /// written are not removed.
    pub async fn copy(
        &self,
        (reach, dialer): (&SourceAccess, &Dialer),
        packages: BTreeSet<PackageName>,
        to: &Path,
    ) -> Result<Copied, CopyCatalog> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| CopyCatalog::Write { path, source }
        };
        fs::create_dir_all(to).map_err(failed(to))?;
        let file = to.join(FILE);
        match self {
            Self::Folder(root) | Self::Listing(root) => {
                let (root, to) = (root.clone(), to.to_owned());
                let copying = tokio::task::spawn_blocking(move || folder::copy(&root, &to));
                let copied = copying.await.expect("copying a folder must not panic");
                copied.map_err(|(path, source)| CopyCatalog::Write { path, source })?;
                Ok(Copied::Whole)
            }
            Self::Catalogd(url) => {
                let opened = File::create(&file).map_err(failed(&file))?;
                AskedCatalogd::at(url, reach).copy(opened).await?;
                Ok(Copied::Whole)
            }
            Self::Image(reference) => {
                copy_image(PulledImage::given(reference.clone(), reach), to).await
            }
            Self::Registry(address) => {
                let registry = Registry::connect(address, dialer).await;
                let registry = registry.map_err(ReadRegistry::from)?;
                let documents = match registry.documents(packages).await {
                    // Requesting all bundles separately may take minutes. Reading only the list
                    // takes seconds.
                    Err(_) => registry.documents(BTreeSet::new()).await?,
                    Ok(documents) => documents,
                };
                fs::write(&file, documents).map_err(failed(&file))?;
                Ok(Copied::Listed)
            }
        }
    }
}
