//! The decision about a plan: the steps to carry out, and the status to write.
//!
//! ```text
//! form, references -> kinds -> permissions -> order -> dry run -> record        nothing is written
//! record -> each stage: create missing members, apply outdated ones -> Applied -> Ready
//! ```

mod after;
mod calm;
mod case;
mod collision;
mod dependency;
mod drift;
mod found;
mod handover;
mod jobs;
mod lacking;
mod lineages;
mod live;
mod made;
mod observation;
mod origins;
mod pods;
mod removal;
mod repairs;
mod report;
mod reviews;
mod stages;
mod tally;
mod transform;
mod tried;
mod unlooked;
mod valid;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::plan::{
    ConditionType, Intent, MemberState, MemberStatus, Phase, Reason, StageStatus, Status,
};
use portolan_core_names::text::{counted, cut, listed, one_line, plain};
use portolan_core_olm::{State, messages};

use crate::manifest::{Member, Members};
use crate::object::holding;
use case::{Blocked, Case, View};
use dependency::Dependencies;
use found::FoundUids;
use handover::Accounts;
use made::MadeUids;
use report::{Missing, Report, Scope, UndatedCondition, waits_until};
use stages::Progress;

pub use calm::Calm;
pub use case::manager;
pub use collision::is_claimed;
pub use lineages::Lineages;
pub use live::{Live, LiveChange, Previews, live};
pub use observation::{
    Account, Ask, Candidate, Decision, Event, Observation, OlmDefinitions, Outcome, Plan, Selected,
    Sight, Step, Trial,
};
pub use pods::PodsSeen;
pub use repairs::only_repairs;
pub use reviews::Reviews;
pub use tally::{DriftTally, Drifting, time_to_ready};
pub use tried::{Attempt, Drift, Forced};
pub use unlooked::unlooked;

/// The maximum length of the name of a webhook in a status.
const LONGEST_WEBHOOK: usize = 253;

/// The reason why a decision ends before anything is written.
type Halt = portolan_api::status::Halt<Ask, Box<Report>>;

impl From<Ask> for Halt {
    fn from(ask: Ask) -> Self {
        Self::ask(ask)
    }
}

/// Decides what to do about a plan.
///
/// # Guarantees
///
/// Nothing is written before the plan is valid and permitted, and before the status records which
/// members existed already. A plan that completes has the same result no matter when its controller
/// was interrupted. Once nothing changes any more, there are no steps and the status stays the
/// same.
pub fn decide(observed: &Observation) -> Decision {
    let mut decision = decided(observed);
    if decision.asks.is_empty() {
        let times = decision.until.into_iter().chain(observed.put_off_until());
        decision.until = times.min();
    }
    decision
}

fn decided(observed: &Observation) -> Decision {
    if let Some(since) = observed.plan.terminating_since {
        return removal::decide(observed, since);
    }
    if let Some(successor) = &observed.succession.successor {
        return handover::rest(observed, successor);
    }
    let mut decision = Decision::waiting(observed);
    let (mut finalizer, mut leftovers) = (None, None);
    let judged = read(observed).and_then(|(intent, members)| {
        // A plan that is rejected also needs the finalizer, so that its objects are deleted with
        // it.
        finalizer = removal::finalizer(observed, intent, &members);
        if let Some(said) = handover::refusal(observed) {
            return Err(valid::invalid(said));
        }
        judge(observed, intent, &members)
    });
    match judged {
        Err(Halt::Ask(asks)) => {
            decision.asks = asks;
            return decision;
        }
        Err(Halt::Say(report)) => {
            finalizer = finalizer.or_else(|| recalled_finalizer(observed));
            decision.status = halted(observed, *report);
        }
        Ok(mut progress) => {
            leftovers = progress.leftovers.take();
            if let Some(leftovers) = &leftovers {
                decision.event = leftovers.join(observed, &mut progress);
            }
            decision.steps = progress.steps;
            decision.order = progress.order;
            decision.until = progress.until;
            decision.drifting = progress.drifting;
            decision.calm = progress.calm.take();
            decision.is_repair = progress.is_repair;
            let replaced = handover::replaced(observed, leftovers.as_ref());
            let report = progress.report;
            decision.status = report.render(observed, &Scope::Whole, replaced);
            repairs::say(observed, &mut decision.status);
        }
    }
    handover::say(observed, &mut decision.status, leftovers.as_ref());
    if let Some(step) = finalizer {
        // The finalizer is written before any object that would be deleted with the plan.
        decision.steps = vec![step];
    }
    decision
}

/// Returns the finalizer step of a plan that cannot be read, based on the members that it recorded.
fn recalled_finalizer(observed: &Observation) -> Option<Step> {
    let intent = observed.intent.as_ref().ok()?;
    let members = valid::members_to_delete(observed, intent).ok()?;
    removal::finalizer(observed, intent, &members)
}

/// Returns the status of a plan for which nothing is done. It keeps the progress of the plan and,
/// once all members were applied, their state.
fn halted(observed: &Observation, report: Report) -> Status {
    let before = &observed.status;
    let is_valid = report.valid.state == State::Yes;
    let is_latched = is_latched(before);
    let scope = if is_latched {
        Scope::Unobserved((!is_valid).then(|| unchecked(&report.valid)))
    } else {
        Scope::Whole
    };
    let mut status = report.render(observed, &scope, handover::replaced(observed, None));
    status.record.clone_from(&before.record);
    handover::learn(observed, &mut status);
    status.stage.clone_from(&before.stage);
    if is_latched {
        status.phase = match before.phase {
            Some(Phase::Ready) if !is_valid => Some(Phase::Applied),
            phase => phase,
        };
        status.counts = before.counts;
        status.members.clone_from(&before.members);
    }
    status
}

/// Returns the condition for members that are no longer checked, because the plan is invalid.
fn unchecked(valid: &UndatedCondition) -> UndatedCondition {
    let sentence = format!("the objects are not checked: {}", valid.message);
    UndatedCondition::not_yet(Reason::NotLookedAt, sentence)
}

/// Stops and reports the reason.
fn stop(report: Report) -> Halt {
    Halt::Say(Box::new(report))
}

/// Returns the `Applied` condition if it is `True`; None if the members were never all applied.
fn was_applied(status: &Status) -> Option<&Condition> {
    status
        .condition(ConditionType::Applied)
        .filter(|applied| applied.status == "True")
}

/// Returns true if all members were applied, and no other plan has written them since.
fn is_latched(status: &Status) -> bool {
    was_applied(status).is_some() && !handover::was_resting(status)
}

/// Returns the intent of the plan, and its members.
fn read(observed: &Observation) -> Result<(&Intent, Arc<Members>), Halt> {
    let intent = observed.intent.as_ref().map_err(|refusals| {
        valid::invalid(UndatedCondition::no(
            Reason::SpecInvalid,
            refusals.to_string(),
        ))
    })?;
    match valid::members(observed, intent) {
        Err(Halt::Say(mut report)) => {
            if let Some(lacks) = lacking::denied_secrets(observed, intent)? {
                report.permitted = lacks.said;
                report.missing = lacks.missing;
            }
            Err(Halt::Say(report))
        }
        read => Ok((intent, read?)),
    }
}

fn judge(observed: &Observation, intent: &Intent, members: &Members) -> Result<Progress, Halt> {
    let discovery = observed.discovery.as_ref();
    let discovery = discovery.ok_or_else(|| Halt::ask(Ask::Discovery))?;
    let kinds = valid::kinds(observed, members, discovery);
    let old = handover::old(observed, members)?;
    let permitted =
        kinds.and_then(|()| valid::permissions(observed, members, discovery, intent, &old));
    let is_applied = is_latched(&observed.status);
    let barred = match permitted {
        Ok(()) => None,
        // Members that were applied are still checked.
        Err(Halt::Say(barred)) if is_applied && observed.status.has_begun() => Some(barred),
        Err(halt) => return Err(halt),
    };
    let record = observed.status.record.as_ref();
    let mut case = Case {
        observed,
        intent,
        members,
        discovery,
        dependencies: Dependencies::of(members),
        found: found::written(&observed.status),
        homes: BTreeMap::new(),
        is_applied,
        is_barred: barred.is_some(),
        calm: observed.calm.as_ref().filter(|calm| calm.is_of(observed)),
    };
    transform::form(&case)?;
    case.homes = handover::homes(&case)?;
    let mut progress = match record {
        Some(_) => stages::walk(&case)?,
        None => begin(&case)?,
    };
    let is_ready = progress.report.phase == Phase::Ready;
    if is_ready && barred.is_none() {
        progress.leftovers = Some(handover::leftovers(&case, old)?);
    }
    if let Some(barred) = barred {
        progress.report.valid = barred.valid;
        progress.report.permitted = barred.permitted;
        progress.report.missing = barred.missing;
    }
    Ok(progress)
}

/// Observes all existing objects before the first write, and records them.
fn begin(case: &Case<'_>) -> Result<Progress, Halt> {
    let unseen = case.unseen(0..case.members.len());
    if !unseen.is_empty() {
        return Err(Halt::Ask(unseen));
    }
    valid::order(case)?;
    valid::trials(case)?;
    if let Some(halt) = waits(case) {
        return Err(halt);
    }
    let accounts = Accounts::of(case.observed)?;
    let (mut found, mut collisions) = (FoundUids::new(), Vec::new());
    for place in 0..case.members.len() {
        let view = case.view(place)?;
        let view = if view == View::Adoptable {
            case.taken_over(place)?
        } else {
            view
        };
        match view {
            // An object of the plan that is being deleted is created again later.
            View::Blocked(blocked) if blocked.reason == Reason::Applying => {}
            View::Blocked(blocked) => {
                collisions.push((blocked.reason, blocked_member(case, place, &blocked)))
            }
            View::Absent => {}
            View::Stale { .. } | View::Immutable(_) | View::Adoptable | View::Settled(_) => {
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
    if let Some((phase, said)) = rests(case) {
        let mut report = Report::before(phase, valid::valid(), valid::held());
        report.applied = said;
        return Err(stop(report));
    }
    let sentence = format!("it begins with {}", case.intent.stages[0].name);
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
    Ok(Progress::saying(report))
}

/// Returns a halt if another plan must act first, or if a record must be written before this plan
/// begins.
fn waits(case: &Case<'_>) -> Option<Halt> {
    if let Some(said) = handover::rivalry(case.observed) {
        return Some(valid::invalid(said));
    }
    let mut report = Report::before(Phase::Pending, valid::valid(), valid::held());
    let orphaned = handover::orphaned(case);
    if !orphaned.is_empty() {
        let lineages = listed(&orphaned);
        let sentence = format!("it takes over from the plans of the lineage {lineages}");
        report.applied = UndatedCondition::not_yet(Reason::Waiting, sentence);
        report.lineages = orphaned;
        return Some(stop(report));
    }
    let restless = handover::restless(case.observed)?;
    if case.intent.is_suspended {
        return None;
    }
    let sentence = format!("it waits until {} rests", restless.name);
    report.applied = UndatedCondition::not_yet(Reason::Waiting, sentence);
    Some(stop(report))
}

/// Returns the reason why nothing is written for a plan that may be carried out, with its phase;
/// None if nothing prevents it.
fn rests(case: &Case<'_>) -> Option<(Phase, UndatedCondition)> {
    let sentence = "it is suspended; set spec.suspend to false";
    let said = UndatedCondition::not_yet(Reason::Suspended, sentence);
    case.intent.is_suspended.then_some((Phase::Suspended, said))
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

fn stage_status(case: &Case<'_>, stage: usize) -> StageStatus {
    StageStatus {
        name: case.intent.stages[stage].name.clone(),
        index: u32::try_from(stage).unwrap_or(u32::MAX),
        since: Some(Time(case.observed.now)),
    }
}

/// Returns the status of a member that cannot be applied.
fn blocked_member(case: &Case<'_>, place: usize, blocked: &Blocked) -> MemberStatus {
    MemberStatus {
        owner: blocked.owner.clone(),
        ..observed_member(case, place, blocked.state, &blocked.sentence)
    }
}

/// Returns the name of the webhook that the API server fails to call according to its message, as a
/// status has it.
fn failing_webhook(message: &str) -> Option<String> {
    let name = messages::failing_webhook(message)?;
    Some(cut(&one_line(name), LONGEST_WEBHOOK))
}

/// Returns the status of a member, with the finalizers of its object.
fn observed_member(
    case: &Case<'_>,
    place: usize,
    state: MemberState,
    message: &str,
) -> MemberStatus {
    let object = case.object(place);
    MemberStatus {
        finalizers: object.map(holding).unwrap_or_default(),
        ..member_status(case.intent, &case.members[place], state, message)
    }
}

fn member_status(
    intent: &Intent,
    member: &Member,
    state: MemberState,
    message: &str,
) -> MemberStatus {
    let stage = &intent.stages[member.place.stage].name;
    MemberStatus::new(
        (stage, member.place.index),
        member.identity.to_string(),
        state,
        plain(message),
    )
}
