//! Watches the objects below unhealthy Deployments: ReplicaSets, Pods, and warning Events about
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use portolan_core_health::{Below, Item, Judged, ObservedObjects};
use portolan_core_olm::{Deployment, Event, Pod, ReplicaSet};
use portolan_world::{Area, Followed, Key, Kind, Notifier, World};
use tokio::time::Instant;

use super::keep_alive::KeepAlive;
use super::staleness::seen_together;

/// The maximum number of Deployments that are inspected at the same time. Each Deployment needs up
/// to three watches.
const AT_ONCE: usize = 64;

/// The time for which the objects below a Deployment are still watched after the Deployment has
/// become healthy. During this time, the Deployment counts toward [`AT_ONCE`]. This limits the
/// number of new watches if many Deployments fail for a short time.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// The watches of objects below unhealthy Deployments.
#[derive(Debug, Default)]
pub(super) struct PodWatches {
    failing: BTreeMap<Arc<str>, BTreeMap<Key, Failing>>,
    /// The number of rounds so far.
    turns: u64,
    open: KeepAlive<Key, PodWatch>,
    /// The unhealthy Deployments that are not inspected because the limit is reached.
    beyond: BTreeSet<Key>,
    warnings: KeepAlive<Arc<str>, Followed<Event>>,
}

/// An unhealthy Deployment.
#[derive(Debug)]
struct Failing {
    /// The area that contains the objects below the Deployment.
    area: Area,
    /// The round in which the Deployment was first unhealthy. The Deployment with the lowest number
    /// is inspected next.
    since: u64,
}

/// The watches of objects below one Deployment.
#[derive(Debug)]
struct PodWatch {
    area: Area,
    replica_sets: Followed<ReplicaSet>,
    pods: Followed<Pod>,
}

// === impl PodWatches ===

impl PodWatches {
    /// Applies the changes of watched objects. Returns the namespaces whose objects have changed.
    pub(super) fn look(&mut self) -> BTreeSet<Arc<str>> {
        let mut turned = BTreeSet::new();
        for (key, watch) in self.open.used_mut() {
            let turns = [watch.replica_sets.look(), watch.pods.look()];
            if turns.iter().any(|turn| !turn.is_nothing()) {
                turned.insert(key.namespace.clone());
            }
        }
        for (namespace, warnings) in self.warnings.used_mut() {
            if !warnings.look().is_nothing() {
                turned.insert(namespace.clone());
            }
        }
        turned
    }

    /// Records the unhealthy Deployments of a namespace.
    pub(super) fn fail(&mut self, namespace: &Arc<str>, failing: BTreeMap<Key, Area>) {
        let before = self.failing.remove(namespace).unwrap_or_default();
        let failing = failing.into_iter().map(|(key, area)| {
            let since = before.get(&key).map_or(self.turns, |before| before.since);
            (key, Failing { area, since })
        });
        let failing: BTreeMap<_, _> = failing.collect();
        if !failing.is_empty() {
            self.failing.insert(namespace.clone(), failing);
        }
    }

    /// Starts and stops the watches of objects below unhealthy Deployments. Returns the namespaces
    /// that must be judged again. If there are too many Deployments, existing watches continue, and
    /// the Deployments that have been unhealthy for the longest time are next.
    pub(super) fn turn(
        &mut self,
        world: &impl World,
        notifier: &Notifier,
        now: Instant,
    ) -> BTreeSet<Arc<str>> {
        self.turns += 1;
        self.open.end(now);
        let failing: BTreeMap<_, _> = self.failing.values().flatten().collect();
        let mut turned = self
            .open
            .rest(|key| failing.contains_key(key), now + KEEP_ALIVE);
        let beyond = self.beyond(&failing);
        for (key, Failing { area, .. }) in failing {
            let new = || PodWatch::of(world, area, notifier);
            if !beyond.contains(key) && self.open.wake(key, |watch| watch.area == *area, new) {
                turned.push(key.clone());
            }
        }
        turned.extend(beyond.symmetric_difference(&self.beyond).cloned());
        self.beyond = beyond;
        self.warn(world, notifier, now);
        turned.into_iter().map(|key| key.namespace).collect()
    }

    /// Returns the unhealthy Deployments that cannot be inspected because of the limit.
    fn beyond(&self, failing: &BTreeMap<&Key, &Failing>) -> BTreeSet<Key> {
        let waiting = failing.iter().filter(|(key, _)| !self.open.has(key));
        let mut waiting: Vec<_> = waiting.map(|(key, one)| (one.since, *key)).collect();
        waiting.sort_unstable();
        let free = AT_ONCE.saturating_sub(self.open.len());
        let beyond = waiting.into_iter().skip(free);
        beyond.map(|(_, key)| key.clone()).collect()
    }

    /// Watches the warning Events in the namespaces with inspected Deployments.
    fn warn(&mut self, world: &impl World, notifier: &Notifier, now: Instant) {
        let wanted = self.open.used().keys().map(|key| key.namespace.clone());
        let wanted: BTreeSet<_> = wanted.collect();
        self.warnings.end(now);
        self.warnings
            .rest(|namespace| wanted.contains(namespace), now + KEEP_ALIVE);
        for namespace in wanted {
            let area = Area::namespace(&namespace);
            let new = || Followed::of(world.objects_in::<Event>(area), notifier);
            self.warnings.wake(&namespace, |_| true, new);
        }
    }

    /// Returns the time at which an unused watch must be closed.
    pub(super) fn next_end(&self) -> Option<Instant> {
        let ends = [self.open.next_end(), self.warnings.next_end()];
        ends.into_iter().flatten().min()
    }

    /// Returns the objects below a Deployment. Until all objects have been listed, reports that
    /// they have not been read. An incomplete result would soon be replaced.
    pub(super) fn below(&self, deployment: &Item<Deployment>) -> Below {
        let key = &Key::new(deployment.namespace(), deployment.name());
        if self.beyond.contains(key) {
            return Below::TooMany(AT_ONCE);
        }
        let warnings = self.warnings.used().get(&key.namespace);
        let warnings = warnings.filter(|warnings| !warnings.is_pending());
        let watch = self
            .open
            .used()
            .get(key)
            .filter(|watch| !watch.is_pending());
        match (watch, warnings) {
            (Some(watch), Some(warnings)) => watch.below(deployment, warnings),
            (_, _) => Below::NotLooked,
        }
    }

    /// Returns true if the objects below a Deployment have not been listed yet.
    pub(super) fn are_pending(&self) -> bool {
        self.open.used().values().any(PodWatch::is_pending)
            || self.warnings.used().values().any(Followed::is_pending)
    }
}

// === impl PodWatch ===

impl PodWatch {
    fn of(world: &impl World, area: &Area, notifier: &Notifier) -> Self {
        Self {
            area: area.clone(),
            replica_sets: Followed::of(world.objects_in(area.clone()), notifier),
            pods: Followed::of(world.objects_in(area.clone()), notifier),
        }
    }

    fn is_pending(&self) -> bool {
        self.replica_sets.is_pending() || self.pods.is_pending()
    }

    /// Returns the objects below a Deployment. Other objects may have the same labels. If
    /// ReplicaSets exist, the objects of the Deployment are therefore found by its uid.
    fn below(&self, deployment: &Item<Deployment>, warnings: &Followed<Event>) -> Below {
        let uid = deployment.metadata.uid.as_deref();
        let replica_sets = select(&self.replica_sets, |set| set.owner_uid() == uid, |_| true);
        let uids = replica_sets.objects.iter();
        let uids: BTreeSet<_> = uids.map(|set| set.metadata.uid.as_deref()).collect();
        let is_blind = self.replica_sets.unknown().is_some();
        let is_own = |pod: &Pod| is_blind || uids.contains(&pod.owner_uid());
        let pods = select(&self.pods, is_own, |_| true);
        let sets = replica_sets.objects.iter().map(|set| &set.observed);
        let all = sets.chain(pods.objects.iter().map(|pod| &pod.observed));
        let all = all.chain([&deployment.observed]).map(|observed| {
            let object = &observed.object;
            let names = (object.namespace.as_str(), object.name.as_str());
            (object.kind.as_str(), names)
        });
        let all: BTreeSet<_> = all.collect();
        let is_about = |event: &Event| {
            let about = &event.involved_object;
            all.contains(&(&*about.kind, (&*about.namespace, &*about.name)))
        };
        let events = select(warnings, is_about, |_| false);
        Below::Looked {
            replica_sets,
            pods,
            events,
        }
    }
}

/// Returns the selected objects, with the reason why they may be incomplete or outdated.
fn select<K: Kind + Judged>(
    followed: &Followed<K>,
    is_wanted: impl Fn(&K) -> bool,
    is_meant: impl Fn(&Key) -> bool,
) -> ObservedObjects<Item<K>> {
    let wanted = followed.all().filter(|(_, object)| is_wanted(object));
    let shared = wanted.filter_map(|(key, _)| followed.shared(key).cloned());
    seen_together(followed, shared.map(Item::from), is_meant)
}
