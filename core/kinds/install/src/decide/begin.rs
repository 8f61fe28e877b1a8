//! The start of a plan. Before the first write, the controller records which objects already exist.

use std::collections::BTreeSet;

use portolan_api::plan::{MemberStatus, Phase, Reason};
use portolan_core_names::text::{counted, listed};

use super::case::{ObjectView, PlanContext};
use super::found::FoundUids;
use super::handover::accounts::Accounts;
use super::handover::orphans::orphaned;
use super::made::MadeUids;
use super::report::{Missing, Report, UndatedCondition, waits_until};
use super::stages::{Progress, stage_status, suspended};
use super::{Halt, blocked_member, invalid, stop, valid};

/// Observes all existing objects before the first write, and records them.
pub(super) fn begin(case: &PlanContext<'_>) -> Result<Progress, Halt> {
    let unseen = case.unseen(0..case.members.len());
    if !unseen.is_empty() {
        return Err(Halt::Ask(unseen));
    }
    valid::order(case)?;
    valid::trials(case)?;
    if let Some(halt) = wait_for_others(case) {
        return Err(halt);
    }
    let accounts = Accounts::of(case.observed, case.relations)?;
    let (mut found, mut collisions) = (FoundUids::new(), Vec::new());
    for place in 0..case.members.len() {
        let view = case.view(place)?;
        let view = if view == ObjectView::Adoptable {
            case.taken_over(place)?
        } else {
            view
        };
        match view {
            // The object is being deleted. The plan creates it again after the deletion.
            ObjectView::Blocked(blocked) if blocked.reason == Reason::Applying => {}
            ObjectView::Blocked(blocked) => {
                collisions.push((blocked.reason, blocked_member(case, place, &blocked)))
            }
            ObjectView::Absent => {}
            ObjectView::Stale { .. }
            | ObjectView::Immutable(_)
            | ObjectView::Adoptable
            | ObjectView::Settled(_) => {
                let (identity, uid) = (&case.members[place].identity, case.uid(place));
                if !accounts.is_made(identity, uid) {
                    found.insert(place, uid.to_owned());
                }
            }
        }
    }
    if let Some((reason, _)) = collisions.first() {
        let reason = *reason;
        let members = collisions.into_iter().map(|(_, member)| member);
        return Err(stop(collided(reason, members.collect())));
    }
    if let Some((phase, applied)) = suspended(case) {
        let mut report = Report::before(phase, valid::valid(), valid::held());
        report.applied = applied;
        return Err(stop(report));
    }
    let sentence = format!("the plan starts with stage {}", case.intent.stages[0].name);
    let report = Report {
        phase: Phase::Applying,
        valid: valid::valid(),
        permitted: valid::held(),
        missing: Missing::default(),
        applied: UndatedCondition::not_yet(Reason::Applying, sentence),
        ready: waits_until("applied"),
        drifted: None,
        stage: Some(stage_status(case, 0)),
        counts: None,
        members: Vec::new(),
        lineages: BTreeSet::new(),
        record: Some(case.record(&found, &MadeUids::default())),
        jobs: None,
        transformed: None,
    };
    Ok(Progress::reporting(report))
}

/// Returns a halt if another plan must act first, or if the status must be written before this plan
/// begins. Returns None otherwise.
fn wait_for_others(case: &PlanContext<'_>) -> Option<Halt> {
    if let Some(rival) = &case.relations.rival {
        return Some(invalid(rival.clone()));
    }
    let mut report = Report::before(Phase::Pending, valid::valid(), valid::held());
    let orphaned = orphaned(case);
    if !orphaned.is_empty() {
        let lineages = listed(&orphaned);
        let sentence =
            format!("the plan takes over the objects of earlier plans (lineage {lineages})");
        report.applied = UndatedCondition::not_yet(Reason::Waiting, sentence);
        report.lineages = orphaned;
        return Some(stop(report));
    }
    let writing = case.relations.writing?;
    if case.intent.is_suspended {
        return None;
    }
    let sentence = format!("waiting until plan {} has been replaced", writing.name);
    report.applied = UndatedCondition::not_yet(Reason::Waiting, sentence);
    Some(stop(report))
}

fn collided(reason: Reason, collisions: Vec<MemberStatus>) -> Report {
    let objects = counted(collisions.len() as i64, "object");
    let first = &collisions[0];
    let sentence = format!("{objects}: {} {}", first.object, first.message);
    let mut report = Report::before(Phase::Pending, valid::valid(), valid::held());
    report.applied = UndatedCondition::no(reason, sentence);
    report.members = collisions;
    report
}
