//! What is said while it is not seen how it is.

use portolan_api::{ConditionType, Reason};

use super::{label, status};
use crate::desired::{Condition, Desired, Report, Status};
use crate::{Observed, StaleKind};

/// Without a word of any of these nobody can tell how it is.
const MATTERS: &[ConditionType] = &[
    ConditionType::ValidPolicySpec,
    ConditionType::OperatorGroupCompliant,
    ConditionType::SubscriptionCompliant,
    ConditionType::InstallPlanCompliant,
    ConditionType::ClusterServiceVersionCompliant,
    ConditionType::CustomResourceDefinitionCompliant,
    ConditionType::DeploymentCompliant,
    ConditionType::CatalogSourcesUnhealthy,
];

/// Whether the namespace that a policy works on will be known once its status is of its present
/// generation, which the deletion has changed.
pub(super) fn may_be_found(observed: &Observed) -> bool {
    status(observed).is_some_and(|status| {
        let is_old = status.observed_generation != observed.policy.metadata.generation;
        is_old && status.resolved_subscription_label.is_some()
    })
}

/// Nothing is done, and what was said stays. What was never said is not known.
pub(super) fn desired(observed: &Observed) -> Desired {
    let why = why(observed);
    let mut report = Report {
        removal: status(observed).and_then(|status| status.removal.clone()),
        label: label(observed),
        ..Report::default()
    };
    for type_ in MATTERS {
        match was_said(observed, *type_) {
            true => report.kept.push((*type_, why.clone())),
            false => {
                let message = format!("nothing is removed, as {why}");
                let condition = Condition::new(*type_, Status::Unknown, Reason::NotAsked, message);
                report.conditions.push(condition);
            }
        }
    }
    Desired {
        report,
        ..Desired::default()
    }
}

fn was_said(observed: &Observed, type_: ConditionType) -> bool {
    let conditions = status(observed).map(|status| status.conditions.as_slice());
    let mut conditions = conditions.unwrap_or_default().iter();
    conditions.any(|condition| condition.type_ == type_.as_str())
}

fn why(observed: &Observed) -> String {
    let clause = |StaleKind { kind, since, why }: &StaleKind| match since {
        Some(since) => format!("{kind}s have not been seen since {since:.0}: {why}"),
        None => format!("{kind}s have not been seen yet: {why}"),
    };
    let clauses: Vec<_> = observed.stale.iter().map(clause).collect();
    match clauses.is_empty() {
        true => "the namespace of the operator is not known yet".to_owned(),
        false => clauses.join("; "),
    }
}
