//! Complete objects with the events since a version, for callers that serve or apply objects.
//!
//! The objects are neither parsed into types nor reduced. An object is the text from the API server
//! or from a file. This needs much memory. A reduced ClusterServiceVersion needs 2.4 kB, but its
//! text has 41 kB on average (of 111 real ones), and sometimes a megabyte. Use this module only for
//! one kind in an [`Area`]. In other cases, use [`Objects`](crate::Objects).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use kube::core::{ApiResource, ObjectMeta};
use serde::Deserialize;
use thiserror::Error;
use tokio::sync::watch;

use crate::key::key_of;
use crate::kind::{Kind, area_of};
use crate::{Area, FaultPlace, Key, RawObjects, State, Trouble, World, WorldFault};

/// The maximum number of events that are kept. A client that needs an older event must list the
/// objects again.
const EVENTS: usize = 1024;
/// The maximum total size in bytes of the objects in these events. Most of these objects would not
/// be in memory without the events.
const EVENT_BYTES: usize = 16 << 20;

/// The same maximum for events with only metadata. It is lower, because these events are not served
/// to clients.
const METADATA_EVENT_BYTES: usize = 256 << 10;

/// A world that also provides whole objects.
pub trait RawWorld: World {
    /// Returns the whole objects of a kind in an area. The objects are watched while at least one
    /// caller holds them. For a cluster-scoped kind, the area must not contain a namespace.
    fn raw(&self, kind: &ApiResource, area: Area) -> RawObjects;

    /// Returns the whole objects of a kind that is relevant for worlds, limited to its relevant
    /// objects.
    fn raw_of<K: Kind>(&self, area: Area) -> RawObjects {
        let area = area_of::<K>(area).with_labels(K::selector());
        self.raw(&ApiResource::erase::<K>(&()), area)
    }
}

/// An object as the API server or a file contains it. The kind and the apiVersion are always
/// present, even if the original item of a list has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawObject {
    /// The namespace and name.
    pub key: Key,
    /// The resource version, as the API server writes it. None for an object of a file without a
    /// resource version.
    pub resource_version: Option<String>,
    /// The whole object.
    pub json: Box<str>,
}

/// A change of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    /// The version of the change. All changes that a new list reveals have the same version.
    pub version: u64,
    /// The kind of the change.
    pub change: Change,
    /// The object after the change. For a deletion, the last state of the object.
    pub object: Arc<RawObject>,
}

/// The kind of a change of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The object was created.
    Added,
    /// The object was modified.
    Modified,
    /// The object was deleted.
    Deleted,
}

/// The objects of a kind in an area at one version, with the events before this version. A view is
/// immutable and cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RawView {
    /// The state, which shows if the objects are current.
    pub state: State,
    /// The version of the objects. For a cluster, this is the resourceVersion of the API server,
    /// which is the same for all clients. Files have no version, so the time of reading in
    /// milliseconds is used. The version never decreases.
    pub version: u64,
    /// The objects, sorted by key.
    pub objects: Arc<BTreeMap<Key, Arc<RawObject>>>,
    /// The faults of documents that are not valid objects. Only files have such faults.
    pub faults: Arc<Vec<WorldFault>>,
    events: Arc<Events>,
}

/// The error that the events since this version are unavailable, because the version is too old or
/// has not been reached yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the changes since version {0} are unknown")]
pub struct Expired(pub u64);

/// The latest events.
#[derive(Debug, Clone, Default)]
struct Events {
    /// The version that precedes the first of these events.
    since: u64,
    all: VecDeque<RawEvent>,
    bytes: usize,
}

/// A store of whole objects. A reflector of a cluster or a reader of files fills it.
#[derive(Debug)]
pub(crate) struct RawStore {
    kind: ApiResource,
    area: Area,
    event_bytes: usize,
    view: watch::Sender<RawView>,
}

/// The objects of a list that is being read.
#[derive(Debug, Default)]
pub(crate) struct RawBatch {
    pub(crate) objects: BTreeMap<Key, Arc<RawObject>>,
    pub(crate) faults: Vec<WorldFault>,
}

/// The fields of an object that are parsed before the object is stored.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Head {
    kind: Option<String>,
    api_version: Option<String>,
    metadata: Names,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Names {
    namespace: Option<String>,
    name: Option<String>,
    resource_version: Option<String>,
}

// === impl RawObject ===

impl RawObject {
    /// Parses the metadata of the object.
    ///
    /// # Errors
    /// Returns an error if a field is invalid, such as a time.
    pub fn metadata(&self) -> serde_json::Result<ObjectMeta> {
        #[derive(Deserialize)]
        struct Object {
            metadata: ObjectMeta,
        }
        serde_json::from_str(&self.json).map(|Object { metadata }| metadata)
    }

    /// Parses an object of a kind. In a list, the API server omits the kind and the apiVersion of
    /// the items, because they are equal for all items. They are added.
    pub(crate) fn parse(kind: &ApiResource, json: &str) -> serde_json::Result<Self> {
        let Head {
            kind: own_kind,
            api_version,
            metadata,
        } = serde_json::from_str(json)?;
        let key = key_of(&ObjectMeta {
            namespace: metadata.namespace,
            name: metadata.name,
            ..ObjectMeta::default()
        });
        let mut head = String::from("{");
        if api_version.is_none() {
            head.push_str(&format!(r#""apiVersion":"{}","#, kind.api_version));
        }
        if own_kind.is_none() {
            head.push_str(&format!(r#""kind":"{}","#, kind.kind));
        }
        // Every object has metadata, so a comma can follow the added fields.
        let rest = json.trim_start().strip_prefix('{').unwrap_or_default();
        Ok(Self {
            key,
            resource_version: metadata.resource_version,
            json: (head + rest).into_boxed_str(),
        })
    }
}

// === impl RawView ===

impl RawView {
    /// Returns the object with this namespace and name.
    pub fn object(&self, namespace: &str, name: &str) -> Option<&Arc<RawObject>> {
        self.objects.get(&Key::new(namespace, name))
    }

    /// Returns the events since a version, in order. Returns no events for the current version.
    ///
    /// # Errors
    /// Returns an error if the version is too old or has not been reached yet. If the version has
    /// not been reached yet, the caller must wait for a newer view.
    pub fn since(&self, version: u64) -> Result<impl Iterator<Item = &RawEvent>, Expired> {
        let Events { since, all, .. } = &*self.events;
        if version < *since || version > self.version {
            return Err(Expired(version));
        }
        let first = all.partition_point(|event| event.version <= version);
        Ok(all.range(first..))
    }

    /// Returns the size in bytes of the objects in the view and in its events.
    pub fn bytes(&self) -> usize {
        let objects = self.objects.values().map(|object| object.json.len());
        objects.sum::<usize>() + self.events.bytes
    }

    /// Advances the view to a version with these events. Clients that know the previous version get
    /// the events.
    fn advance(
        &mut self,
        version: u64,
        happened: Vec<(Change, Arc<RawObject>)>,
        event_bytes: usize,
    ) {
        let next = self.version + u64::from(!happened.is_empty());
        self.version = version.max(next);
        if !happened.is_empty() {
            let events = Arc::make_mut(&mut self.events);
            let version = self.version;
            let happened = happened.into_iter().map(|(change, object)| RawEvent {
                version,
                change,
                object,
            });
            events.extend(happened, event_bytes);
        }
    }
}

// === impl Events ===

impl Events {
    fn extend(&mut self, events: impl Iterator<Item = RawEvent>, most_bytes: usize) {
        for event in events {
            self.bytes += event.object.json.len();
            self.all.push_back(event);
        }
        while self.all.len() > EVENTS || self.bytes > most_bytes {
            let Some(version) = self.all.front().map(|first| first.version) else {
                return;
            };
            // Events with the same version are removed together, because a client cannot get only
            // some of them.
            while let Some(first) = self.all.pop_front_if(|first| first.version == version) {
                self.bytes -= first.object.json.len();
            }
            self.since = version;
        }
    }
}

// === impl RawStore ===

impl RawStore {
    pub(crate) fn of(kind: ApiResource, area: Area) -> Self {
        Self {
            kind,
            area,
            event_bytes: EVENT_BYTES,
            view: watch::Sender::new(RawView::default()),
        }
    }

    pub(crate) fn of_metadata(kind: ApiResource, area: Area) -> Self {
        Self {
            event_bytes: METADATA_EVENT_BYTES,
            ..Self::of(kind, area)
        }
    }

    pub(crate) fn kind(&self) -> &ApiResource {
        &self.kind
    }

    pub(crate) fn area(&self) -> &Area {
        &self.area
    }

    pub(crate) fn views(&self) -> watch::Receiver<RawView> {
        self.view.subscribe()
    }

    /// Adds an object to the batch. If the object is invalid, adds a fault instead.
    pub(crate) fn add(&self, batch: &mut RawBatch, json: &str) {
        match RawObject::parse(&self.kind, json) {
            Ok(object) => {
                batch.objects.insert(object.key.clone(), Arc::new(object));
            }
            Err(error) => batch.faults.push(WorldFault {
                place: FaultPlace::Object(Key::default()),
                why: error.to_string(),
            }),
        }
    }

    /// Replaces all objects. The differences from the previous objects become events. Objects of
    /// files have no version. They get a new version only if they differ.
    pub(crate) fn replace(&self, batch: RawBatch, version: Option<&str>) {
        let RawBatch {
            mut objects,
            faults,
        } = batch;
        self.view.send_if_modified(|view| {
            let happened = differences(&view.objects, &mut objects);
            let was = (view.version, view.state == State::Synced);
            let is_first = view.version == 0;
            let version = match version {
                Some(version) => number(version, view.version),
                None if is_first || !happened.is_empty() => now().max(view.version + 1),
                None => view.version,
            };
            let differs = !happened.is_empty() || *view.faults != faults;
            if differs {
                view.objects = Arc::new(objects);
                view.faults = Arc::new(faults);
            }
            if is_first {
                // A client with an older version cannot get the events, and lists the objects
                // again.
                view.version = version;
                view.events = Arc::new(Events {
                    since: version,
                    ..Events::default()
                });
            } else {
                view.advance(version, happened, self.event_bytes);
            }
            view.state = State::Synced;
            differs || was != (view.version, true)
        });
    }

    /// Applies the object of an event. `is_there` is false if the object was deleted. Returns the
    /// version of the object. Returns None if the object is invalid.
    pub(crate) fn put(&self, json: &str, is_there: bool) -> Option<String> {
        let object = RawObject::parse(&self.kind, json).ok()?;
        let told = object.resource_version.clone()?;
        self.view.send_modify(|view| {
            let object = Arc::new(object);
            let version = number(&told, view.version);
            let key = object.key.clone();
            // `make_mut` copies the map only if a previous view is still in use.
            let objects = Arc::make_mut(&mut view.objects);
            let was = if is_there {
                objects.insert(key, object.clone())
            } else {
                objects.remove(&key)
            };
            let change = match (was, is_there) {
                (None, true) => Some(Change::Added),
                (Some(was), true) => (was != object).then_some(Change::Modified),
                (Some(_), false) => Some(Change::Deleted),
                (None, false) => None,
            };
            let happened = change.map(|change| (change, object));
            view.advance(version, happened.into_iter().collect(), self.event_bytes);
        });
        Some(told)
    }

    /// Records that no object has changed up to this version.
    pub(crate) fn passed(&self, version: &str) {
        self.view.send_if_modified(|view| {
            let before = view.version;
            view.advance(number(version, before), Vec::new(), self.event_bytes);
            view.version != before
        });
    }

    /// Marks the objects as current.
    pub(crate) fn synced(&self) {
        self.turn(|_| State::Synced);
    }

    /// Marks the kind as not served, and removes all objects.
    pub(crate) fn not_served(&self) {
        self.view.send_if_modified(|view| {
            let happened = differences(&view.objects, &mut BTreeMap::new());
            let differs = !happened.is_empty() || view.state != State::NotServed;
            view.advance(view.version, happened, self.event_bytes);
            view.objects = Arc::default();
            view.faults = Arc::default();
            view.state = State::NotServed;
            differs
        });
    }

    /// Records the reason why the objects cannot be observed now. The known objects are kept.
    pub(crate) fn fails(&self, trouble: Trouble) {
        self.turn(|state| state.after(trouble, Timestamp::now()));
    }

    fn turn(&self, next: impl FnOnce(&State) -> State) {
        self.view.send_if_modified(|view| {
            let state = next(&view.state);
            let differs = view.state != state;
            view.state = state;
            differs
        });
    }
}

/// Returns the changes between two states. Unchanged objects share their memory with the older
/// state.
fn differences(
    was: &BTreeMap<Key, Arc<RawObject>>,
    is: &mut BTreeMap<Key, Arc<RawObject>>,
) -> Vec<(Change, Arc<RawObject>)> {
    let gone = was.iter().filter(|(key, _)| !is.contains_key(*key));
    let mut happened: Vec<_> = gone
        .map(|(_, object)| (Change::Deleted, object.clone()))
        .collect();
    for (key, object) in is {
        match was.get(key) {
            None => happened.push((Change::Added, object.clone())),
            Some(before) if before == object => *object = before.clone(),
            Some(_) => happened.push((Change::Modified, object.clone())),
        }
    }
    happened
}

/// Returns a version as a number. Versions of Kubernetes can be compared as numbers. Kubernetes
/// guarantees this since v1.35, and it was always true for etcd. Versions that are not numbers are
/// numbered in sequence.
fn number(version: &str, before: u64) -> u64 {
    version.parse().unwrap_or(before + 1)
}

fn now() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}
