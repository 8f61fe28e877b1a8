//! An Operator that is being deleted.

use std::collections::BTreeSet;

use portolan_api::operator::{FORCE_DELETION, Reason, Status, UserStatus};
use portolan_core_names::text::listed;

use super::report::{Report, UndatedCondition};
use super::{Ask, Decision, Observation, Step, adopt, live};
use crate::fleet::Member;
use crate::hop::HopState;
use crate::users::Hold;

/// Deletes its plans. A suspended plan is deleted first, because its predecessor would wait for it.
/// Then the oldest is deleted first, because a replaced plan would take back objects that no plan
/// replaces any more.
pub(super) fn decide(observed: &Observation, member: &Member) -> Decision {
    let mut decision = Decision::saying(Status::default());
    let mut report = Report::of(observed, member);
    let hold = observed.fleet.hold(member).filter(|_| !member.is_forced);
    let said = if let Some(hold) = hold {
        held(&hold)
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

fn held(hold: &Hold) -> UndatedCondition {
    let names = |users: &[UserStatus]| {
        let names = users.iter().map(|it| format!("{} {}", it.name, it.version));
        listed(names)
    };
    match hold {
        Hold::Needed(users) => {
            let needs = if users.len() == 1 { "needs" } else { "need" };
            let sentence = format!(
                "{} {needs} it; delete what needs it first, or set the annotation {FORCE_DELETION}",
                names(users)
            );
            UndatedCondition::no(Reason::DeletionBlocked, sentence)
        }
        Hold::After(users) => {
            let sentence = format!("it is deleted after {}", names(users));
            UndatedCondition::no(Reason::Deleting, sentence)
        }
    }
}

/// Returns the next step of an adoption in progress, or the objects to read for it.
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
