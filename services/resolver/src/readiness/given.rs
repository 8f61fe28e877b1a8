//! The catalogs of later releases that a user supplies. They are read once, or watched.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use futures::future::join_all;
use portolan_core_names::CatalogName;
use portolan_core_route::readiness::Minor;
use portolan_shell::with_causes;
use tokio::task::JoinSet;

use crate::Snapshot;
use crate::budget::Budget;
use crate::catalogs::Catalogs;
use crate::source::{self, CatalogAt, ReadCatalogs, ReadSource, SourceAccess};

/// A catalog of a later release, from a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseCatalog {
    pub release: Minor,
    pub catalog: CatalogAt,
}

/// The catalogs of one release that a user supplies.
#[derive(Debug, Clone)]
pub struct ReleaseContent {
    pub release: Minor,
    /// Each catalog with a Snapshot that contains it, or with the reason why it cannot be read.
    pub catalogs: BTreeMap<CatalogName, Result<Arc<Snapshot>, String>>,
}

/// Catalogs of later releases that are watched until this value is dropped. Clones share the
/// catalogs.
#[derive(Clone, Default)]
pub struct FollowedReleases(Arc<[FollowedRelease]>);

struct FollowedRelease {
    release: Minor,
    names: Vec<CatalogName>,
    catalogs: Catalogs,
    _following: Mutex<JoinSet<()>>,
}

// === impl ReleaseCatalog ===

impl FromStr for ReleaseCatalog {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (release, catalog) = text.split_once('=').ok_or_else(|| {
            format!("`{text}` is not RELEASE=NAME=PLACE, such as 4.21=olm/shop=./shop")
        })?;
        let release = release
            .parse::<Minor>()
            .map_err(|error| error.to_string())?;
        let catalog = catalog
            .parse::<CatalogAt>()
            .map_err(|error| error.to_string())?;
        Ok(Self { release, catalog })
    }
}

/// Reads the given catalogs once.
///
/// # Errors
/// Returns an error if a release has two catalogs with the same name, or if a folder cannot be
/// read. An unreachable source is not an error.
pub async fn read_given(
    given: &[ReleaseCatalog],
    access: &SourceAccess,
) -> Result<Vec<ReleaseContent>, ReadCatalogs> {
    let releases = by_release(given);
    let reading = releases.into_iter().map(|(release, all)| async move {
        source::check(&all)?;
        let reading = all.into_iter().map(|at| async move {
            let read = match source::read(std::slice::from_ref(&at), access).await {
                Ok(snapshot) => Ok(Arc::new(snapshot)),
                Err(
                    error @ ReadCatalogs::Read {
                        source: ReadSource::Folder(_),
                        ..
                    },
                ) => return Err(error),
                Err(error) => Err(with_causes(&error)),
            };
            Ok((at.name, read))
        });
        let catalogs: Result<_, _> = join_all(reading).await.into_iter().collect();
        catalogs.map(|catalogs| ReleaseContent { release, catalogs })
    });
    join_all(reading).await.into_iter().collect()
}

fn by_release(given: &[ReleaseCatalog]) -> BTreeMap<Minor, Vec<CatalogAt>> {
    let mut releases = BTreeMap::<_, Vec<_>>::new();
    for ReleaseCatalog { release, catalog } in given {
        releases.entry(*release).or_default().push(catalog.clone());
    }
    releases
}

// === impl FollowedReleases ===

impl FollowedReleases {
    /// Starts to watch these catalogs.
    ///
    /// # Errors
    /// Returns an error if a release has two catalogs with the same name, or if a folder is missing.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(given: &[ReleaseCatalog], access: &SourceAccess) -> Result<Self, ReadCatalogs> {
        let budget = Budget::of_process(None);
        let releases = by_release(given).into_iter().map(|(release, all)| {
            let names = all.iter().map(|at| at.name.clone()).collect();
            let catalogs = Catalogs::within(budget.clone());
            let following = source::watch(all, access, &catalogs)?;
            Ok(FollowedRelease {
                release,
                names,
                catalogs,
                _following: Mutex::new(following),
            })
        });
        releases
            .collect::<Result<Vec<_>, _>>()
            .map(|it| Self(it.into()))
    }

    /// Waits until each catalog was read or has failed.
    pub async fn settled(&self) {
        for followed in self.0.iter() {
            let mut snapshot = followed.catalogs.watch();
            // This value owns the sender, so the wait cannot fail.
            let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
        }
    }

    /// Returns the current snapshot of each release. A snapshot is replaced when its content changes.
    pub fn snapshots(&self) -> Vec<Arc<Snapshot>> {
        let all = self.0.iter();
        all.map(|it| it.catalogs.watch().borrow().clone()).collect()
    }

    /// Returns the current content of all releases.
    pub fn now(&self) -> Vec<ReleaseContent> {
        let releases = self.0.iter().map(|followed| {
            let snapshot = followed.catalogs.watch().borrow().clone();
            let names = followed.names.iter();
            let catalogs = names.map(|name| (name.clone(), Ok(snapshot.clone())));
            ReleaseContent {
                release: followed.release,
                catalogs: catalogs.collect(),
            }
        });
        releases.collect()
    }
}

impl fmt::Debug for FollowedReleases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let releases = self.0.iter().map(|it| it.release);
        f.debug_list().entries(releases).finish()
    }
}
