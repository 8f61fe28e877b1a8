//! A catalog in a folder of files.

mod document;
mod feed;
mod scan;

use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use portolan_catalog::{Catalog, Reading};
use thiserror::Error;

use self::scan::{Found, Stamp};

pub use self::document::{ReadDocument, document};

/// How often a folder is looked at again that changes while it is read.
const TRIES: usize = 20;

/// How long it is left alone between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// A folder that cannot be read.
#[derive(Debug, Error)]
pub enum ReadFolder {
    /// There is nothing at its path, or nothing that may be looked at.
    #[error("read {}", path.display())]
    Open {
        /// The path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Somebody writes to it all the time.
    #[error("the files in {} change faster than they can be read", .0.display())]
    Restless(PathBuf),
}

/// A folder with all that is below it, or a single file. It remembers what its files said, and
/// reads only those again that have changed.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    kept: BTreeMap<PathBuf, Kept>,
}

/// What a file said when it had a stamp.
#[derive(Debug, Clone)]
struct Kept {
    stamp: Stamp,
    /// Whether it says the same as long as it has that stamp.
    is_final: bool,
    reading: Arc<Reading>,
}

/// Reads a folder once. A file that cannot be read is a fault of the catalog; only if there is
/// nothing at `root` there is no catalog.
///
/// # Errors
///
/// There is nothing at `root`, or it changes faster than it can be read.
pub fn read(root: &Path) -> Result<Catalog, ReadFolder> {
    Folder::new(root.to_owned()).read()
}

// === impl Folder ===

impl Folder {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            kept: BTreeMap::new(),
        }
    }

    /// Reads what has changed. A catalog is made only of files that are the same before and after:
    /// what somebody writes at this moment is never taken in half.
    pub(crate) fn read(&mut self) -> Result<Catalog, ReadFolder> {
        for _ in 0..TRIES {
            let found = self.scan()?;
            let kept = self.keep(&found);
            if self.scan()? == found {
                let readings: Vec<_> = kept
                    .values()
                    .map(|kept| Arc::clone(&kept.reading))
                    .collect();
                self.kept = kept;
                return Ok(Catalog::of(readings));
            }
            self.kept = kept;
            thread::sleep(PAUSE);
        }
        Err(ReadFolder::Restless(self.root.clone()))
    }

    fn scan(&self) -> Result<Vec<Found>, ReadFolder> {
        scan::scan(&self.root).map_err(|source| ReadFolder::Open {
            path: self.root.clone(),
            source,
        })
    }

    /// Reads files side by side, as many at once as there are processors.
    fn keep(&self, found: &[Found]) -> BTreeMap<PathBuf, Kept> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let next = AtomicUsize::new(0);
        let read_on = || {
            let take = || found.get(next.fetch_add(1, Ordering::Relaxed));
            std::iter::from_fn(|| take().map(|found| self.reading(found))).collect::<Vec<_>>()
        };
        thread::scope(|scope| {
            let others = 1..processors.min(found.len());
            let running: Vec<_> = others.map(|_| scope.spawn(read_on)).collect();
            let mut kept = read_on();
            for other in running {
                kept.extend(other.join().expect("reading a catalog file must not panic"));
            }
            kept.into_iter().collect()
        })
    }

    fn reading(&self, found: &Found) -> (PathBuf, Kept) {
        let known = self.kept.get(&found.path);
        let known = known.filter(|kept| kept.is_final && kept.stamp == found.stamp);
        let kept = known.cloned().unwrap_or_else(|| Kept {
            is_final: found.stamp.is_final(),
            stamp: found.stamp.clone(),
            reading: Arc::new(feed::read(&self.root, found)),
        });
        (found.path.clone(), kept)
    }
}
