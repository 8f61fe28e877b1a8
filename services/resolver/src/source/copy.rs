//! The content of a catalog, once more, in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use portolan_core_names::{CatalogName, PackageName};
use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_registry::Dialer;
use portolan_world::World;
use thiserror::Error;

use super::catalogd::ReadCatalogd;
use super::cluster::locations;
use super::follow::{AskedCatalogd, PulledImage};
use super::image::ReadImage;
use super::registry::{ReadRegistry, Registry};
use super::{CatalogAt, Location, READ_CATALOGD, READ_IMAGE, READ_REGISTRY, Reach, folder};
use crate::snapshot::SourceFailure;

/// The file of content that came in one piece.
const FILE: &str = "catalog.jsonl";

/// The extent of a copy of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    Whole,
    /// The list of a registry, with more about some of it.
    Listed,
}

/// The reason why there is no copy of a catalog.
#[derive(Debug, Error)]
pub enum CopyCatalog {
    /// A file or folder cannot be written, or one cannot be read.
    #[error("copy the catalog to {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The registry does not tell it.
    #[error(transparent)]
    Registry(#[from] ReadRegistry),
    /// The catalogd does not tell it.
    #[error(transparent)]
    Catalogd(#[from] ReadCatalogd),
    /// The image cannot be pulled, or has no catalog.
    #[error(transparent)]
    Image(#[from] ReadImage),
}

// === impl CopyCatalog ===

impl CopyCatalog {
    /// The failure that reading the catalog would have been.
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

/// The catalogs of a world, and where the content of each is. What is given counts.
pub async fn located(
    world: &impl World,
    given: &[CatalogAt],
) -> BTreeMap<CatalogName, Result<Location, SourceFailure>> {
    let mut sources = world.objects::<CatalogSource>();
    let mut clusters = world.objects::<ClusterCatalog>();
    let sources = sources.known().await;
    let clusters = clusters.known().await;
    // A world that has ended has no catalogs.
    let (sources, clusters) = (sources.unwrap_or_default(), clusters.unwrap_or_default());
    let mut all = locations(&sources, &clusters);
    for CatalogAt { name, location } in given {
        all.insert(name.clone(), Ok(location.clone()));
    }
    all
}

// === impl Location ===

impl Location {
    /// Writes the content to a folder, which is made, as it is now. A registry tells of bundles one
    /// by one more than it lists: that is asked for the bundles of these packages.
    ///
    /// # Errors
    /// It does not come whole, or cannot be written. What was written until then stays.
    pub async fn copy(
        &self,
        (reach, dialer): (&Reach, &Dialer),
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
                let mut pulled = PulledImage::given(reference.clone(), reach);
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
            Self::Registry(address) => {
                let registry = Registry::connect(address, dialer).await;
                let registry = registry.map_err(ReadRegistry::from)?;
                let documents = match registry.documents(packages).await {
                    // It lists in seconds what it may not tell one by one in minutes.
                    Err(_) => registry.documents(BTreeSet::new()).await?,
                    Ok(documents) => documents,
                };
                fs::write(&file, documents).map_err(failed(&file))?;
                Ok(Copied::Listed)
            }
        }
    }
}
