//! Objects of manifests in files: a dump, a must-gather, a git repository.

mod documents;
mod gather;
mod manifests;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use portolan_settle::{Pace, Settled, Stamps};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use self::documents::{Object, objects};
use self::gather::{Gather, Gatherer};
pub use self::manifests::Manifests;
use crate::shelf::Shelves;
use crate::{Area, Fault, Kind, Objects, Place, Trouble, World};

/// Which files are manifests. A file that is named itself may be called anything.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The objects in a folder of manifests, or in one file. Clones are the same world, which ends
/// with the last of them.
///
/// Read are multi-document YAML, JSON, and the Lists that `kubectl get -o yaml` prints; all again
/// when something changed and is whole. A document that cannot be read is a [`Fault`] of every
/// kind, for it may be of any. Of an object that is there twice the first counts, by path and line.
#[derive(Debug, Clone)]
pub struct Files(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shelves: Shelves,
    readers: Arc<Readers>,
    _reading: AbortOnDropHandle<Infallible>,
}

/// The shelves to be filled.
#[derive(Default)]
struct Readers {
    shelves: Mutex<Vec<Weak<dyn Gather>>>,
    /// Rings when a shelf is asked for, and when one is no longer.
    asked: Notify,
}

/// Rings when a shelf is no longer held.
#[derive(Debug)]
struct Farewell(Arc<Readers>);

// === impl Files ===

impl Files {
    /// The manifests at `root`, now or later: it need not exist.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn at(root: impl AsRef<Path>) -> Self {
        Self::with_pace(root, Pace::default())
    }

    /// The same, with another patience for whoever writes.
    ///
    /// # Panics
    /// As [`Files::at`].
    pub fn with_pace(root: impl AsRef<Path>, pace: Pace) -> Self {
        let readers = Arc::new(Readers::default());
        let reading = read_on(root.as_ref().to_owned(), pace, readers.clone());
        Self(Arc::new(Inner {
            shelves: Shelves::default(),
            readers,
            _reading: AbortOnDropHandle::new(tokio::spawn(reading)),
        }))
    }
}

impl World for Files {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let Inner {
            shelves, readers, ..
        } = &*self.0;
        shelves.open(area, |shelf| {
            let shelf: Arc<dyn Gather> = shelf;
            readers.add(Arc::downgrade(&shelf));
            Farewell(readers.clone())
        })
    }
}

// === impl Readers ===

impl Readers {
    fn add(&self, shelf: Weak<dyn Gather>) {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        shelves.push(shelf);
        self.asked.notify_one();
    }

    /// The shelves that somebody holds.
    fn held(&self) -> Vec<Weak<dyn Gather>> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        shelves.retain(|shelf| shelf.strong_count() > 0);
        shelves.clone()
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.asked.notify_one();
    }
}

/// Reads all files for the shelves that are held, and looks at none while there are none.
async fn read_on(root: PathBuf, pace: Pace, readers: Arc<Readers>) -> Infallible {
    loop {
        readers.asked.notified().await;
        let mut folder = Settled::at(&root, pace);
        loop {
            let held = readers.held();
            if held.is_empty() {
                break;
            }
            let top = folder.root().to_owned();
            tokio::select! {
                biased;
                () = readers.asked.notified() => folder.forget(),
                read = folder.read(move |stamps| Reading::of(&top, stamps, &held)) => read.show(),
            }
        }
    }
}

/// What was read of all files.
struct Reading {
    gatherers: Vec<Box<dyn Gatherer>>,
    /// Of documents that may be of any kind.
    faults: Vec<Fault>,
    missing: Option<PathBuf>,
}

impl Reading {
    fn of(root: &Path, stamps: &Stamps, held: &[Weak<dyn Gather>]) -> Self {
        let held = held.iter().filter_map(Weak::upgrade);
        let mut reading = Self {
            gatherers: held.map(Gather::gatherer).collect(),
            faults: Vec::new(),
            missing: (!stamps.exists()).then(|| root.to_owned()),
        };
        for path in stamps.closed().filter(|path| is_manifest(root, path)) {
            reading.fail(path, 1, "it cannot be looked at, or is a link to nowhere");
        }
        for (path, _) in stamps.files().filter(|(path, _)| is_manifest(root, path)) {
            reading.file(path);
        }
        reading
    }

    fn file(&mut self, path: &Path) {
        match std::fs::read(path) {
            Ok(bytes) => objects(&bytes, &mut |line, object| match object {
                Ok(object) => self.take(path, line, object),
                Err(why) => self.fail(path, line, why),
            }),
            Err(error) => self.fail(path, 1, error),
        }
    }

    fn take(&mut self, path: &Path, line: u64, object: Object) {
        // Areas overlap, so that several may want it; there is a copy for all but the last.
        let gatherers = self.gatherers.iter_mut();
        let mut wanting = gatherers
            .filter(|gatherer| gatherer.wants(&object))
            .peekable();
        while let Some(gatherer) = wanting.next() {
            if wanting.peek().is_none() {
                return gatherer.take(path, line, object);
            }
            gatherer.take(path, line, object.clone());
        }
    }

    fn fail(&mut self, path: &Path, line: u64, why: impl ToString) {
        self.faults.push(Fault {
            place: Place::File {
                file: path.to_owned(),
                line,
                object: None,
            },
            why: why.to_string(),
        });
    }

    /// Shows it to those who wait for it.
    fn show(self) {
        let Self {
            gatherers,
            faults,
            missing,
        } = self;
        for gatherer in gatherers {
            match &missing {
                Some(path) => gatherer.fail(Trouble::Missing(path.clone())),
                None => gatherer.show(&faults),
            }
        }
    }
}

fn is_manifest(root: &Path, path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path == root || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}
