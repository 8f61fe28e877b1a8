//! Finds the files of bundles. Catalogs name the image of each bundle, but usually do not contain
//! its files.

mod folder;
mod given;
mod places;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use portolan_core_bundle::{BundleFault, Folder, Limits, PACKAGE};
use portolan_core_catalog::Bundle as Listed;
use portolan_core_names::{CatalogName, PackageName};
use portolan_images::{
    Failure, Image, Images, Layout, Options, PullImage, ReadLayout, Registries, UseFlags,
};
use thiserror::Error;

use crate::mirrors::Mirrors;

pub use portolan_images::{Asker, ImageFlags, Progress, Reference};

use self::places::{ImageSlot, Places};

pub use self::folder::{ReadBundleFolder, read as read_bundle_folder};
pub use self::given::{ReadBundleImage, is_layout, read_bundle_image, read_bundle_in_layout};

/// The locations that are searched for the files of a bundle, in this order: a folder of bundles,
/// the catalog itself, and the registry of the bundle image. By default, only the catalog is
/// searched.
#[derive(Debug, Clone, Default)]
pub struct Bundles {
    folder: Option<Arc<Path>>,
    images: Option<BundleImages>,
    /// The mirrors from which images can also be pulled.
    mirrors: Option<Mirrors>,
}

/// Pulls the images of bundles. Only a few images are pulled and unpacked at the same time, because
/// each image needs memory.
#[derive(Debug, Clone)]
struct BundleImages {
    images: Images,
    places: Arc<Places>,
}

/// The maximum number of images that are pulled and unpacked at the same time.
const AT_ONCE: usize = 4;

/// The flags about bundles and their images.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct BundleFlags {
    /// Folder of bundles. Each bundle is at PACKAGE/VERSION: a folder with the files of the bundle,
    /// or a .tar or .tar.gz archive. The folder can also be an OCI layout that contains bundle
    /// images, named by reference. This folder is searched before registries.
    #[arg(long, value_name = "DIR")]
    pub bundles: Option<PathBuf>,
}

/// An invalid flag about bundles.
#[derive(Debug, Error)]
pub enum UseBundles {
    /// The folder of bundles does not exist.
    #[error("cannot read {} (--bundles)", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Images(#[from] UseFlags),
    /// The certificate authorities of the system cannot be read.
    #[error("cannot prepare the connection to registries")]
    Prepare(#[source] io::Error),
}

/// Returns the path of the bundles inside a folder of manifests.
pub fn brought(world: &Path) -> PathBuf {
    world.join("bundles")
}

/// Returns the path of a bundle in a folder of bundles.
pub fn place_in(bundles: &Path, package: &str, version: &str) -> PathBuf {
    bundles.join(package).join(version)
}

/// The files of a bundle.
#[derive(Debug)]
pub(crate) struct FoundBundle {
    pub(crate) folder: Folder,
    pub(crate) from: From,
}

/// The location at which the files of a bundle were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    /// An image, with its digest.
    Image(Reference),
    /// A file or folder on the disk of this process.
    Path(PathBuf),
    Catalog(CatalogName),
}

/// The reason why the files of a bundle are unavailable.
#[derive(Debug, Error)]
pub(crate) enum FindBundle {
    /// No permitted location contains the files.
    #[error("{0}")]
    Nowhere(String),
    #[error(transparent)]
    Folder(ReadBundleFolder),
    #[error(transparent)]
    Image(Box<PullImage>),
    /// The folder of bundles contains the bundle in a damaged image layout.
    #[error(transparent)]
    Layout(#[from] ReadLayout),
    /// The files exist, but they are not a valid bundle.
    #[error("the files of the bundle cannot be read")]
    Faults(Box<From>, Vec<BundleFault>),
}

/// The requested bundle.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) catalog: &'a CatalogName,
    pub(crate) package: &'a PackageName,
    pub(crate) bundle: &'a Listed,
}

// === impl FindBundle ===

impl FindBundle {
    /// Returns true if a retry may succeed without a change of flags or files.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Nowhere(_) | Self::Folder(_) | Self::Layout(_) | Self::Faults(..) => false,
            Self::Image(why) => why.tried.iter().any(|(_, failure)| may_pass(failure)),
        }
    }
}

fn may_pass(failure: &Failure) -> bool {
    match failure {
        Failure::Reach { .. }
        | Failure::Slow { .. }
        | Failure::Crawl { .. }
        | Failure::Late { .. }
        | Failure::Cut { .. } => true,
        Failure::Status { answer, .. } => {
            answer.status.is_server_error() || answer.status.as_u16() == 429
        }
        Failure::Refuse { .. }
        | Failure::Login { .. }
        | Failure::Content { .. }
        | Failure::Keep { .. } => false,
    }
}

// === impl BundleFlags ===

impl BundleFlags {
    /// Also searches the folder of bundles inside a folder of manifests, unless a flag names a
    /// folder of bundles.
    pub fn or_brought(&self, world: Option<&Path>) -> Self {
        let brought = world.map(brought).filter(|folder| folder.is_dir());
        Self {
            bundles: self.bundles.clone().or(brought),
        }
    }

    /// Opens the locations of bundle files. `asker` determines the defaults of the image flags.
    ///
    /// # Errors
    /// Returns an error if a flag is invalid.
    pub fn open(&self, images: &ImageFlags, asker: Asker) -> Result<Bundles, UseBundles> {
        if let Some(path) = &self.bundles {
            std::fs::read_dir(path).map_err(|source| UseBundles::Folder {
                path: path.clone(),
                source,
            })?;
        }
        let mut options = images.options(asker)?;
        // An image is rejected before its download if its compressed size already exceeds the limit
        // of a bundle.
        options.image = options.image.min(Limits::default().bytes as u64);
        // If the flags permit no registry, no image client is needed.
        let is_nobody_asked = options.registries == Registries::default();
        let images = (!is_nobody_asked)
            .then(|| BundleImages::new(options))
            .transpose();
        Ok(Bundles {
            folder: self.bundles.as_deref().map(Arc::from),
            images: images.map_err(UseBundles::Prepare)?,
            mirrors: None,
        })
    }
}

// === impl BundleImages ===

impl BundleImages {
    fn new(options: Options) -> io::Result<Self> {
        Ok(Self {
            images: Images::new(options)?,
            places: Arc::new(Places::new(AT_ONCE)),
        })
    }
}

// === impl Bundles ===

impl Bundles {
    /// Also pulls images from the image mirrors of a cluster.
    #[must_use]
    pub fn through(self, mirrors: Mirrors) -> Self {
        Self {
            mirrors: Some(mirrors),
            ..self
        }
    }

    /// Returns the files of a bundle: from the folder of bundles, from the manifests in the
    /// catalog, or from a registry.
    pub(crate) async fn find(
        &self,
        wanted: &Wanted<'_>,
        objects: &[String],
        limits: &Limits,
    ) -> Result<FoundBundle, FindBundle> {
        if !objects.is_empty() {
            return in_catalog(wanted, objects, limits);
        }
        let image = wanted.bundle.image.as_deref().unwrap_or_default();
        let Some(images) = self.images.as_ref().filter(|_| !image.is_empty()) else {
            return Err(self.nowhere(wanted));
        };
        let reference: Reference = image.parse().map_err(|why| {
            FindBundle::Nowhere(format!("the image of {}: {why}", wanted.bundle.name))
        })?;
        self.pull(images, &reference, limits).await
    }

    /// Returns the files of a bundle image. The image does not have to be in a catalog.
    pub(crate) async fn find_image(
        &self,
        reference: &Reference,
        limits: &Limits,
    ) -> Result<FoundBundle, FindBundle> {
        let Some(images) = &self.images else {
            return Err(FindBundle::Nowhere(format!(
                "{reference} is not allowed by --registries"
            )));
        };
        self.pull(images, reference, limits).await
    }

    async fn pull(
        &self,
        BundleImages { images, places }: &BundleImages,
        reference: &Reference,
        limits: &Limits,
    ) -> Result<FoundBundle, FindBundle> {
        // If the call times out while it waits for a slot, this future is dropped.
        let place = places.take(reference.host()).await;
        let images = match &self.mirrors {
            Some(mirrors) => images.through(mirrors.now().await),
            None => images.clone(),
        };
        let pulled = images.pull(reference, &|_: Progress<'_>| {}).await;
        let image = pulled.map_err(|why| FindBundle::Image(Box::new(why)))?;
        unpacked(image, limits, Some(place)).await
    }

    /// Returns the files of a bundle in the folder of bundles. Returns None if the folder does not
    /// contain the bundle.
    pub(crate) async fn find_in_folder(
        &self,
        wanted: &Wanted<'_>,
        limits: &Limits,
    ) -> Result<Option<FoundBundle>, FindBundle> {
        let Some(root) = &self.folder else {
            return Ok(None);
        };
        let version = wanted.bundle.version.to_string();
        let Some(path) = folder::of(root, wanted.package.as_str(), &version) else {
            return in_layout(root, wanted, limits).await;
        };
        let (limits, asked) = (*limits, path.clone());
        let from = From::Path(path);
        match aside(move || folder::read(&asked, &limits)).await {
            Ok(folder) => Ok(Some(FoundBundle { folder, from })),
            Err(ReadBundleFolder::Faults(faults)) => {
                Err(FindBundle::Faults(Box::new(from), faults))
            }
            Err(why) => Err(FindBundle::Folder(why)),
        }
    }

    fn nowhere(&self, wanted: &Wanted<'_>) -> FindBundle {
        let Listed { name, version, .. } = wanted.bundle;
        let (catalog, package) = (wanted.catalog, wanted.package);
        let folder = match &self.folder {
            Some(root) if Layout::at(root).is_some() => {
                format!(
                    "{} has neither its image nor {package}/{version}",
                    root.display()
                )
            }
            Some(root) => format!("{} has no {package}/{version}", root.display()),
            None => "no folder of bundles is given (--bundles)".to_owned(),
        };
        let image = match wanted.bundle.image.as_deref().unwrap_or_default() {
            "" => "it does not name an image".to_owned(),
            image => format!("its image {image} is not allowed by --registries"),
        };
        FindBundle::Nowhere(format!(
            "the files of {name} are not available: {folder}, catalog {catalog} has no manifests \
             of it, and {image}"
        ))
    }
}

/// Returns the files of a bundle image in an image layout. Returns None if the layout does not
/// contain the image.
async fn in_layout(
    root: &Path,
    wanted: &Wanted<'_>,
    limits: &Limits,
) -> Result<Option<FoundBundle>, FindBundle> {
    let image = wanted.bundle.image.as_deref().unwrap_or_default();
    let (Some(layout), Ok(reference)) = (Layout::at(root), image.parse::<Reference>()) else {
        return Ok(None);
    };
    match aside(move || layout.image(&reference)).await? {
        None => Ok(None),
        Some(image) => unpacked(image, limits, None).await.map(Some),
    }
}

/// Unpacks an image. The image counts toward the limit until it is unpacked, even if the caller no
/// longer waits.
async fn unpacked(
    image: Image,
    limits: &Limits,
    place: Option<ImageSlot>,
) -> Result<FoundBundle, FindBundle> {
    let from = From::Image(image.reference.clone());
    let limits = *limits;
    let unpacking = move || {
        let _place = place;
        image.folder(&limits)
    };
    match aside(unpacking).await {
        Ok(folder) => Ok(FoundBundle { folder, from }),
        Err(faults) => Err(FindBundle::Faults(Box::new(from), faults)),
    }
}

/// Runs blocking work, such as decompressing layers, on a separate thread.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// Returns the manifests that a catalog contains as bundle files. Such a bundle has no annotations
/// file.
fn in_catalog(
    wanted: &Wanted<'_>,
    objects: &[String],
    limits: &Limits,
) -> Result<FoundBundle, FindBundle> {
    let from = From::Catalog(wanted.catalog.clone());
    let manifests = objects.iter().enumerate().map(|(at, object)| {
        let path = format!("manifests/object-{:03}.yaml", at + 1);
        (path, object.clone().into_bytes())
    });
    let annotations = format!("annotations: {{{PACKAGE}: {}}}\n", wanted.package);
    let annotations = (
        "metadata/annotations.yaml".to_owned(),
        annotations.into_bytes(),
    );
    match Folder::of_files(manifests.chain([annotations]), limits) {
        Ok(folder) => Ok(FoundBundle { folder, from }),
        Err(faults) => Err(FindBundle::Faults(Box::new(from), faults)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt as _;
    use portolan_kit::oci::{self, Registry};

    use super::*;

    /// Returns a registry with this image, the reference to the image, and bundles that pull from
    /// the registry.
    async fn bundles(image: &oci::Image) -> (Registry, Reference, Bundles) {
        let registry = Registry::start().await;
        registry.serve("ferries/a", "v1", image);
        let flags = ImageFlags {
            registries: vec![registry.host()],
            plain_http: vec![registry.host().parse().expect("a host")],
            ..ImageFlags::default()
        };
        let bundles = BundleFlags::default().open(&flags, Asker::Server);
        let reference = format!("{}/ferries/a:v1", registry.host());
        let reference = reference.parse().expect("a reference");
        (
            registry,
            reference,
            bundles.expect("the flags must be of use"),
        )
    }

    #[tokio::test]
    async fn oversized_bundle_image_is_refused_before_its_download() {
        let image = oci::Image::of(&[&[("manifests/a.yaml", "kind: ConfigMap")]]);
        let mut manifest: serde_json::Value =
            serde_json::from_slice(&image.manifest).expect("a manifest");
        manifest["layers"][0]["size"] = (70 << 20).into();
        manifest["config"]["size"] = 0.into();
        let image = oci::Image {
            manifest: manifest.to_string().into_bytes(),
            ..image
        };
        let (registry, reference, bundles) = bundles(&image).await;
        let refused = bundles.find_image(&reference, &Limits::default()).await;
        let refused = refused.expect_err("too large").to_string();
        let expected = format!(
            "{reference} cannot be pulled: the response of {} for {} has 73400320 bytes; the maximum \
             is 67108864",
            registry.host(),
            image.digest()
        );
        assert_eq!(refused, expected);
        assert_eq!(registry.asked().len(), 1, "the manifest alone is asked for");
    }

    #[tokio::test]
    async fn image_pull_waits_for_a_free_slot() {
        let image = oci::Image::of(&[&[("manifests/a.yaml", "kind: ConfigMap")]]);
        let (registry, reference, bundles) = bundles(&image).await;
        let places = Arc::clone(&bundles.images.as_ref().expect("images").places);
        let host = reference.host();
        let taken = [places.take(host).await, places.take(host).await];
        let limits = Limits::default();
        let mut finding = Box::pin(bundles.find_image(&reference, &limits));
        let waited = tokio::time::timeout(Duration::from_millis(100), &mut finding).await;
        assert!(waited.is_err(), "all places are taken");
        assert_eq!(registry.asked(), []);
        drop(taken);
        finding.await.expect("a bundle");
        let again = [places.take(host), places.take(host)];
        assert!(
            again
                .into_iter()
                .all(|place| place.now_or_never().is_some())
        );
    }

    /// Four images of an unresponsive registry are requested before an image of another registry is
    /// requested.
    #[tokio::test]
    async fn slow_registry_does_not_delay_images_of_another_registry() {
        let image = oci::Image::of(&[&[("manifests/a.yaml", "kind: ConfigMap")]]);
        let [slow, good] = [Registry::start().await, Registry::start().await];
        slow.make(usize::MAX, "/v2/", oci::Trouble::Silence);
        good.serve("ferries/a", "v1", &image);
        let hosts = [slow.host(), good.host()];
        let flags = ImageFlags {
            plain_http: hosts
                .iter()
                .map(|host| host.parse().expect("a host"))
                .collect(),
            registries: hosts.into(),
            ..ImageFlags::default()
        };
        let bundles = BundleFlags::default().open(&flags, Asker::Server);
        let bundles = bundles.expect("the flags must be of use");
        let find = |host: String| {
            let bundles = bundles.clone();
            tokio::spawn(async move {
                let reference = format!("{host}/ferries/a:v1").parse().expect("a reference");
                bundles.find_image(&reference, &Limits::default()).await
            })
        };
        let stuck: Vec<_> = (0..AT_ONCE).map(|_| find(slow.host())).collect();
        while slow.asked().len() < AT_ONCE / 2 {
            tokio::task::yield_now().await;
        }
        let found = tokio::time::timeout(Duration::from_secs(20), find(good.host())).await;
        found
            .expect("a place")
            .expect("no panic")
            .expect("a bundle");
        assert_eq!(slow.asked().len(), AT_ONCE / 2);
        for call in stuck {
            call.abort();
        }
    }
}
