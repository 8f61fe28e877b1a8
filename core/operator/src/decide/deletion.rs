//! An Operator that is being deleted.

use std::collections::BTreeSet;

use portolan_api::operator::{FORCE_DELETION, Reason, Status};
use portolan_core_names::text::listed;

use super::report::{Report, UndatedCondition};
use super::{Ask, Decision, Observation, Step, adopt, live};
use crate::fleet::Member;
use crate::hop::HopState;

/// Deletes its plans: first one that is held, for which the one before it would wait, then the oldest
/// first, as one that was replaced would take back what is replaced by none any more.
pub(super) fn decide(observed: &Observation, member: &Member) -> Decision {
    let mut decision = Decision::saying(Status::default());
    let mut report = Report::of(observed, member);
    let users = observed.fleet.users(member);
    let said = if !users.is_empty() && !member.is_forced {
        let names = users
            .iter()
            .map(|user| format!("{} {}", user.name, user.version));
        let sentence = format!(
            "{} {} it; delete what needs it first, or set the annotation {FORCE_DELETION}",
            listed(names),
            if users.len() == 1 { "needs" } else { "need" },
        );
        UndatedCondition::no(Reason::DeletionBlocked, sentence)
    } else if let Some(said) = adopted(observed, member, &mut decision) {
        match said {
            Ok(said) => said,
            Err(asks) => {
                decision.asks = asks;
                return decision;
            }
        }
    } else {
        match member.next().or(member.hops.first()) {
            None => {
                if member.has_finalizer {
                    decision.steps.push(Step::RemoveFinalizer);
                }
                UndatedCondition::no(Reason::Deleting, "all that it installed is deleted")
            }
            Some(hop) => {
                if !hop.is_terminating {
                    decision.steps.push(Step::delete(hop));
                } else if hop.is_suspended && !hop.is_held() {
                    // A suspended plan deletes nothing either.
                    decision.steps.push(Step::release(hop));
                }
                let message = match &hop.state {
                    HopState::Begun { message, .. } if hop.is_terminating => format!(": {message}"),
                    HopState::Begun { .. } | HopState::Held(_) | HopState::Lost => String::new(),
                };
                let sentence = format!("the plan {} is deleted{message}", hop.plan);
                UndatedCondition::no(Reason::Deleting, sentence)
            }
        }
    };
    let said = match live::left_behind(observed, member) {
        Ok(None) => said,
        Ok(Some(left)) => UndatedCondition::no(said.reason, format!("{}; {left}", said.message)),
        Err(asks) => {
            decision.asks = asks;
            return decision;
        }
    };
    report.installing = Some(said);
    decision.status = report.render(observed, member.generation);
    decision
}

/// Returns what is done first about an adoption that is under way, or what is to be looked at for
/// it.
fn adopted(
    observed: &Observation,
    member: &Member,
    decision: &mut Decision,
) -> Option<Result<UndatedCondition, BTreeSet<Ask>>> {
    match adopt::before_deletion(observed, member.current(), decision) {
        Ok(said) => said.map(Ok),
        Err(halt) => Some(decision.halted(halt, observed.now)),
    }
}
