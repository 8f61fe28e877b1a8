//! The relations between the plans of a namespace: which plan replaces which other plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::plan::InstallPlan;
use portolan_core_install::{Peer, Succession};
use portolan_world::Key;

/// The plans of all namespaces that replace other plans or are replaced by other plans.
#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    /// The facts about each plan that other plans need, with the generation of the plan.
    peers: BTreeMap<Key, (Option<i64>, Peer)>,
    /// The relations of each plan. A plan without an entry replaces no plan and is not replaced.
    successions: BTreeMap<Key, Arc<Succession>>,
}

impl Namespaces {
    /// Applies the current plans of a namespace. Returns the plans whose relations have changed.
    pub(crate) fn take_over<'p>(
        &mut self,
        namespace: &str,
        plans: impl Iterator<Item = (&'p Key, &'p InstallPlan)>,
    ) -> BTreeSet<Key> {
        let before = self.drain(namespace);
        for (key, plan) in plans {
            let known = before.get(key).filter(|(generation, peer)| {
                let is_same = plan.metadata.uid.as_ref() == Some(&peer.uid);
                is_same && *generation == plan.metadata.generation
            });
            let peer = match known {
                Some((_, peer)) => peer.renewed(plan),
                None => Peer::of(plan),
            };
            let peer = (plan.metadata.generation, peer);
            self.peers.insert(key.clone(), peer);
        }
        self.relate(namespace)
    }

    /// Returns the relations of a plan to the other plans.
    pub(crate) fn succession(&self, key: &Key, plan: &InstallPlan) -> Arc<Succession> {
        let related = self.successions.get(key).cloned();
        related.unwrap_or_else(|| Arc::new(Succession::alone(plan)))
    }

    fn drain(&mut self, namespace: &str) -> BTreeMap<Key, (Option<i64>, Peer)> {
        let keys: Vec<_> = self
            .peers
            .keys()
            .filter(|key| *key.namespace == *namespace)
            .cloned()
            .collect();
        let drained = keys
            .into_iter()
            .filter_map(|key| self.peers.remove_entry(&key));
        drained.collect()
    }

    /// Computes the relations between the plans of a namespace again. Returns the plans whose
    /// relations have changed.
    fn relate(&mut self, namespace: &str) -> BTreeSet<Key> {
        let inside = self.peers.iter();
        let inside = inside.filter(|(key, _)| *key.namespace == *namespace);
        let (keys, peers): (Vec<_>, Vec<_>) = inside
            .map(|(key, (_, peer))| (key.clone(), peer.clone()))
            .unzip();
        let mut related = BTreeMap::new();
        if peers.iter().any(has_to_do_with_others) {
            for (key, peer) in keys.iter().zip(&peers) {
                let succession = Succession::of(&peer.uid, &peers);
                related.insert(key.clone(), Arc::new(succession));
            }
        }
        let mut changed = BTreeSet::new();
        self.successions.retain(|key, _| {
            let is_left = *key.namespace != *namespace || related.contains_key(key);
            if !is_left {
                changed.insert(key.clone());
            }
            is_left
        });
        for (key, succession) in related {
            if self.successions.get(&key) != Some(&succession) {
                changed.insert(key.clone());
                self.successions.insert(key, succession);
            }
        }
        changed
    }
}

/// Returns true if a plan replaces another plan, or has replaced another plan before.
fn has_to_do_with_others(peer: &Peer) -> bool {
    let intent = (*peer.intent).as_ref();
    let replaces = intent.is_ok_and(|intent| !intent.replaces.is_empty());
    replaces || !peer.status.predecessors.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn plan(name: &str, replaces: Value) -> (Key, InstallPlan) {
        let spec = json!({
            "serviceAccountName": "installer",
            "replaces": replaces,
            "stages": [{"name": "all", "resources": [{"ref": {"name": "a"}}]}],
        });
        let mut plan = InstallPlan::new(name, spec.into());
        plan.metadata.uid = Some(format!("u-{name}"));
        plan.metadata.generation = Some(1);
        (Key::new("harbor", name), plan)
    }

    fn take_over(namespaces: &mut Namespaces, plans: &[(Key, InstallPlan)]) -> Vec<String> {
        let plans = plans.iter().map(|(key, plan)| (key, plan));
        let touched = namespaces.take_over("harbor", plans);
        touched.iter().map(|key| key.name.to_string()).collect()
    }

    #[test]
    fn plans_are_reconciled_when_their_relation_to_another_plan_changes() {
        let mut namespaces = Namespaces::default();
        let [first, other] = ["first", "other"].map(|name| plan(name, json!([])));
        let second = plan("second", json!([{"name": "first"}]));
        let alone = [first.clone(), other.clone()];
        assert_eq!(take_over(&mut namespaces, &alone), Vec::<String>::new());
        let (key, own) = &first;
        assert_eq!(namespaces.succession(key, own).lineage, "u-first");

        let all = [first.clone(), other, second.clone()];
        assert_eq!(
            take_over(&mut namespaces, &all),
            ["first", "other", "second"]
        );
        assert_eq!(take_over(&mut namespaces, &all), Vec::<String>::new());
        let (key, own) = &second;
        assert_eq!(namespaces.succession(key, own).lineage, "u-first");

        assert_eq!(
            take_over(&mut namespaces, &alone),
            ["first", "other", "second"]
        );
    }
}
