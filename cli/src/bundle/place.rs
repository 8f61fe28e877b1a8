//! The location of a bundle, and its files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use portolan_core_bundle::{Bundle, BundleFault, Folder, Limits, Severity};
use portolan_resolver::bundles::{
    BundleFlags, ImageFlags, Progress, ReadBundleFolder, ReadBundleImage, Reference, is_layout,
    read_bundle_folder, read_bundle_image, read_bundle_in_layout,
};
use portolan_shell::with_causes;

use crate::exit::Exit;
use crate::facts::{CatalogArgs, ResolverConnection};
use crate::failure::Failure;
use crate::print;
use crate::progress::{self, ProgressText};
use crate::scope::InArgs;

/// The location of the files of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BundlePlace {
    /// A local path: a folder with `manifests` and `metadata`, a tar archive of this folder
    /// (compressed or not), or an OCI layout with one image.
    Files(PathBuf),
    /// An image in a registry.
    Image(Reference),
    /// An image of an OCI layout: the path of the layout, and the name of the image.
    Layout(PathBuf, String),
}

/// The catalog of a bundle, and the places of its files.
#[derive(Debug, Args)]
pub(super) struct BundleCatalogArgs {
    #[command(flatten)]
    within: InArgs,

    #[command(flatten)]
    facts: CatalogArgs,

    #[command(flatten, next_help_heading = "Bundles")]
    bundles: BundleFlags,
}

/// The reason why a bundle cannot be read.
#[derive(Debug)]
pub(super) enum Unread {
    /// The location contains no files.
    Missing(String),
    /// The files of the bundle cannot be read.
    Failed(String),
    /// The files are not a bundle.
    Faults(Vec<BundleFault>),
}

// === impl BundleCatalogArgs ===

impl BundleCatalogArgs {
    /// Returns the name of the catalog. An empty name selects the best catalog.
    pub(super) fn catalog(&self) -> String {
        self.within.catalog.clone()
    }

    /// Returns the flags that control how images are pulled.
    pub(super) fn images(&self) -> &ImageFlags {
        self.facts.images()
    }

    pub(super) async fn connect(&self) -> Result<ResolverConnection, Failure> {
        self.facts.connect_with_bundles(&self.bundles).await
    }
}

// === impl BundlePlace ===

impl FromStr for BundlePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            None if text.is_empty() => Err(
                "PLACE is empty; use a folder, a tar archive, or an image as oci://IMAGE"
                    .to_owned(),
            ),
            None => Ok(Self::on_disk(text)),
            Some(("oci" | "docker", image)) => {
                let reference = image.parse::<Reference>();
                reference.map(Self::Image).map_err(|why| why.to_string())
            }
            Some((other, _)) => Err(format!(
                "unsupported scheme {other}://; use a folder with `manifests` and \
                 `metadata`, a tar archive of such a folder, or an image as oci://IMAGE"
            )),
        }
    }
}

impl fmt::Display for BundlePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(path) => path.display().fmt(f),
            Self::Image(reference) => write!(f, "oci://{reference}"),
            Self::Layout(folder, name) => write!(f, "oci:{}:{name}", folder.display()),
        }
    }
}

impl BundlePlace {
    /// Parses the only argument of a command as a location. With two arguments, the command reads
    /// the bundle from a catalog instead.
    pub(super) fn parse_argument(word: &str, command: &str) -> Result<Self, Failure> {
        word.parse().map_err(|why| {
            Failure::usage(format!(
                "{why}; for a bundle of a catalog, use `bundle {command} PACKAGE BUNDLE`"
            ))
        })
    }

    /// Parses a local path. `oci:FOLDER:NAME` is an image in an OCI layout, as in skopeo.
    fn on_disk(text: &str) -> Self {
        let Some(layout) = text.strip_prefix("oci:") else {
            return Self::Files(text.into());
        };
        match layout.split_once(':') {
            Some((folder, name)) => Self::Layout(folder.into(), name.to_owned()),
            None => Self::Files(layout.into()),
        }
    }

    /// Reads the bundle at the location.
    pub(super) async fn read(&self, images: &ImageFlags) -> Result<Bundle, Unread> {
        let limits = Limits::default();
        let folder = match self {
            Self::Files(path) if is_layout(path) => {
                let read = read_bundle_in_layout(path, None, &limits).await;
                read.map_err(|why| self.unread(why))
            }
            Self::Files(path) => self.files(path, &limits),
            Self::Layout(folder, name) => {
                let read = read_bundle_in_layout(folder, Some(name), &limits).await;
                read.map_err(|why| self.unread(why))
            }
            Self::Image(reference) => {
                let standing = ProgressText::default();
                let told = |progress: Progress<'_>| standing.is(progress.to_string());
                let pulling = read_bundle_image(reference, images, &limits, &told);
                let what = format!("pulling {reference}");
                let pulled = progress::show_with(&what, &standing, pulling).await;
                pulled.map_err(|why| self.unread(why))
            }
        };
        Bundle::read(folder?, &limits).map_err(Unread::Faults)
    }

    fn files(&self, path: &Path, limits: &Limits) -> Result<Folder, Unread> {
        read_bundle_folder(path, limits).map_err(|why| match why {
            ReadBundleFolder::Faults(faults) => Unread::Faults(faults),
            ReadBundleFolder::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Unread::Missing(format!("cannot read {self}: {source}; {}", remedy(path)))
            }
            ReadBundleFolder::Io { source, .. } => {
                Unread::Failed(format!("cannot read {self}: {source}"))
            }
        })
    }

    fn unread(&self, why: ReadBundleImage) -> Unread {
        match why {
            ReadBundleImage::Faults(faults) => Unread::Faults(faults),
            why @ (ReadBundleImage::Flags(_)
            | ReadBundleImage::Host(_)
            | ReadBundleImage::Prepare(_)
            | ReadBundleImage::Pull(_)
            | ReadBundleImage::Layout(_)) => {
                Unread::Failed(format!("cannot read {self}: {}", with_causes(&why)))
            }
        }
    }

    /// Reads the bundle. If the bundle cannot be read, prints the reasons to standard error.
    pub(super) async fn read_or_report(&self, images: &ImageFlags) -> Result<Bundle, Exit> {
        match self.read(images).await {
            Ok(bundle) => Ok(bundle),
            Err(Unread::Missing(sentence)) => {
                print::error(&sentence);
                Err(Exit::BadInput)
            }
            Err(Unread::Failed(sentence)) => {
                print::error(&sentence);
                Err(Exit::Unknown)
            }
            Err(Unread::Faults(faults)) => {
                let errors = faults.iter().filter(|it| it.severity == Severity::Error);
                errors.for_each(|fault| print::error(&self.located(fault)));
                Err(Exit::Unknown)
            }
        }
    }

    /// Returns a fault as text, with the location before the file name. Editors recognize this
    /// format.
    pub(super) fn located(&self, fault: &BundleFault) -> String {
        match self {
            Self::Files(path) if path.is_dir() && fault.line > 0 => {
                path.join(fault.to_string()).display().to_string()
            }
            Self::Files(_) | Self::Image(_) | Self::Layout(..) => format!("{self}: {fault}"),
        }
    }
}

/// Returns the remedy for a location without files. A single word may be the name of a bundle in a
/// catalog, so the remedy also mentions this possibility.
fn remedy(path: &Path) -> String {
    let is_word = path.components().count() == 1;
    match path.extension().and_then(|it| it.to_str()) {
        Some("tar" | "gz" | "tgz") => {}
        _ if is_word => {
            return format!("for a bundle of a catalog, use PACKAGE {}", path.display());
        }
        _ => {}
    }
    "use a folder with `manifests` and `metadata`, or a tar archive of such a folder".to_owned()
}
