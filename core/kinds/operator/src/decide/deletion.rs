//! Decides the steps of an Operator that is being deleted.

use std::collections::BTreeSet;

use portolan_api::operator::{FORCE_DELETION, Reason, UserStatus};
use portolan_core_names::text::listed;

use super::report::UndatedCondition;
use super::{Ask, Decision, Observation, Step, live};
use crate::hop::HopState;
use crate::member::FleetMember;
use crate::users::Hold;

/// Returns the reason why an Operator that is being deleted must still exist. Returns None if there
/// is no reason.
pub(super) fn hold(observed: &Observation, member: &FleetMember) -> Option<UndatedCondition> {
    let hold = observed.fleet.hold(member).filter(|_| !member.is_forced)?;
    Some(held(&hold))
}

/// Deletes one plan of an Operator. If no plan is left, removes the finalizer of the Operator. A
/// suspended plan is deleted first, because its predecessor would wait for it. Then the plans are
/// deleted from the oldest to the newest. In another order, an older plan would take back the
/// objects of a deleted newer plan.
pub(super) fn delete(member: &FleetMember, decision: &mut Decision) -> UndatedCondition {
    let Some(hop) = member.next().or(member.hops.first()) else {
        if member.has_finalizer {
            decision.steps.push(Step::RemoveFinalizer);
        }
        return UndatedCondition::no(
            Reason::Deleting,
            "all objects that the Operator installed are being deleted",
        );
    };
    if !hop.is_terminating {
        decision.steps.push(Step::delete(hop));
    } else if hop.is_suspended && !hop.is_held() {
        // The deletion of a suspended plan does not delete its objects, so the plan must be
        // resumed.
        decision.steps.push(Step::release(hop));
    }
    let message = match &hop.state {
        HopState::Begun { message, .. } if hop.is_terminating => format!(": {message}"),
        HopState::Begun { .. } | HopState::Held(_) | HopState::Lost => String::new(),
    };
    let sentence = format!("the plan {} is deleted{message}", hop.plan);
    UndatedCondition::no(Reason::Deleting, sentence)
}

/// Adds the custom resources that remain after the deletion to the condition of the Operator.
pub(super) fn with_left_behind(
    observed: &Observation,
    member: &FleetMember,
    condition: UndatedCondition,
) -> Result<UndatedCondition, BTreeSet<Ask>> {
    let left = live::left_behind(observed, member)?;
    Ok(match left {
        Some(left) => {
            let sentence = format!("{}; {left}", condition.message);
            UndatedCondition::no(condition.reason, sentence)
        }
        None => condition,
    })
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
                "{} {needs} this operator; first delete the operators that need it, or set the \
                 annotation {FORCE_DELETION}",
                names(users)
            );
            UndatedCondition::no(Reason::DeletionBlocked, sentence)
        }
        Hold::After(users) => {
            let sentence = format!(
                "the Operator is deleted after these operators: \
                                    {}",
                names(users)
            );
            UndatedCondition::no(Reason::Deleting, sentence)
        }
    }
}
