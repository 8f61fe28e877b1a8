//! Deletes a plan: decides which objects are deleted, in which order, and what blocks the deletion.
//!
//! ```text
//! members to delete -- observe --> remaining: exist, made by the plan -- sequence --> Delete ...
//!                                   |  none: the finalizer is removed
//!                                   +- held: by the account, permissions, objects lost with them,
//!                                      or finalizers of others. This is reported. The deletion is
//!                                      abandoned only if they block it for abandonAfterSeconds
//!                                      without interruption.
//! ```

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::{
    ABANDON, ConditionType, Disposition, Intent, MOST_MEMBERS, MemberState, MemberStatus, Order,
    Phase, Reason, Status,
};
use portolan_core_olm::State;

use super::account::unusable_account;
use super::decision::{Decision, Step};
use super::deletion::{
    Goal, Hold, PATIENCE, Removal, event, is_kept, next_read, to_delete, was_blocked,
};
use super::handover::give_back::{given_back, wait_for_predecessor, wait_for_successor};
use super::handover::report as relations_report;
use super::handover::rest::rested_record;
use super::made::MadeUids;
use super::observation::Observation;
use super::plan::Account;
use super::relations::Relations;
use super::report::{Conditions, Scope, UndatedCondition, conditions};
use super::{Halt, discovery, found, valid};
use crate::manifest::Members;

/// Returns the step that adds or removes the finalizer of a plan that is not being deleted. Returns
/// None if no step is needed.
///
/// The plan must have the finalizer before it writes the first member. It keeps the finalizer as
/// long as its deletion would delete objects.
pub(super) fn finalizer(
    observed: &Observation,
    intent: &Intent,
    members: &Members,
) -> Option<Step> {
    // Without a record, the plan writes no objects, and it is unknown which objects it wrote
    // earlier.
    observed.status.record.as_ref()?;
    let is_wanted = !is_kept(observed) && to_delete(intent, members).next().is_some();
    observed.plan.finalizer(is_wanted)
}

/// Decides the next steps for a plan that is being deleted.
pub(super) fn decide(
    observed: &Observation,
    relations: &Relations<'_>,
    since: Timestamp,
) -> Decision {
    let mut decision = Decision::waiting(observed);
    decision.status.phase = Some(Phase::Terminating);
    if !observed.plan.has_finalizer {
        // The deletion of the plan deletes no objects, even if another finalizer delays the
        // deletion.
        let replaced = relations_report::replaced(observed, relations, None);
        let decided = Conditions::default().with(ConditionType::Replaced, replaced);
        decision.status.conditions = conditions(observed, &Scope::Relation, decided);
        relations_report::add(observed, relations, &mut decision.status, None);
        return decision;
    }
    if is_kept(observed) || observed.status.record.is_none() || relations.is_over {
        decision.steps = vec![Step::RemoveFinalizer];
        return decision;
    }
    match removal(observed, relations, since) {
        Err(Halt::Ask(asks)) => {
            decision.status.clone_from(&observed.status);
            decision.asks = asks;
        }
        Err(Halt::Say(report)) => {
            conclude(
                (observed, relations),
                unreadable(report.valid),
                &mut decision,
            );
        }
        Ok(removal) => conclude((observed, relations), removal, &mut decision),
    }
    decision
}

/// Returns the state of the deletion if it is unknown which objects the plan created.
fn unreadable(valid: UndatedCondition) -> Removal {
    Removal {
        valid: Some(valid.clone()),
        ..Removal::held(Hold::Blocked(format!(
            "the objects that the plan created are unknown: {}",
            valid.message
        )))
    }
}

fn removal(
    observed: &Observation,
    relations: &Relations<'_>,
    since: Timestamp,
) -> Result<Removal, Halt> {
    if let Some(sentence) = wait_for_successor(relations) {
        let record = match rested_record(observed) {
            Ok(record) => record,
            Err(Halt::Say(_)) => None,
            Err(asks) => return Err(asks),
        };
        return Ok(Removal {
            record,
            ..Removal::waiting(sentence)
        });
    }
    let intent = match &observed.intent {
        Ok(intent) => intent,
        Err(refusals) => {
            let sentence = refusals.to_string();
            return Ok(unreadable(UndatedCondition::no(
                Reason::SpecInvalid,
                sentence,
            )));
        }
    };
    if !may_delete(intent) {
        return Ok(Removal::default());
    }
    let account = unusable_account(observed, intent)?;
    if let (Some(lacks), Some(Account::Leaving)) = (&account, observed.account) {
        // The namespace is being deleted. The objects that the plan refers to may already be gone,
        // so they are not read.
        return Ok(Removal::held(Hold::Blocked(lacks.said.message.clone())));
    }
    let members = valid::members_to_delete(observed, intent)?;
    let mut going: BTreeSet<_> = to_delete(intent, &members).collect();
    let all = going.len();
    match given_back(observed, relations)? {
        Ok(given) => going.retain(|place| !given.contains(&members[*place].identity)),
        Err(hold) => return Ok(Removal::held(hold)),
    }
    if going.is_empty() {
        let waits = wait_for_predecessor(observed, relations)?.filter(|_| all > 0);
        return Ok(waits.map_or_else(Removal::default, Removal::waiting));
    }
    let discovery = discovery(observed)?;
    let goal = Goal {
        observed,
        discovery,
        intent,
        of: intent,
        members: &members,
        going,
        found: found::of(&observed.status, Some(intent)),
        made: MadeUids::of(&observed.status),
        way_out: format!(
            "delete these objects, or set the annotation {ABANDON}=true on the plan to keep all \
             its objects"
        ),
    };
    if let Some(lacks) = account {
        return Ok(Removal::lacking(lacks, unobserved(&goal)));
    }
    if let Some(sentence) = wait_for_predecessor(observed, relations)? {
        return Ok(Removal::waiting(sentence));
    }
    goal.removal(since)
}

/// Returns true if the plan contains a resource that is deleted with the plan, according to its
/// lifecycle. The kind of the resource is ignored.
fn may_delete(intent: &Intent) -> bool {
    let mut resources = intent.stages.iter().flat_map(|stage| &stage.resources);
    resources.any(|resource| {
        let said = resource.lifecycle.on_plan_deletion;
        said.unwrap_or(intent.on_plan_deletion) == Disposition::Delete
    })
}

/// Returns the members that may still exist, for a cluster that cannot be observed. These are the
/// members in the last report of the deletion. Without such a report, these are all members to
/// delete.
fn unobserved(goal: &Goal<'_>) -> Vec<MemberStatus> {
    let status = &goal.observed.status;
    if is_terminating(status) && !status.members.is_empty() {
        return status.members.clone();
    }
    goal.unobserved(MOST_MEMBERS)
}

fn is_terminating(status: &Status) -> bool {
    status.phase == Some(Phase::Terminating)
}

fn conclude(
    (observed, relations): (&Observation, &Relations<'_>),
    removal: Removal,
    decision: &mut Decision,
) {
    if removal.is_over() {
        decision.steps = vec![Step::RemoveFinalizer];
        return;
    }
    let is_held = removal.is_held();
    let blocked_since = blocked_since(observed, &removal);
    let held_since = blocked_since.or(removal.object_held_since());
    let deadline = held_since.and_then(|since| deadline(observed, since));
    let is_over = deadline.is_some_and(|deadline| deadline <= observed.now);
    if is_held && observed.account == Some(Account::Leaving) {
        // The namespace is being deleted, so this deletion could never continue. It would also
        // block the deletion of the namespace forever.
        give_up(&removal.message(), &removal, decision);
        return;
    }
    let message = message(&removal);
    if is_over {
        give_up(&message, &removal, decision);
        return;
    }
    let (state, reason) = if is_held {
        (State::No, Reason::DeletionBlocked)
    } else {
        (State::NotYet, Reason::Deleting)
    };
    if is_held && !was_blocked(&observed.status, ConditionType::Ready) {
        decision.event = Some(event(reason, &message, &removal.remaining));
    }
    if removal.steps.is_empty() {
        let times = next_read(observed).into_iter().chain(deadline);
        decision.until = times.filter(|at| *at > observed.now).min();
    }
    decision.status = status(
        (observed, relations),
        UndatedCondition::of(state, reason, message),
        &removal,
    );
    decision.status.deletion_blocked_since = blocked_since.map(Time);
    decision.steps = removal.steps;
    decision.order = removal.order.unwrap_or(Order::InOrder);
}

/// Returns the time since which the deletion has been blocked, according to the status. Returns
/// None if the deletion makes progress, or only waits for objects that are being deleted.
///
/// The time starts again after each progress. A long deletion that is blocked only briefly at its
/// end is therefore not given up.
fn blocked_since(observed: &Observation, removal: &Removal) -> Option<Timestamp> {
    let before = &observed.status;
    // If the API server rejected the deletion of a member before, another attempt is no progress.
    let mut members = before.members.iter();
    let was_refused =
        is_terminating(before) && members.any(|member| member.state == MemberState::Refused);
    let is_blocked = removal.hold.is_some() || removal.is_held_now() || was_refused;
    let recorded = before.deletion_blocked_since.as_ref();
    is_blocked.then(|| recorded.map_or(observed.now, |Time(since)| *since))
}

/// Removes the finalizer. The plan is then deleted, and the remaining objects are kept.
fn give_up(message: &str, removal: &Removal, decision: &mut Decision) {
    decision.steps = vec![Step::RemoveFinalizer];
    let message = format!("the plan is deleted, and its objects are kept: {message}");
    decision.event = Some(event(Reason::ObjectsRemain, &message, &removal.remaining));
}

/// Returns the time at which a deletion is given up that has been blocked since `since`. Returns
/// None if it is never given up.
fn deadline(observed: &Observation, since: Timestamp) -> Option<Timestamp> {
    let intent = observed.intent.as_ref().ok()?;
    let after = SignedDuration::from_secs(intent.abandon_after_seconds?.into()).max(PATIENCE);
    since.checked_add(after).ok()
}

fn message(removal: &Removal) -> String {
    let message = removal.message();
    match &removal.hold {
        Some(Hold::Blocked(_)) => format!(
            "{message}. Until then, the controller deletes nothing; to keep the objects of the \
             plan, set the annotation {ABANDON}=true on the plan"
        ),
        Some(Hold::Waits(_)) | None => message,
    }
}

/// Returns the status of a plan that is being deleted. It contains the earlier status without the
/// parts that no longer apply.
fn status(
    (observed, relations): (&Observation, &Relations<'_>),
    ready: UndatedCondition,
    removal: &Removal,
) -> Status {
    let is_unlooked = matches!(removal.hold, Some(Hold::Waits(_))) || removal.valid.is_some();
    let held = (!is_unlooked).then(valid::held);
    let replaced = relations_report::replaced(observed, relations, None);
    let decided = Conditions::default()
        .with(ConditionType::Valid, removal.valid.clone())
        .with(ConditionType::Permitted, removal.permitted.clone().or(held))
        .with(ConditionType::Ready, ready)
        .with(ConditionType::Replaced, replaced);
    let remaining = removal.remaining.iter().take(MOST_MEMBERS);
    let mut status = Status {
        observed_generation: Some(observed.plan.generation),
        phase: Some(Phase::Terminating),
        conditions: conditions(observed, &Scope::Deletion, decided),
        stage: None,
        counts: None,
        members: remaining.cloned().collect(),
        ..observed.status.clone()
    };
    removal.missing.clone().list(&mut status);
    if let Some(record) = &removal.record {
        status.record = Some(record.clone());
    }
    relations_report::add(observed, relations, &mut status, None);
    status
}
