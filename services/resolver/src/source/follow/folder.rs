//! A folder that is read again when it has changed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_settle::{Pace, Settled};

use super::super::folder::Folder;
use super::{News, Origin, ReadSource, Source};

#[derive(Debug)]
pub(super) struct WatchedFolder {
    settled: Settled,
    /// Read where it may block, by one at a time.
    folder: Arc<Mutex<Folder>>,
}

// === impl WatchedFolder ===

impl WatchedFolder {
    pub(super) fn at(path: PathBuf) -> Self {
        let settled = Settled::at(path, Pace::default());
        let folder = Folder::new(settled.root().to_owned());
        Self {
            settled,
            folder: Arc::new(Mutex::new(folder)),
        }
    }
}

impl Source for WatchedFolder {
    async fn next(&mut self) -> Result<News, ReadSource> {
        let folder = Arc::clone(&self.folder);
        let read = self.settled.read(move |stamps| {
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.read(stamps)
        });
        match read.await {
            Ok(catalog) => {
                let root = self.settled.root().to_owned();
                Ok(News::Content(Box::new(catalog), Origin::folder(root)))
            }
            Err(error) => Err(error.into()),
        }
    }
}
