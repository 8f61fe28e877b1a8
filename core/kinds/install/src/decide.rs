//! Decides which steps the controller carries out for an InstallPlan, and which status it writes.
//!
//! ```text
//! form, references -> kinds -> permissions -> order -> dry run -> record        nothing is written
//! record -> each stage: create missing members, apply outdated ones -> Applied -> Ready
//! ```

mod account;
mod after;
mod begin;
mod case;
mod collision;
mod conversion;
mod decision;
mod deletion;
mod dependency;
mod drift;
mod found;
mod handover;
mod jobs;
mod lacking;
mod live;
mod lookup_failed;
mod made;
mod needed;
mod observation;
mod origins;
mod plan;
mod pods;
mod relations;
mod removal;
mod repairs;
mod report;
mod reviews;
mod stages;
mod storage;
mod tally;
mod transform;
mod tried;
mod valid;
mod verified;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, Intent, MemberState, MemberStatus, Phase, Reason, Status};
use portolan_core_names::text::{cut, one_line, plain};
use portolan_core_olm::{State, messages};

use crate::discovery::Discovery;
use crate::manifest::{Member, Members};
use crate::object::holding;
use case::{Blocked, PlanContext};
use dependency::Dependencies;
use handover::leftovers::{self, Leftovers, Old};
use handover::{homes, report as relations_report, rest};
use relations::Relations;
use report::{Report, Scope, UndatedCondition, waits_until};
use stages::Progress;

pub use collision::{crds_of_role, is_claimed};
pub use decision::{Ask, Decision, Event, Outcome, Step};
pub use live::{Live, LiveChange, Previews, live};
pub use lookup_failed::lookup_failed;
pub use observation::{
    ObjectRead, Observation, OlmDefinitions, Reviews, SelectableObject, Selected, Trial,
};
pub use plan::{Account, Plan};
pub use pods::judged::PodsSeen;
pub use repairs::only_repairs;
pub use storage::staged;
pub use tally::{DriftTally, Drifting, time_to_ready};
pub use tried::{Attempt, Drift, Forced};
pub use verified::VerifiedMembers;

/// The maximum length of a webhook name that a status contains.
const LONGEST_WEBHOOK: usize = 253;

/// The reason why a decision ends early: facts that must be looked up first, or a report for the
/// status.
type Halt = portolan_api::status::Halt<Ask, Box<Report>>;

/// Returns the halt for an invalid plan. If the plan has already written objects, its status keeps
/// the record about them.
fn invalid(said: UndatedCondition) -> Halt {
    stop(Report::before(Phase::Invalid, said, waits_until("valid")))
}

impl From<Ask> for Halt {
    fn from(ask: Ask) -> Self {
        Self::ask(ask)
    }
}

/// Decides the next steps for a plan.
///
/// # Guarantees
///
/// The controller writes nothing before the plan is valid, all permissions exist, and the status
/// lists the members that already existed. If the controller is interrupted at any time, the final
/// result is the same. If the plan and the cluster do not change, the decision has no steps and the
/// same status.
pub fn decide(observed: &Observation) -> Decision {
    let mut decision = decided(observed);
    if decision.asks.is_empty() {
        let times = decision.until.into_iter().chain(observed.put_off_until());
        decision.until = times.min();
    }
    decision
}

fn decided(observed: &Observation) -> Decision {
    let relations = Relations::of(observed);
    match (observed.plan.terminating_since, relations.successor) {
        (Some(since), _) => removal::decide(observed, &relations, since),
        (None, Some(successor)) => rest::decide(observed, &relations, successor),
        (None, None) => carry_out(observed, &relations),
    }
}

/// Decides the next steps for a plan that is not being deleted and that no other plan replaces.
fn carry_out(observed: &Observation, relations: &Relations<'_>) -> Decision {
    let mut decision = Decision::waiting(observed);
    let mut finalizer = None;
    let judged = read(observed).and_then(|(intent, members)| {
        // A rejected plan also needs the finalizer. Otherwise, its objects would remain when the
        // plan is deleted.
        finalizer = removal::finalizer(observed, intent, &members);
        match &relations.rejection {
            Some(rejection) => Err(invalid(rejection.clone())),
            None => judge(observed, relations, (intent, &members)),
        }
    });
    let mut leftovers = None;
    match judged {
        Err(Halt::Ask(asks)) => {
            decision.asks = asks;
            return decision;
        }
        Err(Halt::Say(report)) => {
            finalizer = finalizer.or_else(|| recalled_finalizer(observed));
            decision.status = halted(observed, relations, *report);
        }
        Ok((progress, left)) => {
            leftovers = left;
            let relation = (relations, leftovers.as_ref());
            proceed(observed, relation, progress, &mut decision);
        }
    }
    relations_report::add(
        observed,
        relations,
        &mut decision.status,
        leftovers.as_ref(),
    );
    if let Some(step) = finalizer {
        // The controller adds the finalizer before it writes any object. Without the finalizer, the
        // deletion of the plan would leave these objects behind.
        decision.steps = vec![step];
    }
    decision
}

/// Copies the steps, the status and the other results of a valid plan to the decision.
fn proceed(
    observed: &Observation,
    (relations, leftovers): (&Relations<'_>, Option<&Leftovers>),
    mut progress: Progress,
    decision: &mut Decision,
) {
    decision.event = leftovers.and_then(|leftovers| leftovers.join(observed, &mut progress));
    decision.steps = progress.steps;
    decision.order = progress.order;
    decision.until = progress.until;
    decision.drifting = progress.drifting;
    decision.verified = progress.verified;
    decision.is_repair = progress.is_repair;
    let replaced = relations_report::replaced(observed, relations, leftovers);
    let report = progress.report;
    decision.status = report.render(observed, &Scope::Whole, replaced);
    repairs::record(observed, &mut decision.status);
}

/// Returns the step that adds or removes the finalizer of a plan whose members cannot be read. The
/// members that the status records decide if the finalizer is needed.
fn recalled_finalizer(observed: &Observation) -> Option<Step> {
    let intent = observed.intent.as_ref().ok()?;
    let members = valid::members_to_delete(observed, intent).ok()?;
    removal::finalizer(observed, intent, &members)
}

/// Returns the status of a plan that cannot continue now. The status keeps the progress. If all
/// members were applied, it also keeps the states of the members.
fn halted(observed: &Observation, relations: &Relations<'_>, report: Report) -> Status {
    let before = &observed.status;
    let is_valid = report.valid.state == State::Yes;
    let is_latched = is_latched(before);
    let scope = if is_latched {
        Scope::Unobserved((!is_valid).then(|| unchecked(&report.valid)))
    } else {
        Scope::Whole
    };
    let replaced = relations_report::replaced(observed, relations, None);
    let mut status = report.render(observed, &scope, replaced);
    status.record.clone_from(&before.record);
    origins::record_given_back(observed, relations, &mut status);
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

/// Returns the condition about members that the controller does not check because the plan is
/// invalid.
fn unchecked(valid: &UndatedCondition) -> UndatedCondition {
    let sentence = format!("the objects are not checked: {}", valid.message);
    UndatedCondition::not_yet(Reason::NotObserved, sentence)
}

/// Returns a halt that ends the decision with this report.
fn stop(report: Report) -> Halt {
    Halt::Say(Box::new(report))
}

/// Returns the `Applied` condition if it is `True`. Returns None otherwise.
fn was_applied(status: &Status) -> Option<&Condition> {
    status
        .condition(ConditionType::Applied)
        .filter(|applied| applied.status == "True")
}

/// Returns true if all members were applied once, and no other plan has replaced this plan.
fn is_latched(status: &Status) -> bool {
    was_applied(status).is_some() && !status.is_true(ConditionType::Replaced)
}

/// Returns the intent of the plan, and the members that its manifests describe.
fn read(observed: &Observation) -> Result<(&Intent, Arc<Members>), Halt> {
    let intent = observed.intent.as_ref().map_err(|refusals| {
        invalid(UndatedCondition::no(
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

/// Returns the progress of a valid plan. If the plan is ready, also returns the deletion of objects
/// that only earlier plans contain.
fn judge(
    observed: &Observation,
    relations: &Relations<'_>,
    (intent, members): (&Intent, &Members),
) -> Result<(Progress, Option<Leftovers>), Halt> {
    let discovery = discovery(observed)?;
    let kinds = valid::kinds(observed, members, discovery);
    let old = leftovers::old(observed, relations, members)?;
    let deleted: Vec<_> = old.iter().flat_map(Old::leftovers).collect();
    let permitted =
        kinds.and_then(|()| valid::permissions(observed, members, discovery, intent, &deleted));
    let barred = match permitted {
        Ok(()) => None,
        // After all members were applied once, missing permissions do not end the decision. The
        // controller continues to check the members.
        Err(Halt::Say(barred)) if is_latched(&observed.status) && observed.status.has_begun() => {
            Some(barred)
        }
        Err(halt) => return Err(halt),
    };
    let switches = storage::switches(observed, members);
    let staged = storage::staged_by(&switches, members);
    let members = staged.as_ref().unwrap_or(members);
    let mut case = case(observed, relations, (intent, members, discovery))?;
    case.switches = switches;
    case.is_barred = barred.is_some();
    case.verified = observed
        .verified
        .as_ref()
        .filter(|verified| verified.is_of(&observed.plan));
    let mut progress = match observed.status.record {
        Some(_) => stages::walk(&case)?,
        None => begin::begin(&case)?,
    };
    let is_ready = progress.report.phase == Phase::Ready;
    let leftovers = match &barred {
        None if is_ready => Some(leftovers::leftovers(&case, old)?),
        None | Some(_) => None,
    };
    if let Some(barred) = barred {
        progress.report.valid = barred.valid;
        progress.report.permitted = barred.permitted;
        progress.report.missing = barred.missing;
    }
    Ok((progress, leftovers))
}

/// Returns the input for the stages of the plan. All kinds of the plan are served.
fn case<'o>(
    observed: &'o Observation,
    relations: &'o Relations<'o>,
    (intent, members, discovery): (&'o Intent, &'o Members, &'o Discovery),
) -> Result<PlanContext<'o>, Halt> {
    let mut case = PlanContext {
        observed,
        relations,
        intent,
        members,
        discovery,
        dependencies: Dependencies::of(members),
        found: found::written(&observed.status),
        homes: BTreeMap::new(),
        is_applied: is_latched(&observed.status),
        is_barred: false,
        verified: None,
        switches: Vec::new(),
    };
    transform::form(&case)?;
    case.homes = homes::homes(&case)?;
    Ok(case)
}

/// Returns the kinds that the API server serves.
fn discovery(observed: &Observation) -> Result<&Discovery, Halt> {
    let discovery = observed.discovery.as_ref();
    discovery.ok_or_else(|| Halt::ask(Ask::Discovery))
}

/// Returns the status of a member that cannot be applied.
fn blocked_member(case: &PlanContext<'_>, place: usize, blocked: &Blocked) -> MemberStatus {
    MemberStatus {
        owner: blocked.owner.clone(),
        ..observed_member(case, place, blocked.state, &blocked.sentence)
    }
}

/// Finds the name of the webhook that the API server failed to call in the API server's error
/// message. The name is truncated to the maximum length. Returns None if the message contains no
/// webhook name.
fn failing_webhook(message: &str) -> Option<String> {
    let name = messages::failing_webhook(message)?;
    Some(cut(&one_line(name), LONGEST_WEBHOOK))
}

/// Returns the status of a member, with the finalizers of its object.
fn observed_member(
    case: &PlanContext<'_>,
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
