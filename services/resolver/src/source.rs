//! Where catalogs come from.
//!
//! A source says what it has: once, for a question on the command line, or again whenever that has
//! changed, for as long as a process runs.

pub mod catalogd;
mod cluster;
mod folder;
mod follow;
mod given;
mod origin;
pub mod registry;

use std::collections::BTreeSet;
use std::path::PathBuf;

use futures::future::try_join_all;
use jiff::Timestamp;
use portolan_names::CatalogName;
use thiserror::Error;
use tokio::task::JoinSet;

use self::catalogd::ReadCatalogd;
use self::registry::ReadRegistry;
use crate::catalogs::Catalogs;
use crate::snapshot::{Offer, Snapshot, Standing};

pub(crate) use self::cluster::ClusterCatalogs;
pub use self::folder::{
    ReadDocument, ReadFolder, document as folder_document, read as read_folder,
};
pub use self::given::{CatalogAt, Location, ParseCatalog};
pub(crate) use self::origin::{BundleRest, PackageRest};
pub use self::origin::{Origin, ReadOrigin};

/// How sources are reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct Reach {
    /// PEM file of the authorities that vouch for catalogd; those of the system if not given.
    #[arg(long, env = "PORTOLAN_CATALOGD_CA", value_name = "FILE")]
    pub catalogd_ca: Option<PathBuf>,
}

/// The same catalog given twice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("catalog {0} is given twice; give each --catalog a name of its own")]
pub struct SameName(CatalogName);

/// Why catalogs cannot be read.
#[derive(Debug, Error)]
pub enum ReadCatalogs {
    /// Two catalogs have one name.
    #[error(transparent)]
    SameName(#[from] SameName),
    /// A source cannot be read.
    #[error("read catalog {name}")]
    Read {
        /// The catalog.
        name: CatalogName,
        /// What could not be read.
        source: ReadSource,
    },
}

/// Why a source cannot be read.
#[derive(Debug, Error)]
pub enum ReadSource {
    /// A folder.
    #[error(transparent)]
    Folder(#[from] ReadFolder),
    /// A registry.
    #[error(transparent)]
    Registry(#[from] ReadRegistry),
    /// A catalogd.
    #[error(transparent)]
    Catalogd(#[from] ReadCatalogd),
}

// === impl ReadSource ===

impl ReadSource {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Folder(_) => "ReadFolder",
            Self::Registry(_) => "ReadRegistry",
            Self::Catalogd(_) => "ReadCatalogd",
        }
    }
}

/// Reads all catalogs once. What is wrong inside of one is a fault of it and no error.
///
/// # Errors
///
/// Two have one name, or the source of one cannot be read.
pub async fn read(given: &[CatalogAt], reach: &Reach) -> Result<Snapshot, ReadCatalogs> {
    named_once(given)?;
    let offers = given.iter().map(async |given| {
        let read = follow::once(given.location.clone(), reach).await;
        let (catalog, origin) = read.map_err(|source| given.failed(source))?;
        let offer = Offer {
            observed: given.location.observed(),
            priority: 0,
            standing: Standing::Pending.read(Timestamp::now(), catalog, origin),
        };
        Ok::<_, ReadCatalogs>((given.name.clone(), offer))
    });
    let offers = try_join_all(offers).await?.into_iter();
    Ok(offers.fold(Snapshot::default(), |snapshot, (name, offer)| {
        snapshot.with(name, offer)
    }))
}

/// Follows all catalogs for as long as the tasks live, which do not end by themselves.
///
/// # Errors
///
/// Two have one name, or there is nothing where a folder was said to be: at the start that is
/// taken for a slip of the pen.
pub fn watch(
    given: Vec<CatalogAt>,
    reach: &Reach,
    catalogs: &Catalogs,
) -> Result<JoinSet<()>, ReadCatalogs> {
    named_once(&given)?;
    given.iter().try_for_each(CatalogAt::look)?;
    let mut following = JoinSet::new();
    for CatalogAt { name, location } in given {
        catalogs.place(&name, location.observed(), 0);
        following.spawn(follow::follow(
            location,
            reach.clone(),
            name,
            catalogs.clone(),
        ));
    }
    Ok(following)
}

fn named_once(given: &[CatalogAt]) -> Result<(), SameName> {
    let mut names = BTreeSet::new();
    match given.iter().find(|given| !names.insert(&given.name)) {
        Some(again) => Err(SameName(again.name.clone())),
        None => Ok(()),
    }
}
