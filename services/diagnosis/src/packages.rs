//! Reads packages of ClusterCatalogs. Their upgrades explain why a ClusterExtension is not
//! upgraded.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use portolan_core_diagnosis::ServedPackage;
use portolan_core_names::PackageName;
use portolan_resolver::{Following, Snapshot};
use tokio::time::timeout;

/// The maximum time to wait for the content of catalogs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reads the packages of catalogs. Clones share the catalogs.
#[derive(Clone)]
pub(crate) struct CatalogReader {
    open: Arc<dyn Fn() -> Option<Following> + Send + Sync>,
    /// The watched catalogs. Unset until the first use. None if they cannot be watched.
    opened: Arc<OnceLock<Option<Following>>>,
}

// === impl CatalogReader ===

impl CatalogReader {
    /// Creates a reader of catalogs that are already watched.
    pub(crate) fn of(catalogs: Following) -> Self {
        Self::opening(move || Some(catalogs.clone()))
    }

    /// Creates a reader that starts to watch catalogs when they are needed for the first time.
    pub(crate) fn opening(open: impl Fn() -> Option<Following> + Send + Sync + 'static) -> Self {
        Self {
            open: Arc::new(open),
            opened: Arc::default(),
        }
    }

    /// Returns the packages with these names in the ClusterCatalogs that can be read.
    pub(crate) async fn packages(&self, names: Vec<String>) -> Vec<ServedPackage> {
        let Some(catalogs) = self.opened.get_or_init(|| (self.open)()) else {
            return Vec::new();
        };
        // If the wait times out, catalogs that have not been read yet supply no packages.
        let _ = timeout(PATIENCE, catalogs.settled()).await;
        let snapshot = catalogs.watch().borrow().clone();
        named(&snapshot, &names)
    }
}

impl fmt::Debug for CatalogReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CatalogReader")
    }
}

fn named(snapshot: &Snapshot, names: &[String]) -> Vec<ServedPackage> {
    let names = names.iter().filter_map(|it| PackageName::parse(it).ok());
    let names: Vec<_> = names.collect();
    let offers = snapshot.offers.iter();
    let offers = offers.filter(|(_, offer)| offer.rank.is_of_olm_v1);
    let packages = offers.flat_map(|(catalog, offer)| {
        let content = offer.content();
        names.iter().filter_map(move |name| {
            Some(ServedPackage {
                catalog: catalog.object().to_owned(),
                package: Arc::clone(content?.charted().get(name)?),
            })
        })
    });
    packages.collect()
}
