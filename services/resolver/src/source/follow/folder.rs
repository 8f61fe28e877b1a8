//! Watches a folder and reads it again after changes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use portolan_core_catalog::Catalog;
use portolan_core_names::PackageName;
use portolan_world::settle::{Pace, Settled};
use tokio::time::timeout;

use super::super::folder::{Folder, ReadFolder, look};
use super::{ContentOrigin, Fetched, ReadSource, Source};

/// The time without changes that is required before worse content is accepted. A program may still
/// be writing the folder, with pauses.
const DOUBT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) struct WatchedFolder {
    settled: Settled,
    /// A function that creates the origin of the folder's content.
    origin: fn(PathBuf) -> ContentOrigin,
    /// The folder. A blocking thread reads it, and only one thread at a time.
    folder: Arc<Mutex<Folder>>,
    /// The outline of the content that was read last.
    told: Option<Outline>,
}

/// The facts about a catalog that show if newer content is worse.
#[derive(Debug)]
struct Outline {
    packages: BTreeSet<PackageName>,
    faults: usize,
}

// === impl WatchedFolder ===

impl WatchedFolder {
    pub(super) fn at(path: PathBuf, origin: fn(PathBuf) -> ContentOrigin) -> Self {
        let settled = Settled::only(path, Pace::default(), look);
        let folder = Folder::new(settled.root().to_owned());
        Self {
            settled,
            origin,
            folder: Arc::new(Mutex::new(folder)),
            told: None,
        }
    }

    /// Waits for the next change and reads the content. Retries after errors.
    async fn read(&mut self) -> Result<Catalog, ReadFolder> {
        let folder = Arc::clone(&self.folder);
        let read = self.settled.read(move |stamps| {
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.read(stamps)
        });
        let read = read.await;
        if read.is_err() {
            self.settled.forget();
        }
        read
    }

    /// Reads the current content. If it is worse than the previous content, waits for more changes.
    async fn settle(&mut self) -> Result<Catalog, ReadFolder> {
        let mut catalog = self.read().await?;
        while self
            .told
            .as_ref()
            .is_some_and(|told| told.is_better_than(&catalog))
        {
            match timeout(DOUBT, self.read()).await {
                Ok(newer) => catalog = newer?,
                Err(_) => break,
            }
        }
        let had_packages = self
            .told
            .as_ref()
            .is_some_and(|told| !told.packages.is_empty());
        if had_packages && catalog.packages.is_empty() {
            self.settled.forget();
            return Err(ReadFolder::Emptied(self.settled.root().to_owned()));
        }
        self.told = Some(Outline::of(&catalog));
        Ok(catalog)
    }
}

impl Source for WatchedFolder {
    async fn next(&mut self) -> Result<Fetched, ReadSource> {
        let catalog = self.settle().await?;
        let root = self.settled.root().to_owned();
        Ok(Fetched::Content(Box::new(catalog), (self.origin)(root)))
    }
}

// === impl Outline ===

impl Outline {
    fn of(catalog: &Catalog) -> Self {
        Self {
            packages: catalog.packages.keys().cloned().collect(),
            faults: catalog.faults.len(),
        }
    }

    /// Returns true if the newer catalog lacks packages that this catalog has, or has more faults.
    fn is_better_than(&self, newer: &Catalog) -> bool {
        let is_lost = |name: &PackageName| !newer.packages.contains_key(name);
        newer.faults.len() > self.faults || self.packages.iter().any(is_lost)
    }
}
