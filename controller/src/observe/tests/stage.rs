//! A world that a test sets by hand.

use std::any::type_name;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use portolan_world::{Area, Key, Kind, Manifests, Objects, State, View, World};
use serde_json::Value;
use tokio::sync::watch;

/// The world. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Stage(Arc<Inner>);

#[derive(Default)]
struct Inner {
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    objects: Vec<Value>,
    /// Of kinds that are not as they should be, by the name of their type.
    states: BTreeMap<&'static str, State>,
    views: Vec<Weak<dyn Show>>,
}

/// The objects of a kind and area, as they are shown.
struct Shelf<K: Kind> {
    area: String,
    views: watch::Sender<View<K>>,
}

trait Show: Send + Sync {
    fn show(&self, objects: &[Value], states: &BTreeMap<&'static str, State>);
}

impl Stage {
    pub(crate) fn of(world: &portolan_kit::World) -> Self {
        let stage = Self::default();
        stage.show(world);
        stage
    }

    /// These are all objects now.
    pub(crate) fn show(&self, world: &portolan_kit::World) {
        self.change(|shown| shown.objects = world.objects().to_vec());
    }

    /// A kind is in a state; it is seen as it is when that is None.
    pub(crate) fn turn(&self, kind: &'static str, state: impl Into<Option<State>>) {
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

    fn change(&self, change: impl FnOnce(&mut Shown)) {
        let mut shown = self.shown();
        change(&mut shown);
        shown.views.retain(|view| view.strong_count() > 0);
        for view in shown.views.iter().filter_map(Weak::upgrade) {
            view.show(&shown.objects, &shown.states);
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.0.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World for Stage {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let area = area.to_string();
        let shelf = Arc::new(Shelf::<K> {
            area,
            views: watch::Sender::new(View::default()),
        });
        let mut shown = self.shown();
        shelf.show(&shown.objects, &shown.states);
        let view: Arc<dyn Show> = shelf.clone();
        shown.views.push(Arc::downgrade(&view));
        let views = shelf.views.subscribe();
        Objects::from_views(views, shelf)
    }
}

impl<K: Kind> Show for Shelf<K> {
    fn show(&self, objects: &[Value], states: &BTreeMap<&'static str, State>) {
        let state = states.get(short::<K>()).cloned();
        self.views.send_if_modified(|view| {
            let next = match state.unwrap_or(State::Synced) {
                State::Stale { trouble, since } => View {
                    state: State::Stale { trouble, since },
                    ..view.clone()
                },
                State::Synced => self.view(objects, view),
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

impl<K: Kind> Shelf<K> {
    /// What of these objects is in the area, those that are as before being the same.
    fn view(&self, objects: &[Value], before: &View<K>) -> View<K> {
        let kind = K::kind(&());
        let of_kind = objects.iter().filter(|object| object["kind"] == *kind);
        let inside = of_kind.filter(|object| is_in(&self.area, object));
        let text: String = inside.map(|object| format!("---\n{object}\n")).collect();
        let mut view = Manifests::read(Path::new("stage"), text.as_bytes()).view::<K>();
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

/// The name of the type: two of them are the same kind for Kubernetes.
fn short<K>() -> &'static str {
    let name = type_name::<K>();
    name.rsplit("::").next().unwrap_or(name)
}

/// Reads an area as it is printed: a namespace, or none.
fn is_in(area: &str, object: &Value) -> bool {
    area == "everywhere" || object["metadata"]["namespace"] == area
}
