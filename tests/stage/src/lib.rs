//! A world that a test controls, and that records which objects are read.
//!
//! Tests use it for services that watch a world, without a cluster. A test changes the content of
//! the world, and each read is recorded. It is a separate crate because `tests/kit` does not depend
//! on worlds, and pure crates need no world.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use portolan_world::{Area, Dialer, Key, Manifests, Objects, Reads, State, View, World};
pub use portolan_world::{Kind, as_kept};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

/// The time limit for an expected event.
const PATIENCE: Duration = Duration::from_secs(30);

/// A world for tests. Clones share the same content.
#[derive(Clone, Default)]
pub struct Stage(Arc<Inner>);

#[derive(Default)]
struct Inner {
    shown: Mutex<Shown>,
    /// True if several readers may open the same objects at the same time.
    is_shared: bool,
    open: watch::Sender<BTreeSet<String>>,
    /// The number of readers of each open kind and area.
    held: Mutex<BTreeMap<String, usize>>,
    /// The kinds and areas that were opened. An entry is repeated each time that it is opened.
    begun: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Shown {
    objects: Vec<Value>,
    /// The states of kinds that are not completely read, by the name of the kind's type.
    states: BTreeMap<&'static str, State>,
    kubernetes: Option<String>,
    /// The metadata that the world keeps in addition to the default.
    reads: &'static [Reads],
    views: Vec<Weak<dyn Show>>,
}

/// The objects of a kind in an area that readers currently see.
struct Store<K: Kind> {
    area: String,
    views: watch::Sender<View<K>>,
}

trait Show: Send + Sync {
    fn show(&self, shown: &Shown);
}

/// A reader of a kind and area. Dropping this value records that the reader has ended.
struct Open<K: Kind> {
    _store: Arc<Store<K>>,
    name: String,
    stage: Weak<Inner>,
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.open();
        f.debug_struct("Stage").field("open", &open).finish()
    }
}

impl Stage {
    /// Creates a stage with these objects. Only one reader at a time may open the same objects.
    pub fn of(world: &portolan_kit::World) -> Self {
        let stage = Self::default();
        stage.show(world);
        stage
    }

    /// Creates a stage with these objects. Several services may read the same objects separately.
    pub fn shared(world: &portolan_kit::World) -> Self {
        let stage = Self(Arc::new(Inner {
            is_shared: true,
            ..Inner::default()
        }));
        stage.show(world);
        stage
    }

    /// Also keeps this metadata of objects.
    #[must_use]
    pub fn reading(self, reads: &'static [Reads]) -> Self {
        self.shown().reads = reads;
        self
    }

    /// Replaces all objects.
    pub fn show(&self, world: &portolan_kit::World) {
        self.change(|shown| shown.objects = world.objects().to_vec());
    }

    /// Sets the state in which a kind is read. None restores the default state.
    pub fn turn(&self, kind: &'static str, state: impl Into<Option<State>>) {
        let state = state.into();
        self.change(|shown| match state {
            Some(state) => {
                shown.states.insert(kind, state);
            }
            None => {
                shown.states.remove(kind);
            }
        });
    }

    /// Sets the Kubernetes version of the world. Without this call, the version is unknown.
    pub fn runs(&self, kubernetes: &str) {
        self.shown().kubernetes = Some(kubernetes.to_owned());
    }

    /// Returns the kinds and areas that readers have open.
    pub fn open(&self) -> BTreeSet<String> {
        self.0.open.borrow().clone()
    }

    /// Returns how many times objects of a kind were opened.
    pub fn begun(&self, kind: &str) -> usize {
        let begun = self.0.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let of_kind = begun.iter().filter(|name| name.starts_with(kind));
        of_kind.count()
    }

    /// Waits until the set of open kinds and areas satisfies a condition.
    ///
    /// # Panics
    /// Panics if the set does not appear in time.
    pub async fn until(&self, is_wanted: impl Fn(&BTreeSet<String>) -> bool) {
        let mut open = self.0.open.subscribe();
        let found = timeout(PATIENCE, open.wait_for(is_wanted)).await.is_ok();
        assert!(found, "only these are read: {:?}", self.open());
    }

    fn change(&self, change: impl FnOnce(&mut Shown)) {
        let mut shown = self.shown();
        change(&mut shown);
        shown.views.retain(|view| view.strong_count() > 0);
        for view in shown.views.iter().filter_map(Weak::upgrade) {
            view.show(&shown);
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.0.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World for Stage {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let area = area.to_string();
        let name = format!("{} {area}", qualified::<K>());
        let store = Arc::new(Store::<K> {
            area,
            views: watch::Sender::new(View::default()),
        });
        let mut shown = self.shown();
        store.show(&shown);
        let view: Arc<dyn Show> = store.clone();
        shown.views.push(Arc::downgrade(&view));
        let holders = self.0.hold(&name);
        assert!(holders == 1 || self.0.is_shared, "{name} is read twice");
        let mut begun = self.0.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.push(name.clone());
        drop(begun);
        let views = store.views.subscribe();
        let open = Open {
            _store: store,
            name,
            stage: Arc::downgrade(&self.0),
        };
        Objects::from_views(views, open)
    }

    fn dialer(&self) -> Dialer {
        Dialer::default()
    }

    async fn kubernetes(&self) -> Option<String> {
        self.shown().kubernetes.clone()
    }
}

impl<K: Kind> Drop for Open<K> {
    fn drop(&mut self) {
        if let Some(stage) = self.stage.upgrade() {
            stage.release(&self.name);
        }
    }
}

impl Inner {
    /// Counts another reader of the kind and area. Returns the number of its readers.
    fn hold(&self, name: &str) -> usize {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let holders = held.entry(name.to_owned()).or_default();
        *holders += 1;
        self.open
            .send_if_modified(|open| open.insert(name.to_owned()));
        *holders
    }

    /// Removes a reader of the kind and area from the count.
    fn release(&self, name: &str) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(holders) = held.get_mut(name) else {
            return;
        };
        *holders -= 1;
        if *holders == 0 {
            held.remove(name);
            self.open.send_if_modified(|open| open.remove(name));
        }
    }
}

impl<K: Kind> Show for Store<K> {
    fn show(&self, shown: &Shown) {
        let state = shown.states.get(short::<K>()).cloned();
        self.views.send_if_modified(|view| {
            let next = match state.unwrap_or(State::Synced) {
                State::Stale { trouble, since } => View {
                    state: State::Stale { trouble, since },
                    ..view.clone()
                },
                State::Synced => self.view(shown, view),
                state @ (State::Pending | State::NotServed | State::Unknown { .. }) => View {
                    state,
                    ..View::default()
                },
            };
            let is_other = *view != next;
            *view = next;
            is_other
        });
    }
}

impl<K: Kind> Store<K> {
    /// Returns a view of the objects in the area. Unchanged objects are the same shared values as
    /// in the earlier view.
    fn view(&self, shown: &Shown, before: &View<K>) -> View<K> {
        let kind = K::kind(&());
        let of_kind = shown
            .objects
            .iter()
            .filter(|object| object["kind"] == *kind);
        let inside = of_kind.filter(|object| is_in(&self.area, object));
        let text: String = inside.map(|object| format!("---\n{object}\n")).collect();
        let manifests = Manifests::read(Path::new("stage"), text.as_bytes());
        let mut view = manifests.reading(shown.reads).view::<K>();
        let mut objects = (*view.objects).clone();
        for (key, object) in &mut objects {
            let same = before.objects.get::<Key>(key);
            if let Some(same) = same.filter(|before| *before == object) {
                *object = same.clone();
            }
        }
        view.objects = Arc::new(objects);
        view
    }
}

/// Returns the name of the Rust type, which identifies the kind.
fn short<K>() -> &'static str {
    let name = type_name::<K>();
    name.rsplit("::").next().unwrap_or(name)
}

/// Returns the name of the kind. The name of Portolan's InstallPlan includes the API group, because
/// OLM has a kind with the same name.
fn qualified<K: Kind>() -> String {
    match &*K::group(&()) {
        group @ "plans.portolan.dev" => format!("{}.{group}", short::<K>()),
        _ => short::<K>().to_owned(),
    }
}

/// Returns true if the area contains the object. `area` is the printed form of the area.
fn is_in(area: &str, object: &Value) -> bool {
    let mut parts = area.split(", ");
    let namespace = parts.next().unwrap_or_default();
    let metadata = &object["metadata"];
    let is_there = namespace == "everywhere" || metadata["namespace"] == namespace;
    is_there
        && parts.all(|label| match label.split_once('=') {
            Some((name, value)) => metadata["labels"][name] == value,
            None => metadata["labels"].get(label).is_some(),
        })
}
