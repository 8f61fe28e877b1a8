//! The stores of the objects of a kind.

#[cfg(test)]
mod tests;

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use jiff::Timestamp;
use kube::core::ApiResource;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::kind::area_of;
use crate::projection::KeptFields;
use crate::raw::RawStore;
use crate::{
    Area, Key, Kind, Objects, Projection, RawObjects, State, Trouble, User, View, Watched,
    WorldFault,
};

/// The stores of a world: one for each kind and area in use.
#[derive(Debug)]
pub(crate) struct Stores {
    open: Mutex<HashMap<(Of, Area), Weak<dyn Any + Send + Sync>>>,
    projection: Projection,
    ended: CancellationToken,
    _end: DropGuard,
}

/// The content of a store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Of {
    /// Objects of this type.
    Kind(TypeId),
    /// Whole objects with this apiVersion and kind.
    Raw(String, String),
    /// The metadata of objects with this apiVersion and kind, as a user.
    Metadata(String, String, Option<User>),
}

/// A store in use, with a value that is dropped when the store is no longer used.
pub(crate) struct Open<S> {
    store: Arc<S>,
    _filled_by: Box<dyn Any + Send + Sync>,
}

/// The store of the objects of one kind in one area.
#[derive(Debug)]
pub(crate) struct Store<K> {
    area: Area,
    kept: KeptFields,
    view: watch::Sender<View<K>>,
}

/// The objects of a list that is being read.
#[derive(Debug)]
pub(crate) struct Batch<K> {
    pub(crate) objects: BTreeMap<Key, Arc<K>>,
    pub(crate) faults: Vec<WorldFault>,
}

// === impl Stores ===

impl Stores {
    /// Creates empty stores with this projection.
    pub(crate) fn of(projection: Projection) -> Self {
        let ended = CancellationToken::new();
        Self {
            open: Mutex::default(),
            projection,
            _end: ended.clone().drop_guard(),
            ended,
        }
    }

    /// Returns the metadata to keep of incoming objects.
    pub(crate) fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Returns the objects of a kind in an area. `fill` is called to fill a new store. Its result
    /// is dropped when the objects are no longer used.
    pub(crate) fn objects<K: Kind, F: Any + Send + Sync>(
        &self,
        area: Area,
        fill: impl FnOnce(Arc<Store<K>>) -> F,
    ) -> Objects<K> {
        let area = area_of::<K>(area);
        let name = (Of::Kind(TypeId::of::<K>()), area.clone());
        let open = self.open(name, fill, || Store::of(area, self.projection.of::<K>()));
        Watched::of(open.store.view.subscribe(), self.ended.clone(), open)
    }

    /// Returns the store of whole objects. Creates it if necessary.
    pub(crate) fn raw<F: Any + Send + Sync>(
        &self,
        kind: &ApiResource,
        area: Area,
        fill: impl FnOnce(Arc<RawStore>) -> F,
    ) -> RawObjects {
        let of = Of::Raw(kind.api_version.clone(), kind.kind.clone());
        let name = (of, area.clone());
        let open = self.open(name, fill, || RawStore::of(kind.clone(), area));
        Watched::of(open.store.views(), self.ended.clone(), open)
    }

    /// Returns the store of metadata for a user. Creates it if necessary.
    pub(crate) fn metadata<F: Any + Send + Sync>(
        &self,
        kind: &ApiResource,
        area: Area,
        user: Option<&User>,
        fill: impl FnOnce(Arc<RawStore>) -> F,
    ) -> RawObjects {
        let (api_version, kind_name) = (kind.api_version.clone(), kind.kind.clone());
        let name = (
            Of::Metadata(api_version, kind_name, user.cloned()),
            area.clone(),
        );
        let open = self.open(name, fill, || RawStore::of_metadata(kind.clone(), area));
        Watched::of(open.store.views(), self.ended.clone(), open)
    }

    fn open<S: Any + Send + Sync, F: Any + Send + Sync>(
        &self,
        name: (Of, Area),
        fill: impl FnOnce(Arc<S>) -> F,
        new: impl FnOnce() -> S,
    ) -> Arc<Open<S>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Stores that are no longer used are removed, because many areas exist only for a short
        // time.
        open.retain(|_, store| store.strong_count() > 0);
        let known = open.get(&name).and_then(Weak::upgrade);
        let known = known.and_then(|known| known.downcast::<Open<S>>().ok());
        known.unwrap_or_else(|| {
            let store = Arc::new(new());
            let new = Arc::new(Open {
                _filled_by: Box::new(fill(store.clone())),
                store,
            });
            let held: Arc<dyn Any + Send + Sync> = new.clone();
            open.insert(name, Arc::downgrade(&held));
            new
        })
    }

    /// Returns a token that is cancelled when the world ends.
    pub(crate) fn end_token(&self) -> CancellationToken {
        self.ended.clone()
    }
}

// === impl Open ===

impl<S> fmt::Debug for Open<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open").finish_non_exhaustive()
    }
}

// === impl Store ===

impl<K: Kind> Store<K> {
    pub(crate) fn of(area: Area, kept: KeptFields) -> Self {
        Self {
            area,
            kept,
            view: watch::Sender::new(View::default()),
        }
    }

    /// Returns the area of its objects.
    pub(crate) fn area(&self) -> &Area {
        &self.area
    }

    /// Returns the metadata to keep of the store's objects.
    pub(crate) fn kept(&self) -> &KeptFields {
        &self.kept
    }

    /// Replaces all objects. Unchanged objects are shared. If nothing differs, no caller is
    /// notified.
    pub(crate) fn replace(&self, batch: Batch<K>) {
        let Batch {
            mut objects,
            faults,
        } = batch;
        self.view.send_if_modified(|view| {
            for (key, object) in &mut objects {
                if let Some(before) = view.objects.get(key).filter(|before| *before == object) {
                    *object = before.clone();
                }
            }
            let differs = *view.objects != objects || *view.faults != faults;
            if differs {
                view.objects = Arc::new(objects);
                view.faults = Arc::new(faults);
            }
            self.turn(view, State::Synced) || differs
        });
    }

    /// Stores an object, or removes it if None, together with its fault.
    pub(crate) fn put(&self, key: Key, object: Option<Arc<K>>, faults: Vec<WorldFault>) {
        self.view.send_modify(|view| {
            // The map is copied only if a previous view is still in use.
            let objects = Arc::make_mut(&mut view.objects);
            match object {
                Some(object) => objects.insert(key.clone(), object),
                None => objects.remove(&key),
            };
            let had_faults = view.faults.iter().any(|fault| fault.place.is_of(&key));
            if had_faults || !faults.is_empty() {
                let all = Arc::make_mut(&mut view.faults);
                all.retain(|fault| !fault.place.is_of(&key));
                all.extend(faults);
            }
        });
    }

    /// Marks the objects as synced.
    pub(crate) fn synced(&self) {
        self.view
            .send_if_modified(|view| self.turn(view, State::Synced));
    }

    /// Marks the kind as not served. The store is then empty.
    pub(crate) fn not_served(&self) {
        self.view.send_if_modified(|view| {
            view.objects = Arc::default();
            view.faults = Arc::default();
            self.turn(view, State::NotServed)
        });
    }

    /// Records that the objects cannot be observed. The objects are kept.
    pub(crate) fn fails(&self, trouble: Trouble) {
        self.view.send_if_modified(|view| {
            let state = view.state.after(trouble, Timestamp::now());
            self.turn(view, state)
        });
    }

    /// Changes the state. Returns true if it differs from the previous state.
    fn turn(&self, view: &mut View<K>, state: State) -> bool {
        if view.state == state {
            return false;
        }
        let (kind, area) = (K::kind(&()), &self.area);
        match state.trouble() {
            Some((error, _)) => tracing::warn!(%kind, %area, %error, "objects are not observed"),
            None => tracing::debug!(%kind, %area, %state, "objects are observed"),
        }
        view.state = state;
        true
    }
}

// === impl Batch ===

impl<K> Default for Batch<K> {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            faults: Vec::new(),
        }
    }
}
