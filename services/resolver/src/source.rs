//! The sources of catalogs.
//!
//! A command of the CLI reads each source once. A server reads a source again after each change.

mod access;
pub mod catalogd;
mod cluster;
mod copy;
mod folder;
mod follow;
mod given;
mod image;
mod origin;
pub mod registry;
mod secrets;

use std::collections::BTreeSet;
use std::path::PathBuf;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_core_names::CatalogName;
use portolan_images::ImageFlags;
use thiserror::Error;
use tokio::task::JoinSet;

use self::catalogd::ReadCatalogd;
pub(crate) use self::follow::Follower;
pub use self::follow::Readings;
use self::image::ReadImage;
use self::registry::ReadRegistry;
use crate::catalogs::Catalogs;
use crate::snapshot::{CatalogState, Offer, Rank, Snapshot, SourceFailure};

pub use self::access::SourceAccess;
pub(crate) use self::cluster::{ClusterCatalogs, Visibility};
pub use self::copy::{Copied, CopyCatalog, Located, located};
pub use self::folder::{
    ReadDocument, ReadFolder, document as folder_document, read as read_folder, read_given,
};
pub use self::given::{CatalogAt, Location, ParseCatalog};
pub(crate) use self::origin::{BundleRest, PackageRest};
pub use self::origin::{ContentOrigin, Documents, ReadOrigin};

/// The flags about access to sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct SourceFlags {
    /// PEM file of the certificate authorities for catalogd. Default: the certificate authorities
    /// of the system.
    #[arg(
        long,
        env = "PORTOLAN_CATALOGD_CA",
        value_name = "FILE",
        hide_short_help = true
    )]
    pub catalogd_ca: Option<PathBuf>,

    /// Read CatalogSources and ClusterCatalogs from their images if no Pod answers. Default: true
    /// for queries, and false for servers.
    #[arg(
        long,
        env = "PORTOLAN_PULL_CATALOGS",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_short_help = true
    )]
    pub pull_catalogs: Option<bool>,

    /// The flags of images.
    #[command(flatten)]
    pub images: ImageFlags,
}

/// The error that the same catalog is given twice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("catalog {0} is given twice; use another name for each --catalog")]
pub struct SameName(CatalogName);

/// The reason why catalogs cannot be read.
#[derive(Debug, Error)]
pub enum ReadCatalogs {
    /// Two catalogs have the same name.
    #[error(transparent)]
    SameName(#[from] SameName),
    /// A source cannot be read.
    #[error("cannot read catalog {name}")]
    Read {
        name: CatalogName,
        source: ReadSource,
    },
}

/// The reason why a source cannot be read.
#[derive(Debug, Error)]
pub enum ReadSource {
    #[error(transparent)]
    Folder(#[from] ReadFolder),
    #[error(transparent)]
    Registry(#[from] ReadRegistry),
    #[error(transparent)]
    Catalogd(#[from] ReadCatalogd),
    #[error(transparent)]
    Image(#[from] ReadImage),
}

const READ_REGISTRY: &str = "ReadRegistry";
const READ_CATALOGD: &str = "ReadCatalogd";
const READ_IMAGE: &str = "ReadImage";

// === impl ReadSource ===

impl ReadSource {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Folder(_) => "ReadFolder",
            Self::Registry(_) => READ_REGISTRY,
            Self::Catalogd(_) => READ_CATALOGD,
            Self::Image(_) => READ_IMAGE,
        }
    }

    /// Returns true if the source exceeds a limit. A retry would exceed the limit again.
    fn is_too_much(&self) -> bool {
        match self {
            Self::Registry(error) => error.is_too_much(),
            Self::Image(error) => error.is_too_much(),
            Self::Folder(_) | Self::Catalogd(_) => false,
        }
    }
}

/// Reads all catalogs once. Invalid content causes faults of the catalog, and no error. A catalog
/// whose server does not respond has no content in the result, if another catalog can be read.
///
/// # Errors
///
/// Returns an error if two catalogs have the same name, a folder cannot be read, or no catalog can
/// be read.
pub async fn read(given: &[CatalogAt], reach: &SourceAccess) -> Result<Snapshot, ReadCatalogs> {
    named_once(given)?;
    let reading = given
        .iter()
        .map(|given| follow::once(given.location.clone(), reach));
    let mut snapshot = Snapshot::default();
    let (mut unread, mut is_read) = (None, false);
    for (given, read) in given.iter().zip(join_all(reading).await) {
        let at = Timestamp::now();
        let state = match read {
            Ok((catalog, origin)) => {
                is_read = true;
                CatalogState::Pending.read(at, catalog, origin)
            }
            Err(source @ ReadSource::Folder(_)) => return Err(given.failed(source)),
            Err(source) => {
                let why = SourceFailure::new(source.code(), &source);
                unread.get_or_insert_with(|| given.failed(source));
                CatalogState::Pending.lost(at, why)
            }
        };
        let offer = Offer {
            observed: given.location.observed(),
            rank: Rank::default(),
            state,
        };
        snapshot = snapshot.with(given.name.clone(), offer);
    }
    match unread {
        Some(error) if !is_read => Err(error),
        _ => Ok(snapshot),
    }
}

/// Watches all catalogs until the returned tasks are dropped. The tasks do not end by themselves.
///
/// # Errors
///
/// Returns an error if two catalogs have the same name, or if a folder is missing, which is
/// probably a typo.
pub fn watch(
    given: Vec<CatalogAt>,
    reach: &SourceAccess,
    catalogs: &Catalogs,
) -> Result<JoinSet<()>, ReadCatalogs> {
    watch_by(&Follower::new(catalogs, reach), given)
}

/// Watches the catalogs with this `follower`.
///
/// # Errors
///
/// Returns the same errors as [`watch`].
pub(crate) fn watch_by(
    follower: &Follower,
    given: Vec<CatalogAt>,
) -> Result<JoinSet<()>, ReadCatalogs> {
    check(&given)?;
    let catalogs = follower.catalogs();
    let mut following = JoinSet::new();
    for CatalogAt { name, location } in given {
        catalogs.place(&name, location.observed(), Rank::default());
        following.spawn(follower.clone().follow(location, name));
    }
    Ok(following)
}

/// Checks that each catalog name occurs only once, and that all folders exist.
///
/// # Errors
///
/// Returns an error if a check fails.
pub fn check(given: &[CatalogAt]) -> Result<(), ReadCatalogs> {
    named_once(given)?;
    given.iter().try_for_each(CatalogAt::look)
}

fn named_once(given: &[CatalogAt]) -> Result<(), SameName> {
    let mut names = BTreeSet::new();
    match given.iter().find(|given| !names.insert(&given.name)) {
        Some(again) => Err(SameName(again.name.clone())),
        None => Ok(()),
    }
}
