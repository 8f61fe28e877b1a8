//! The stores in which a world keeps the objects of each kind.

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

/// The stores of a world. Each kind and area in use has one store.
#[derive(Debug)]
pub(crate) struct Stores {
    open: Mutex<HashMap<(Of, Area), Weak<dyn Any + Send + Sync>>>,
    projection: Projection,
    ended: CancellationToken,
    _end: DropGuard,
}

/// The identity of the content of a store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Of {
    /// Objects of this type.
    Kind(TypeId),
    /// Whole objects with this apiVersion and kind.
    Raw(String, String),
    /// The metadata of objects with this apiVersion and kind, read as a user.
    Metadata(String, String, Option<User>),
}

/// A store in use. `_filled_by` is dropped when the store is no longer used.
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

    /// Returns the metadata that is kept of incoming objects.
    pub(crate) fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Returns the objects of a kind in an area. If there is no store yet, creates a store and
    /// calls `fill` to fill it. The result of `fill` is dropped when the objects are no longer
    /// used.
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

    /// Returns the store of whole objects. Creates the store if it does not exist.
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

    /// Returns the store of the metadata that a user may read. Creates the store if it does not
    /// exist.
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
        // Unused stores are removed, because many areas are used only for a short time.
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

    /// Returns the area of the store's objects.
    pub(crate) fn area(&self) -> &Area {
        &self.area
    }

    /// Returns the metadata that is kept of the store's objects.
    pub(crate) fn kept(&self) -> &KeptFields {
        &self.kept
    }

    /// Replaces all objects. The store keeps the memory of unchanged objects. If nothing differs,
    /// callers are not notified.
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

    /// Stores an object together with its faults. If `object` is None, removes the object.
    pub(crate) fn put(&self, key: Key, object: Option<Arc<K>>, faults: Vec<WorldFault>) {
        self.view.send_modify(|view| {
            // `make_mut` copies the map only if a previous view is still in use.
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

    /// Marks the objects as current.
    pub(crate) fn synced(&self) {
        self.view
            .send_if_modified(|view| self.turn(view, State::Synced));
    }

    /// Marks the kind as not served, and removes all objects.
    pub(crate) fn not_served(&self) {
        self.view.send_if_modified(|view| {
            view.objects = Arc::default();
            view.faults = Arc::default();
            self.turn(view, State::NotServed)
        });
    }

    /// Records the reason why the objects cannot be observed now. The known objects are kept.
    pub(crate) fn fails(&self, trouble: Trouble) {
        self.view.send_if_modified(|view| {
            let state = view.state.after(trouble, Timestamp::now());
            self.turn(view, state)
        });
    }

    /// Sets the state. Returns true if the new state differs from the previous state.
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
