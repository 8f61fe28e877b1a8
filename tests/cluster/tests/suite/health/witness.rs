//! Reads the objects of operators itself, to check the health service independently.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::stream::{BoxStream, select_all};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::ResourceExt as _;
use kube::api::DynamicObject;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use portolan_rig::{Kind, World};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::watcher::Spell;

/// The maximum time between two observations of a change, by the health service and by the witness.
const SLACK: Duration = Duration::from_secs(2);

/// The kinds that determine the health of an operator. CRDs are cluster-scoped, and all other kinds
/// are in the namespace of the operator.
const KINDS: [&str; 4] = [
    "OperatorGroup",
    "ClusterServiceVersion",
    "Deployment",
    "CustomResourceDefinition",
];

/// Watches the objects of one namespace, and records which operators are healthy. An operator is
/// healthy if all its objects are in the expected state. Dropping this value ends the watch.
pub(super) struct Witness {
    notes: Arc<Mutex<Vec<Note>>>,
    watching: JoinHandle<()>,
}

/// The healthy operators from a point in time on.
#[derive(Debug)]
struct Note {
    at: Instant,
    /// The names of the healthy ClusterServiceVersions.
    well: BTreeSet<String>,
}

/// The objects, as the watches last reported them.
#[derive(Debug, Default)]
struct Objects(BTreeMap<(&'static str, String), DynamicObject>);

type Change = Result<(&'static str, Event<DynamicObject>), watcher::Error>;

// === impl Witness ===

impl Witness {
    /// Watches the namespace of a test.
    pub(super) fn of(world: &World) -> Self {
        let mut objects = Objects::default();
        let mut changes = select_all(KINDS.map(|kind| changes(world, kind)));
        let notes = Arc::<Mutex<Vec<_>>>::default();
        let written = Arc::clone(&notes);
        let watching = tokio::spawn(async move {
            while let Some(change) = changes.next().await {
                // An error of a watch is also an item. The stream continues after it.
                let Ok((kind, event)) = change else { continue };
                objects.take(kind, event);
                let (at, well) = (Instant::now(), objects.well());
                let mut notes = written.lock().unwrap_or_else(PoisonError::into_inner);
                notes.push(Note { at, well });
            }
        });
        Self { notes, watching }
    }

    /// Checks that the operator was healthy at some time in each of these periods. The witness may
    /// notice a change later than the service, so each period is extended by `SLACK`.
    pub(super) async fn confirms(&self, spells: &[Spell]) {
        assert!(!spells.is_empty(), "it must have been well at some time");
        for spell in spells {
            while !self.saw(spell) {
                assert!(
                    spell.to.elapsed() < SLACK,
                    "nothing confirms that {} was well for {:?}",
                    spell.csv,
                    spell.to - spell.from
                );
                sleep(Duration::from_millis(20)).await;
            }
        }
    }

    fn saw(&self, Spell { csv, from, to }: &Spell) -> bool {
        let notes = self.notes.lock();
        let notes = notes.unwrap_or_else(PoisonError::into_inner);
        let (early, late) = (*from - SLACK, *to + SLACK);
        let ends = notes.iter().skip(1).map(|note| note.at);
        let mut times = notes.iter().zip(ends.chain([Instant::now()]));
        times.any(|(note, end)| end >= early && note.at <= late && note.well.contains(csv))
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

fn changes(world: &World, kind: &'static str) -> BoxStream<'static, Change> {
    let (client, namespace) = (world.client(), world.namespace());
    let objects = match kind {
        "OperatorGroup" => Kind::OperatorGroup.within(client, namespace),
        "ClusterServiceVersion" => Kind::ClusterServiceVersion.within(client, namespace),
        "Deployment" => Kind::Deployment.within(client, namespace),
        _ => Kind::CustomResourceDefinition.everywhere(client),
    };
    let changes = watcher(objects, watcher::Config::default()).default_backoff();
    changes.map_ok(move |event| (kind, event)).boxed()
}

// === impl Objects ===

impl Objects {
    fn take(&mut self, kind: &'static str, event: Event<DynamicObject>) {
        match event {
            Event::Apply(object) | Event::InitApply(object) => {
                self.0.insert((kind, object.name_any()), object);
            }
            Event::Delete(object) => {
                self.0.remove(&(kind, object.name_any()));
            }
            Event::Init => self.0.retain(|(known, _), _| *known != kind),
            Event::InitDone => {}
        }
    }

    /// Returns the operators that are healthy according to their objects.
    fn well(&self) -> BTreeSet<String> {
        let all = |wanted| self.0.iter().filter(move |((kind, _), _)| *kind == wanted);
        if all("OperatorGroup").count() != 1 {
            return BTreeSet::new();
        }
        let well = all("ClusterServiceVersion").filter(|(_, csv)| self.is_well(csv));
        well.map(|((_, name), _)| name.clone()).collect()
    }

    fn is_well(&self, csv: &DynamicObject) -> bool {
        let mut wanted = list(csv, "/spec/install/spec/deployments");
        let mut owned = list(csv, "/spec/customresourcedefinitions/owned");
        csv.data.pointer("/status/phase") == Some(&"Succeeded".into())
            && wanted.all(|name| self.one("Deployment", name).is_some_and(is_available))
            && owned.all(|name| {
                let crd = self.one("CustomResourceDefinition", name);
                crd.is_some_and(|it| it.metadata.deletion_timestamp.is_none())
            })
    }

    fn one(&self, kind: &'static str, name: &str) -> Option<&DynamicObject> {
        self.0.get(&(kind, name.to_owned()))
    }
}

fn is_available(deployment: &DynamicObject) -> bool {
    let count = |field| deployment.data.pointer(field).and_then(Value::as_i64);
    let wanted = count("/spec/replicas").unwrap_or(1);
    let is_seen = count("/status/observedGeneration") == deployment.metadata.generation;
    is_seen && wanted > 0 && count("/status/availableReplicas") == Some(wanted)
}

/// Returns the names in a list of an object.
fn list<'o>(object: &'o DynamicObject, field: &str) -> impl Iterator<Item = &'o str> {
    let list = object.data.pointer(field).and_then(Value::as_array);
    let names = list.into_iter().flatten().map(|it| it["name"].as_str());
    names.map(Option::unwrap_or_default)
}
