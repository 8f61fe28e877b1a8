//! The objects from manifests in files: a dump, a must-gather, or a Git repository.

mod contents;
mod documents;
mod gather;
mod manifests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kube::core::ApiResource;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::Reads;
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use self::contents::Contents;
use self::documents::{Object, objects};
pub use self::documents::{Written, read_objects};
use self::gather::{Gather, Gatherer};
pub use self::manifests::Manifests;
use crate::kind::is_dumped;
use crate::regular;
use crate::settle::{Pace, Settled, Stamps};
use crate::store::Stores;
use crate::{
    Area, Completeness, Dialer, Dump, FaultPlace, Kind, KindName, ListedKind, Objects, Projection,
    RawObjects, RawWorld, Trouble, World, WorldFault,
};
use crate::{listed, stored};

/// The file extensions of manifests. If a flag names a file directly, the file may have any name.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The objects in a folder of manifests, or in one file. Clones share the objects. Reading ends
/// when the last clone is dropped.
///
/// Supports YAML with several documents, JSON, and the Lists that `kubectl get -o yaml` prints. If
/// a file has changed and is complete, all files are read again. A document that cannot be read is
/// a [`WorldFault`] of every kind, because the document may be of any kind. If an object occurs
/// several times, the first occurrence in the order of paths and lines is used.
#[derive(Debug, Clone)]
pub struct Files(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    pace: Pace,
    stores: Stores,
    readers: Arc<Readers>,
    _reading: AbortOnDropHandle<Infallible>,
}

/// The stores whose objects are read from the files.
#[derive(Default)]
struct Readers {
    stores: Mutex<Vec<Weak<dyn Gather>>>,
    /// Notified when a store is added or is no longer used.
    asked: Notify,
}

/// Notifies the readers when it is dropped, because a store is no longer used.
#[derive(Debug)]
struct ReleaseGuard(Arc<Readers>);

// === impl Files ===

impl Files {
    /// Reads the manifests at `root`. The path does not have to exist yet.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn at(root: impl AsRef<Path>) -> Self {
        Self::with_pace(root, Pace::default())
    }

    /// Reads the files like [`Files::at`], with another pace.
    ///
    /// # Panics
    /// Panics in the same cases as [`Files::at`].
    pub fn with_pace(root: impl AsRef<Path>, pace: Pace) -> Self {
        Self::with(root.as_ref(), pace, Projection::default())
    }

    /// Also keeps the metadata in `reads`. This does not affect objects that are already being
    /// observed.
    #[must_use]
    pub fn reading(self, reads: &[Reads]) -> Self {
        let projection = self.0.stores.projection().clone().with(reads);
        Self::with(&self.0.root, self.0.pace, projection)
    }

    fn with(root: &Path, pace: Pace, projection: Projection) -> Self {
        let readers = Arc::new(Readers::default());
        let reading = read_on(root.to_owned(), pace, readers.clone());
        Self(Arc::new(Inner {
            root: root.to_owned(),
            pace,
            stores: Stores::of(projection),
            readers,
            _reading: AbortOnDropHandle::new(tokio::spawn(reading)),
        }))
    }
}

impl Files {
    /// Watches the objects of a kind in an area. The generated code of
    /// [`watchable!`](crate::watchable) calls this method.
    #[doc(hidden)]
    pub fn watch<K: Kind>(&self, area: Area) -> Objects<K> {
        let Inner {
            stores, readers, ..
        } = &*self.0;
        stores.objects(area, |store| {
            let store: Arc<dyn Gather> = store;
            readers.add(Arc::downgrade(&store));
            ReleaseGuard(readers.clone())
        })
    }

    /// Reads these objects again. Returns them complete, as the files contain them.
    pub(crate) async fn written(
        &self,
        names: Vec<ObjectRef<Gvk>>,
    ) -> BTreeMap<ObjectRef<Gvk>, Value> {
        let root = self.0.root.clone();
        let reading = tokio::task::spawn_blocking(move || stored::of_files(&root, &names));
        // The task cannot be cancelled. If it panics, no object is returned.
        reading.await.unwrap_or_default()
    }

    /// Returns one object as the files contain it. Returns None if the files do not contain it. A
    /// dump may lack objects that exist in the cluster. For example, dumps contain no ConfigMaps.
    pub(crate) async fn object(&self, named: ObjectRef<Gvk>) -> Result<Option<Value>, Trouble> {
        let found = self.written(vec![named.clone()]).await.remove(&named);
        let kind = named.kind;
        if found.is_some() || self.is_partial() || is_dumped(&kind) {
            return Ok(found);
        }
        Err(Trouble::NotDumped(format!("a dump has no {}s", kind.kind)))
    }

    /// Passes the objects of a kind to the caller. Files may omit objects of kinds that a dump does
    /// not contain.
    pub(crate) async fn each_listed(
        &self,
        ListedKind { kind, .. }: &ListedKind,
        found: &mut (dyn FnMut(&Value) + Send),
    ) -> Result<Completeness, Trouble> {
        let (root, wanted) = (self.0.root.clone(), kind.clone());
        let reading = tokio::task::spawn_blocking(move || listed::of_files(&root, &wanted));
        let (all, completeness) = reading
            .await
            .map_err(|error| Trouble::NotDumped(error.to_string()))?;
        let is_complete = !self.is_partial() && is_dumped(kind);
        if all.is_empty() && !is_complete {
            let why = format!("the files contain no {}", kind.kind);
            return Err(Trouble::NotDumped(why));
        }
        all.iter().for_each(found);
        Ok(if is_complete {
            completeness
        } else {
            Completeness::Part
        })
    }
}

impl World for Files {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        K::of_files(self, area)
    }

    async fn kubernetes(&self) -> Option<String> {
        let root = self.0.root.clone();
        let reading = tokio::task::spawn_blocking(move || Dump::of(&root));
        // Another function reports errors in this file, together with errors in the objects.
        reading.await.ok()?.ok()??.kubernetes
    }

    /// Returns a dialer without forwarding, because the registries in the files belong to another
    /// cluster or to another time.
    fn dialer(&self) -> Dialer {
        Dialer::default()
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.0.root)
    }

    fn is_partial(&self) -> bool {
        !Dump::file(&self.0.root).exists()
    }
}

impl RawWorld for Files {
    fn raw(&self, kind: &ApiResource, area: Area) -> RawObjects {
        let Inner {
            stores, readers, ..
        } = &*self.0;
        stores.raw(kind, area, |store| {
            let store: Arc<dyn Gather> = store;
            readers.add(Arc::downgrade(&store));
            ReleaseGuard(readers.clone())
        })
    }
}

// === impl Readers ===

impl Readers {
    fn add(&self, store: Weak<dyn Gather>) {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        stores.push(store);
        self.asked.notify_one();
    }

    /// Returns the stores that are in use.
    fn held(&self) -> Vec<Weak<dyn Gather>> {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        stores.retain(|store| store.strong_count() > 0);
        stores.clone()
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

impl Drop for ReleaseGuard {
    fn drop(&mut self) {
        self.0.asked.notify_one();
    }
}

/// Reads all files for the stores in use. Waits while no store is in use.
async fn read_on(root: PathBuf, pace: Pace, readers: Arc<Readers>) -> Infallible {
    loop {
        readers.asked.notified().await;
        let mut folder = Settled::at(&root, pace);
        let mut known = Arc::new(ReadContents::default());
        loop {
            let held = readers.held();
            if held.is_empty() {
                break;
            }
            let (top, before) = (folder.root().to_owned(), known.clone());
            let read = move |stamps: &Stamps| Reading::of(&top, stamps, &held, &before);
            tokio::select! {
                biased;
                () = readers.asked.notified() => folder.forget(),
                read = folder.read(read) => known = Arc::new(read.show(&known)),
            }
        }
    }
}

/// The results of the last time that files were read.
#[derive(Default)]
struct ReadContents {
    /// The kinds in each file. None if the files have not been read yet.
    contents: Option<Arc<Contents>>,
    /// The stores that have received all their objects.
    filled: Vec<Weak<dyn Gather>>,
}

/// One pass over the files. If the files have changed, all files are read. Otherwise, only the
/// files that may contain the objects of new stores are read.
struct Reading {
    gatherers: Vec<Box<dyn Gatherer>>,
    /// The stores whose objects this pass collects.
    stores: Vec<Weak<dyn Gather>>,
    /// The kinds in each file that was read. None if the files have not changed, so that the
    /// earlier contents are still valid.
    found: Option<Contents>,
    /// The faults of documents whose kind is unknown.
    faults: Vec<WorldFault>,
    missing: Option<PathBuf>,
    dump: Option<Dump>,
    /// The kinds that the program that wrote the dump did not support.
    not_asked: Vec<KindName>,
}

impl Reading {
    fn of(root: &Path, stamps: &Stamps, held: &[Weak<dyn Gather>], known: &ReadContents) -> Self {
        let contents = known.contents.as_deref();
        let contents = contents.filter(|contents| contents.are_of(stamps));
        let is_filled = |store: &Weak<dyn Gather>| {
            let mut filled = known.filled.iter();
            contents.is_some() && filled.any(|filled| filled.ptr_eq(store))
        };
        let stores = held.iter().filter(|store| !is_filled(store));
        let stores: Vec<_> = stores.cloned().collect();
        let gatherers = stores.iter().filter_map(Weak::upgrade);
        let gatherers: Vec<_> = gatherers.map(Gather::gatherer).collect();
        let wanted = contents.map(|contents| contents.files_for(&gatherers));
        let mut reading = Self {
            gatherers,
            stores,
            found: contents.is_none().then(|| Contents::of(stamps.clone())),
            faults: contents.map_or_else(Vec::new, |contents| contents.faults.clone()),
            missing: (!stamps.exists()).then(|| root.to_owned()),
            dump: None,
            not_asked: Vec::new(),
        };
        match Dump::of(root) {
            Ok(dump) => {
                let not_asked = dump.as_ref().map(|dump| dump.not_asked(root));
                reading.not_asked = not_asked.unwrap_or_default();
                reading.dump = dump;
            }
            Err(error) => {
                let cause = error
                    .source()
                    .map_or_else(String::new, |cause| format!(": {cause}"));
                reading.fail(&Dump::file(root), 1, format!("{error}{cause}"));
            }
        }
        for path in stamps.closed().filter(|path| is_manifest(root, path)) {
            reading.fail(path, 1, "the file cannot be opened, or is a broken link");
        }
        for path in stamps.endless().filter(|path| is_manifest(root, path)) {
            reading.fail(path, 1, regular::NOT_REGULAR);
        }
        let files = stamps.files().filter(|(path, _)| is_manifest(root, path));
        for (number, (path, _)) in files.enumerate() {
            if wanted
                .as_ref()
                .is_none_or(|wanted| wanted.contains(&number))
            {
                reading.file(number, path);
            }
        }
        // Some of the faults may already be known from an earlier pass, so duplicates are removed.
        reading.faults.sort();
        reading.faults.dedup();
        reading
    }

    fn file(&mut self, number: usize, path: &Path) {
        match regular::read(path) {
            Ok(bytes) => objects(&bytes, &mut |line, object| match object {
                Ok(object) => {
                    if let Some(found) = &mut self.found {
                        found.add(number, &object);
                    }
                    self.take(path, line, object);
                }
                Err(why) => self.fail(path, line, why),
            }),
            Err(error) => self.fail(path, 1, error),
        }
    }

    fn take(&mut self, path: &Path, line: u64, object: Object) {
        // Areas may overlap, so several stores may need the object. The last store gets the object,
        // and the other stores get copies.
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
        self.faults.push(WorldFault {
            place: FaultPlace::File {
                file: path.to_owned(),
                line,
                object: None,
            },
            why: why.to_string(),
        });
    }

    /// Publishes the results, and returns the contents for the next pass.
    fn show(self, known: &ReadContents) -> ReadContents {
        let Self {
            gatherers,
            mut stores,
            found,
            faults,
            missing,
            dump,
            not_asked,
        } = self;
        for gatherer in gatherers {
            match &missing {
                Some(path) => gatherer.fail(Trouble::Missing(path.clone())),
                None => show(gatherer, &faults, dump.as_ref(), &not_asked),
            }
        }
        let contents = match found {
            _ if missing.is_some() => None,
            Some(found) => Some(Arc::new(found.with(faults))),
            None => {
                let filled = known.filled.iter();
                stores.extend(filled.filter(|store| store.strong_count() > 0).cloned());
                known.contents.clone()
            }
        };
        ReadContents {
            contents,
            filled: stores,
        }
    }
}

/// Publishes the collected objects in their store. If the dump says that the kind was not served,
/// could not be listed or was not requested, publishes this instead.
fn show(
    gatherer: Box<dyn Gatherer>,
    faults: &[WorldFault],
    dump: Option<&Dump>,
    not_asked: &[KindName],
) {
    let is_it = |name: &KindName| {
        let is_as_much = gatherer.is_metadata_only() == name.metadata_only;
        is_as_much && gatherer.is_of_kind(&name.group, &name.kind)
    };
    let Some(dump) = dump else {
        return gatherer.show(faults);
    };
    // A view of all namespaces is also incomplete if a single namespace could not be listed.
    let is_there = |namespace: &str| gatherer.namespace().is_none_or(|only| only == namespace);
    let mut unseen = dump.not_seen.iter();
    let unseen = unseen
        .find(|unseen| is_it(&unseen.kind) && unseen.namespace.as_deref().is_none_or(is_there));
    match unseen {
        Some(unseen) => gatherer.fail(Trouble::NotDumped(unseen.why.clone())),
        None if dump.not_served.iter().any(is_it) => gatherer.not_served(),
        // A user may have added files to the dump. If the files contain objects of the kind, they
        // are used.
        None if gatherer.is_empty() && not_asked.iter().any(is_it) => {
            gatherer.fail(Trouble::NotAsked {
                by: dump.by.clone(),
            });
        }
        None => gatherer.show(faults),
    }
}

/// Calls `found` for every readable object at `root`, with the apiVersion and the kind of the
/// object.
pub(crate) fn each_object(root: &Path, found: &mut dyn FnMut(&str, &str, &Value)) {
    let stamps = Stamps::of(root);
    let files = stamps.files().filter(|(path, _)| is_manifest(root, path));
    for bytes in files.filter_map(|(path, _)| regular::read(path).ok()) {
        objects(&bytes, &mut |_, object| {
            if let Ok(Object { kind, value, .. }) = object {
                let api_version = value["apiVersion"].as_str().unwrap_or_default();
                found(api_version, &kind, &value);
            }
        });
    }
}

fn is_manifest(root: &Path, path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path == root || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}
