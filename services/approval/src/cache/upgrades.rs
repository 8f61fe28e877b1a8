//! The facts for judging upgrades: UpgradePolicies, PolicyBindings, and the existing operators.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_core_approval::consent::{OperatorId, Terms};
use portolan_world::{Area, Changes, Followed, Informer, Kind, Notifier, State, Trouble, World};

use crate::snapshot::UpgradeFacts;

/// The watched kinds that affect upgrades, and the facts that were computed from them last.
#[derive(Debug)]
pub(super) struct UpgradeKinds {
    policies: Followed<Policy>,
    bindings: Followed<PolicyBinding>,
    operators: Followed<Operator>,
    pub(super) facts: Arc<UpgradeFacts>,
    /// True if an object has changed since the last [`Self::refresh`].
    has_changed: bool,
}

// === impl UpgradeKinds ===

impl UpgradeKinds {
    pub(super) fn of(world: &impl World, terms: Terms, notifier: &Notifier) -> Self {
        let facts = UpgradeFacts {
            terms,
            ..UpgradeFacts::default()
        };
        Self {
            policies: Followed::within_world(world, Area::everywhere(), notifier),
            bindings: Followed::within_world(world, Area::everywhere(), notifier),
            operators: Followed::within_world(world, Area::everywhere(), notifier),
            facts: Arc::new(facts),
            has_changed: true,
        }
    }

    pub(super) fn kinds(&mut self) -> [&mut dyn Informer; 3] {
        let Self {
            policies,
            bindings,
            operators,
            facts: _,
            has_changed: _,
        } = self;
        [policies, bindings, operators]
    }

    /// Applies changes. Unchanged objects are not parsed again.
    pub(super) fn look(&mut self, changes: &Changes, found: &Followed<OperatorPolicy>) {
        let (policies, bindings) = (changes.of::<Policy>(), changes.of::<PolicyBinding>());
        self.look_at_operators(changes, found);
        if policies.is_empty() && bindings.is_empty() {
            return;
        }
        self.has_changed = true;
        let facts = Arc::make_mut(&mut self.facts);
        for key in policies {
            match self.policies.object(&key.namespace, &key.name) {
                Some(policy) => facts.world.put_policy(policy),
                None => facts.world.remove_policy(&key.name),
            }
        }
        for key in bindings {
            match self.bindings.object(&key.namespace, &key.name) {
                Some(binding) => facts.world.put_binding(binding),
                None => facts.world.remove_binding(&key.name),
            }
        }
    }

    /// Applies changes of operators. Ignores changes of only their statuses, which are frequent and
    /// do not affect upgrades.
    fn look_at_operators(&mut self, changes: &Changes, found: &Followed<OperatorPolicy>) {
        let changed = [changes.of::<Operator>(), changes.of::<OperatorPolicy>()];
        if changed.iter().all(|keys| keys.is_empty()) {
            return;
        }
        let operators: BTreeSet<_> = ids(SubjectKind::Operator, &self.operators)
            .chain(ids(SubjectKind::OperatorPolicy, found))
            .collect();
        let labels = labels(found);
        if (&self.facts.operators, &self.facts.labels) != (&operators, &labels) {
            self.has_changed = true;
            let facts = Arc::make_mut(&mut self.facts);
            facts.operators = operators;
            facts.labels = labels;
        }
    }

    /// Computes the facts again. Returns true if an object has changed since the last call.
    pub(super) fn refresh(&mut self, found: &Followed<OperatorPolicy>) -> bool {
        let unseen = [
            unseen("Policies", &self.policies),
            unseen("PolicyBindings", &self.bindings),
            unseen("Operators", &self.operators),
            unseen("OperatorPolicies", found),
        ];
        let unseen: Vec<_> = unseen.into_iter().flatten().collect();
        let unseen_policies = [
            unknown("Policies", &self.policies),
            unknown("PolicyBindings", &self.bindings),
        ];
        let unseen_policies: Vec<_> = unseen_policies.into_iter().flatten().collect();
        let states = [self.policies.state(), self.bindings.state()];
        let are_served = !states.iter().all(|it| matches!(it, State::NotServed));
        let is_same = self.facts.unseen == unseen
            && self.facts.unseen_policies == unseen_policies
            && self.facts.are_policies_served == are_served;
        if !is_same {
            let facts = Arc::make_mut(&mut self.facts);
            facts.unseen = unseen;
            facts.unseen_policies = unseen_policies;
            facts.are_policies_served = are_served;
            self.has_changed = true;
        }
        std::mem::take(&mut self.has_changed)
    }
}

fn ids<K: Kind>(kind: SubjectKind, found: &Followed<K>) -> impl Iterator<Item = OperatorId> {
    let keys = found.all().map(|(key, _)| key);
    keys.map(move |key| OperatorId::of(kind, &key.namespace, &key.name))
}

fn labels(found: &Followed<OperatorPolicy>) -> BTreeMap<OperatorId, BTreeMap<String, String>> {
    let labeled = found.all().filter_map(|(key, policy)| {
        let labels = policy.metadata.labels.clone().filter(|it| !it.is_empty())?;
        let id = OperatorId::of(SubjectKind::OperatorPolicy, &key.namespace, &key.name);
        Some((id, labels))
    });
    labeled.collect()
}

/// Returns the reason why a kind is not observed. If files are not a dump and contain no object of
/// the kind, the kind counts as observed, because their cluster does not use it.
fn unknown<K: Kind>(kinds: &str, found: &Followed<K>) -> Option<String> {
    match found.state() {
        State::Synced | State::NotServed => None,
        state @ (State::Pending | State::Unknown { .. } | State::Stale { .. }) => Some(format!(
            "{kinds} are not observed: {state}{}",
            way_out(found)
        )),
    }
}

/// Returns the reason why the restrictions are unknown. An unread restriction must not be treated
/// as "no restriction".
fn unseen<K: Kind>(kinds: &str, found: &Followed<K>) -> Option<String> {
    let doubt = found.doubt_of_all().or(found.unread().map(str::to_owned));
    doubt.map(|why| format!("{kinds} are not observed: {why}{}", way_out(found)))
}

/// Returns the end of a sentence with the permission that is missing to list the objects. Empty if
/// no permission is missing.
fn way_out<K: Kind>(found: &Followed<K>) -> String {
    let permission = || {
        let (plural, group) = (K::plural(&()), K::group(&()));
        format!("the permission to list and watch {plural}.{group}")
    };
    match found.state().trouble().map(|(trouble, _)| trouble) {
        Some(Trouble::Forbidden(_)) => {
            format!("; it requires {}, which `portolan serve approval` has", permission())
        }
        Some(Trouble::NotDumped(_)) => {
            format!("; dump the cluster as a user with {}", permission())
        }
        Some(
            Trouble::Refused { .. }
            | Trouble::Silent(_)
            | Trouble::Unreachable(_)
            | Trouble::Missing(_)
            // The message of this error already contains the remedy.
            | Trouble::NotAsked { .. },
        )
        | None => String::new(),
    }
}
