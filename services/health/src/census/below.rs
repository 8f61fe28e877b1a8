//! What stands below Deployments that fail: their ReplicaSets and Pods, and warnings about those.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::{Below, Object};
use portolan_olm::{Deployment, Event, Pod, ReplicaSet};
use portolan_world::{Area, Key, World};

use super::bell::Bell;
use super::followed::Followed;
use crate::facts;

/// How many Deployments are looked into at a time. One more is three watches more.
const AT_ONCE: usize = 64;

/// What is followed below the Deployments that are not fine.
#[derive(Debug, Default)]
pub(super) struct Depths {
    /// The Deployments of each namespace that are not fine, and where what is below them is.
    failing: BTreeMap<Arc<str>, BTreeMap<Key, Area>>,
    open: BTreeMap<Key, Depth>,
    /// Those that are not looked into, as too many others are.
    beyond: BTreeSet<Key>,
    warnings: BTreeMap<Arc<str>, Followed<Event>>,
}

/// What is followed below one Deployment.
#[derive(Debug)]
struct Depth {
    area: Area,
    replica_sets: Followed<ReplicaSet>,
    pods: Followed<Pod>,
}

// === impl Depths ===

impl Depths {
    /// Takes over what there is now; returns the namespaces in which something has changed.
    pub(super) fn look(&mut self) -> BTreeSet<Arc<str>> {
        let mut turned = BTreeSet::new();
        for (key, depth) in &mut self.open {
            let turns = [depth.replica_sets.look(), depth.pods.look()];
            if turns.iter().any(|turn| !turn.is_nothing()) {
                turned.insert(key.namespace.clone());
            }
        }
        for (namespace, warnings) in &mut self.warnings {
            if !warnings.look().is_nothing() {
                turned.insert(namespace.clone());
            }
        }
        turned
    }

    /// Says which Deployments of a namespace are not fine.
    pub(super) fn fail(&mut self, namespace: &Arc<str>, failing: BTreeMap<Key, Area>) {
        match failing.is_empty() {
            true => self.failing.remove(namespace),
            false => self.failing.insert(namespace.clone(), failing),
        };
    }

    /// Follows what is below the Deployments that are not fine and no others, the first by name
    /// where they are too many; returns the namespaces that have to be judged anew for it.
    pub(super) fn turn(&mut self, world: &impl World, bell: &Bell) -> BTreeSet<Arc<str>> {
        let mut failing = self.failing.values().flatten();
        let wanted: BTreeMap<_, _> = failing.by_ref().take(AT_ONCE).collect();
        let beyond: BTreeSet<_> = failing.map(|(key, _)| key.clone()).collect();
        let is_wanted = |key: &Key, depth: &Depth| wanted.get(key) == Some(&&depth.area);
        let closed = self
            .open
            .extract_if(.., |key, depth| !is_wanted(key, depth));
        let closed: Vec<_> = closed.map(|(key, _)| key).collect();
        for (key, area) in wanted {
            let new = || Depth::of(world, area, bell);
            self.open.entry(key.clone()).or_insert_with(new);
        }
        let turned = closed
            .iter()
            .chain(beyond.symmetric_difference(&self.beyond));
        let turned = turned.map(|key| key.namespace.clone()).collect();
        self.beyond = beyond;
        self.warn(world, bell);
        turned
    }

    /// Follows the warnings of the namespaces that are looked into.
    fn warn(&mut self, world: &impl World, bell: &Bell) {
        let wanted: BTreeSet<_> = self.open.keys().map(|key| key.namespace.clone()).collect();
        self.warnings
            .retain(|namespace, _| wanted.contains(namespace));
        for namespace in wanted {
            let area = Area::namespace(&namespace);
            let new = || Followed::of(world.objects_in::<Event>(area), bell);
            self.warnings.entry(namespace).or_insert_with(new);
        }
    }

    /// What is known below a Deployment. Until all first answers are there it counts as not looked
    /// at: to tell half of it would be told again in a moment.
    pub(super) fn below(&self, key: &Key, deployment: &Deployment) -> Below {
        if self.beyond.contains(key) {
            return Below::TooMany(AT_ONCE);
        }
        let warnings = self.warnings.get(&key.namespace);
        let warnings = warnings.filter(|warnings| !warnings.is_pending());
        let depth = self.open.get(key).filter(|depth| !depth.is_pending());
        match (depth, warnings) {
            (Some(depth), Some(warnings)) => depth.below(deployment, warnings),
            (_, _) => Below::NotLooked,
        }
    }

    /// Whether some first answer is on its way.
    pub(super) fn are_pending(&self) -> bool {
        self.open.values().any(Depth::is_pending)
            || self.warnings.values().any(Followed::is_pending)
    }
}

// === impl Depth ===

impl Depth {
    fn of(world: &impl World, area: &Area, bell: &Bell) -> Self {
        Self {
            area: area.clone(),
            replica_sets: Followed::of(world.objects_in(area.clone()), bell),
            pods: Followed::of(world.objects_in(area.clone()), bell),
        }
    }

    fn is_pending(&self) -> bool {
        self.replica_sets.is_pending() || self.pods.is_pending()
    }

    /// Others may have the same labels: what is of the Deployment has its uid, as far as there are
    /// any.
    fn below(&self, deployment: &Deployment, warnings: &Followed<Event>) -> Below {
        let uid = deployment.metadata.uid.as_deref();
        let sets = self.replica_sets.all().map(|(_, set)| set);
        let sets: Vec<_> = sets.filter(|set| set.owner_uid() == uid).collect();
        let uids: Vec<_> = sets.iter().map(|set| set.metadata.uid.as_deref()).collect();
        let is_blind = self.replica_sets.unknown().is_some();
        let pods = self.pods.all().map(|(_, pod)| pod);
        let pods = pods.filter(|pod| is_blind || uids.contains(&pod.owner_uid()));
        let pods = self.pods.seen(pods.map(facts::pod), |_| true);
        let sets = sets.into_iter().map(facts::replica_set);
        let replica_sets = self.replica_sets.seen(sets, |_| true);
        let own = facts::deployment(deployment, Below::NotLooked).observed;
        let sets = replica_sets.objects.iter().map(|set| &set.observed);
        let all = sets.chain(pods.objects.iter().map(|pod| &pod.observed));
        let all: BTreeSet<&Object> = all.chain([&own]).map(|observed| &observed.object).collect();
        let events = warnings.all().map(|(_, event)| facts::event(event));
        let events = warnings.seen(events.filter(|event| all.contains(&event.about)), |_| false);
        Below::Looked {
            replica_sets,
            pods,
            events,
        }
    }
}
