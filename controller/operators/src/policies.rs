//! Observes the Policies and PolicyBindings that decide when Operators may be upgraded.
//!
//! The approval service evaluates these objects. This module only detects when a result may have
//! changed.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_core_approval::consent::{self, OperatorId};
use portolan_core_operator::Policies;
use portolan_world::{Area, Followed, Kind, Notifier, State, World};

/// The parsed Policies and PolicyBindings, which decide when Operators may be upgraded.
#[derive(Debug)]
pub(crate) struct PolicyInformers {
    pub(crate) policies: Followed<Policy>,
    pub(crate) bindings: Followed<PolicyBinding>,
    /// The OperatorPolicies, which PolicyBindings may name.
    operator_policies: Followed<OperatorPolicy>,
    pub(crate) parsed: consent::PolicySet,
}

// === impl PolicyInformers ===

impl PolicyInformers {
    pub(crate) fn new(world: &impl World, notifier: &Notifier) -> Self {
        Self {
            policies: Followed::of(world.objects_in(Area::everywhere()), notifier),
            bindings: Followed::of(world.objects_in(Area::everywhere()), notifier),
            operator_policies: Followed::of(world.objects_in(Area::everywhere()), notifier),
            parsed: consent::PolicySet::default(),
        }
    }

    /// Applies changes. Returns true if an object has changed.
    pub(crate) fn look(&mut self) -> bool {
        let policies = self.policies.look();
        for key in &policies.keys {
            match self.policies.object(&key.namespace, &key.name) {
                Some(policy) => self.parsed.put_policy(policy),
                None => self.parsed.remove_policy(&key.name),
            }
        }
        let bindings = self.bindings.look();
        for key in &bindings.keys {
            match self.bindings.object(&key.namespace, &key.name) {
                Some(binding) => self.parsed.put_binding(binding),
                None => self.parsed.remove_binding(&key.name),
            }
        }
        let others = self.operator_policies.look();
        ![policies, bindings, others]
            .iter()
            .all(|turn| turn.is_nothing())
    }

    pub(crate) fn is_heard(&self) -> bool {
        self.policies.is_heard() && self.bindings.is_heard() && self.operator_policies.is_heard()
    }

    /// Returns the operators that PolicyBindings may name.
    pub(crate) fn operators(&self, operators: &Followed<Operator>) -> BTreeSet<OperatorId> {
        let operators = ids(SubjectKind::Operator, operators);
        operators
            .chain(ids(SubjectKind::OperatorPolicy, &self.operator_policies))
            .collect()
    }

    /// Returns the Policies that apply to each Operator. Returns an unknown result if the Policies
    /// have not been read.
    pub(crate) fn current(&self, operators: &Followed<Operator>) -> Policies {
        let states = [self.policies.state(), self.bindings.state()];
        if states.iter().all(|state| matches!(state, State::NotServed)) {
            return Policies::NotServed;
        }
        if states.iter().any(|state| !is_known(state)) {
            return Policies::Unseen;
        }
        let all = self.operators(operators);
        let own = all.iter().filter(|it| it.kind == SubjectKind::Operator);
        let grounds = own.map(|it| (it.name.clone(), self.parsed.grounds(&all, it)));
        Policies::Seen(grounds.collect::<BTreeMap<_, _>>())
    }
}

/// Returns true if the objects of a kind are known. A kind that the API server does not serve has
/// no objects, so its objects are known.
fn is_known(state: &State) -> bool {
    match state {
        State::Synced | State::NotServed | State::Stale { .. } => true,
        State::Pending | State::Unknown { .. } => false,
    }
}

fn ids<K: Kind>(kind: SubjectKind, objects: &Followed<K>) -> impl Iterator<Item = OperatorId> {
    let keys = objects.all().map(|(key, _)| key);
    keys.map(move |key| OperatorId::of(kind, &key.namespace, &key.name))
}
