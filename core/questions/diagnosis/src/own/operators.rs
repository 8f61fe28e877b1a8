//! Diagnoses Operators of `operators.operatorframework.io` with the other objects that explain
//! their state.

use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::SubjectKind;
use portolan_core_approval::consent::OperatorId;

use super::{OwnKind, OwnObjects, OwnedPlans};
use crate::own_operator::waiting::{self, Awaited};
use crate::own_operator::windows::Windows;
use crate::own_operator::{OperatorFacts, deletion, diagnose_among};
use crate::{Diagnosis, Object};

impl OwnObjects {
    /// Diagnoses the Operators. If an Operator waits for a dependency, its diagnosis names the
    /// cause of the Operator that provides the dependency.
    pub(super) fn diagnose_operators(&self, owned: &OwnedPlans<'_>) -> Vec<Diagnosis> {
        let all = || self.operators.objects.iter().map(|it| &**it);
        let mut windows = Windows::of(
            all(),
            self.policies.objects.iter().map(|it| &**it),
            self.bindings.objects.iter().map(|it| &**it),
            self.operator_policies
                .objects
                .iter()
                .map(|it| policy_id(it)),
        );
        let operators: Vec<_> = all().collect();
        let awaited = waiting::awaited(&operators);
        let mut diagnose = |operator: &Operator, awaited| {
            let never_open = windows.as_mut().and_then(|it| it.never_open(operator));
            let facts = OperatorFacts {
                leaving: deletion::leaving(operator, all()),
                never_open: never_open.as_ref(),
                awaited,
            };
            let plans = owned.of_operator(operator);
            let mut diagnosis = diagnose_among(operator, plans, &self.workloads, facts);
            diagnosis.victims = self.waiting_for(operator);
            diagnosis
        };
        let own: Vec<_> = operators.iter().map(|it| diagnose(it, None)).collect();
        let mut all = own.clone();
        for (at, operator) in operators.iter().enumerate() {
            let chain = awaited[at].and_then(|it| Some((it, waiting::last(&awaited, it)?)));
            let Some((provider, last)) = chain else {
                continue;
            };
            let (provider, awaited) = (operators[provider], &own[last]);
            all[at] = diagnose(
                operator,
                Some(Awaited {
                    provider,
                    last: awaited,
                }),
            );
            let is_blocked = all[at].cause.as_ref();
            if is_blocked.is_some_and(|cause| cause.blocked_by.is_some()) {
                let victim = own[at].subject.object.clone();
                all[last].victims.push(victim);
            }
        }
        all
    }

    /// Returns the Operators that wait until the deletion of this Operator is complete.
    fn waiting_for(&self, operator: &Operator) -> Vec<Object> {
        if operator.metadata.deletion_timestamp.is_none() {
            return Vec::new();
        }
        let name = &operator.metadata.name;
        let waits = |other: &&Arc<Operator>| {
            deletion::leaving(other, std::iter::once(operator)).is_some()
                && other.metadata.name != *name
        };
        let waiting = self.operators.objects.iter().filter(waits);
        let names = waiting.filter_map(|other| other.metadata.name.as_deref());
        names
            .map(|name| Object::new(OwnKind::Operator.as_str(), "", name))
            .collect()
    }
}

/// Returns the operator that an OperatorPolicy installs.
pub(super) fn policy_id(policy: &OperatorPolicy) -> OperatorId {
    let metadata = &policy.metadata;
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let name = metadata.name.as_deref().unwrap_or_default();
    OperatorId::of(SubjectKind::OperatorPolicy, namespace, name)
}
