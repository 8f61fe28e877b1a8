//! What upgrades are judged by: Policies, PolicyBindings, and the operators that are there.

use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_core_consent::{OperatorId, Terms};
use portolan_world::{Area, Changes, Followed, Informer, Kind, Notifier, World};

use crate::snapshot::UpgradeFacts;

/// What is followed for that, and what was made of it last.
#[derive(Debug)]
pub(super) struct Upgrades {
    policies: Followed<Policy>,
    bindings: Followed<PolicyBinding>,
    operators: Followed<Operator>,
    pub(super) facts: Arc<UpgradeFacts>,
    /// Whether something has changed since [`Self::refresh`] was called last.
    has_changed: bool,
}

// === impl Upgrades ===

impl Upgrades {
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

    /// Takes over what has changed: what is as before is not parsed again.
    pub(super) fn look(&mut self, changes: &Changes, found: &Followed<OperatorPolicy>) {
        let (policies, bindings) = (changes.of::<Policy>(), changes.of::<PolicyBinding>());
        let are_operators = [changes.of::<Operator>(), changes.of::<OperatorPolicy>()];
        let are_operators = are_operators.iter().any(|keys| !keys.is_empty());
        if policies.is_empty() && bindings.is_empty() && !are_operators {
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
        if are_operators {
            let operators = ids(SubjectKind::Operator, &self.operators);
            facts.operators = operators
                .chain(ids(SubjectKind::OperatorPolicy, found))
                .collect();
        }
    }

    /// Says whether anything is not as it was when this was asked last.
    pub(super) fn refresh(&mut self, found: &Followed<OperatorPolicy>) -> bool {
        let unseen = [
            unseen("Policies", &self.policies),
            unseen("PolicyBindings", &self.bindings),
            unseen("Operators", &self.operators),
            unseen("OperatorPolicies", found),
        ];
        let unseen: Vec<_> = unseen.into_iter().flatten().collect();
        if self.facts.unseen != unseen {
            Arc::make_mut(&mut self.facts).unseen = unseen;
            self.has_changed = true;
        }
        std::mem::take(&mut self.has_changed)
    }
}

fn ids<K: Kind>(kind: SubjectKind, found: &Followed<K>) -> impl Iterator<Item = OperatorId> {
    let keys = found.all().map(|(key, _)| key);
    keys.map(move |key| OperatorId::of(kind, &key.namespace, &key.name))
}

/// A restriction that nobody has read must not be taken for none.
fn unseen<K: Kind>(kinds: &str, found: &Followed<K>) -> Option<String> {
    let doubt = found.doubt_of_all().or(found.unread().map(str::to_owned));
    doubt.map(|why| format!("{kinds} are not observed: {why}"))
}
