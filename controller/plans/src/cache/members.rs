//! An index from members to plans, and the watches of the members.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_install::{GroupKind, ObjectRef};
use portolan_runtime::{MetadataChange, MetadataOf, MetadataWatch};
use portolan_world::{Key, State, Trouble};

use super::{Version, Watched, kind_of, version};

/// For each member, the plans that contain the member. For each plan, the watches of its members.
#[derive(Debug, Default)]
pub(super) struct MemberIndex {
    pub(super) by_plan: BTreeMap<Key, Held>,
    pub(super) plans: BTreeMap<ObjectRef, BTreeSet<Key>>,
}

#[derive(Debug)]
pub(super) struct Held {
    pub(super) watched: Watched,
    pub(super) watches: Vec<MetadataWatch>,
}

impl MemberIndex {
    pub(super) fn is_other(&self, plan: &Key, watched: &Watched) -> bool {
        self.by_plan
            .get(plan)
            .is_none_or(|held| held.watched != *watched)
    }

    pub(super) fn hold(&mut self, plan: &Key, held: Held) {
        self.forget(plan);
        for member in &held.watched.members {
            let plans = self.plans.entry(member.clone()).or_default();
            plans.insert(plan.clone());
        }
        self.by_plan.insert(plan.clone(), held);
    }

    pub(super) fn forget(&mut self, plan: &Key) {
        let Some(held) = self.by_plan.remove(plan) else {
            return;
        };
        for member in &held.watched.members {
            if let Some(plans) = self.plans.get_mut(member) {
                plans.remove(plan);
                if plans.is_empty() {
                    self.plans.remove(member);
                }
            }
        }
    }

    /// Returns the members of a plan that current watches contain.
    pub(super) fn shown(&self, plan: &Key) -> BTreeMap<ObjectRef, Version> {
        let held = self.by_plan.get(plan);
        let watches = held
            .into_iter()
            .flat_map(|held| held.watches.iter().map(move |watch| (held, watch)));
        watches
            .flat_map(|(held, watch)| held.shown_by(watch))
            .collect()
    }

    /// Returns true if the watches cover all members of the plan. Returns false if no watch was
    /// started yet.
    pub(super) fn is_watched(&self, plan: &Key) -> bool {
        let watches = self.by_plan.get(plan).map(|held| &held.watches);
        watches.is_some_and(|watches| {
            let mut states = watches.iter().map(|watch| watch.now().state);
            states.all(|state| matches!(state, State::Pending | State::Synced))
        })
    }

    /// Returns the kinds of the plan's members whose watch the API server denies. Returns None if
    /// no watch was started yet.
    pub(super) fn unwatched(&self, plan: &Key) -> Option<BTreeSet<GroupKind>> {
        let held = self.by_plan.get(plan)?;
        let is_refused = |watch: &&MetadataWatch| match watch.now().state {
            State::Unknown { trouble, .. } | State::Stale { trouble, .. } => {
                matches!(trouble, Trouble::Forbidden(_))
            }
            State::Pending | State::Synced | State::NotServed => false,
        };
        let refused = held.watches.iter().filter(is_refused);
        Some(refused.map(kind_of).collect())
    }

    /// Returns the plans that a change affects, each with its changed members. If only the state of
    /// the watch has changed, a plan has no changed members.
    pub(super) fn affected_by(
        &self,
        change: &MetadataChange,
    ) -> BTreeMap<Key, BTreeMap<ObjectRef, Version>> {
        let mut affected: BTreeMap<Key, BTreeMap<ObjectRef, Version>> = BTreeMap::new();
        let Some(watch) = self.watch(&change.of) else {
            return affected;
        };
        if change.bears_on_all {
            let those = self.by_plan.iter().filter(|(_, held)| {
                let mut watches = held.watches.iter();
                watches.any(|watch| *watch.of() == change.of)
            });
            affected.extend(those.map(|(plan, held)| (plan.clone(), held.shown_by(watch))));
        }
        let view = watch.now();
        let kind = kind_of(watch);
        for key in &change.keys {
            let member = ObjectRef {
                kind: kind.clone(),
                namespace: (!key.namespace.is_empty()).then(|| key.namespace.to_string()),
                name: key.name.to_string(),
            };
            for plan in self.plans.get(&member).into_iter().flatten() {
                let members = affected.entry(plan.clone()).or_default();
                members.insert(member.clone(), version(&view, key));
            }
        }
        affected
    }

    /// Returns the watch with these parameters, if a plan uses such a watch.
    pub(super) fn watch(&self, of: &MetadataOf) -> Option<&MetadataWatch> {
        let mut all = self.by_plan.values().flat_map(|held| &held.watches);
        all.find(|watch| watch.of() == of)
    }
}
