//! The report about a plan whose stages are applied one after the other.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{Counts, MemberState, MemberStatus, Phase, Reason, StageStatus};
use portolan_core_names::text::counted;
use portolan_core_olm::State;

use super::Walked;
use crate::decide::case::{ObjectView, PlanContext};
use crate::decide::collision::Foreign;
use crate::decide::pods::Causes;
use crate::decide::report::{Missing, Report, UndatedCondition, waits_until};
use crate::decide::{Halt, blocked_member, collision, failing_webhook, observed_member, valid};

pub(super) fn stuck(
    case: &PlanContext<'_>,
    walked: &Walked,
    applied: &UndatedCondition,
) -> UndatedCondition {
    let stage = &case.intent.stages[walked.stage];
    let seconds = stage.deadline_seconds;
    let sentence = format!(
        "stage {} takes longer than {seconds} s: {}",
        stage.name, applied.message
    );
    // If a reason is already known, it is more useful than the exceeded deadline.
    match applied.state {
        State::No => applied.clone(),
        State::Yes | State::NotYet => UndatedCondition::no(Reason::StageDeadlineExceeded, sentence),
    }
}

pub(super) fn report(
    case: &PlanContext<'_>,
    walked: &Walked,
    stage: Option<StageStatus>,
    (waits, causes): (&[(usize, usize)], &Causes),
) -> Result<Report, Halt> {
    let is_applied = walked.stage == case.intent.stages.len();
    let mut members = not_fine(case, walked, waits)?;
    let others = walked.transformed.members.iter();
    members.extend(others.chain(&walked.jobs.members).cloned());
    causes.explain(&mut members);
    let applied = applied(case, walked, &members);
    let ready = if is_applied {
        ready(case, &members)
    } else {
        waits_until("applied")
    };
    Ok(Report {
        phase: match (is_applied, ready.state) {
            (false, _) if walked.jobs.wrong == Some(Reason::JobFailed) => Phase::Failed,
            (false, _) => Phase::Applying,
            (true, State::Yes) => Phase::Ready,
            (true, State::NotYet | State::No) => Phase::Applied,
        },
        valid: valid::valid(),
        permitted: valid::held(),
        missing: Missing::default(),
        applied,
        ready,
        drifted: None,
        stage,
        counts: Some(counts(case, walked)),
        members,
        lineages: BTreeSet::new(),
        record: None,
        jobs: Some(walked.jobs.all.clone()),
        transformed: Some(walked.transformed.all.clone()),
    })
}

fn counts(case: &PlanContext<'_>, walked: &Walked) -> Counts {
    let count = |is: fn(&ObjectView) -> bool| {
        let members = walked.views.iter().filter(|view| is(view));
        u32::try_from(members.count()).unwrap_or(u32::MAX)
    };
    Counts {
        members: u32::try_from(case.members.len()).unwrap_or(u32::MAX),
        applied: count(|view| matches!(view, ObjectView::Settled(_))),
        ready: count(ObjectView::is_ready),
    }
}

/// Returns the status of each member that is not ready or not applied, in the order of the plan.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
fn not_fine(
    case: &PlanContext<'_>,
    walked: &Walked,
    waits: &[(usize, usize)],
) -> Result<Vec<MemberStatus>, Halt> {
    let is_applied = walked.stage == case.intent.stages.len();
    let waits_for = |place: usize| {
        let mut waits = waits.iter();
        let on = waits.find(|(member, _)| *member == place)?.1;
        Some(format!("waits for {}", case.members[on].identity))
    };
    let taken = taken(case, walked)?;
    let told = walked.views.iter().enumerate().filter_map(|(place, view)| {
        let say = |state, sentence: &str| Some(observed_member(case, place, state, sentence));
        match view {
            ObjectView::Settled(readiness) => {
                let state = match readiness.state {
                    State::Yes => return switching(case, place),
                    State::NotYet => MemberState::NotReady,
                    State::No => MemberState::Failed,
                };
                let message = readiness.reasons.join("; ");
                Some(MemberStatus {
                    failing_webhook: failing_webhook(&message),
                    ..observed_member(case, place, state, &message)
                })
            }
            ObjectView::Absent if is_applied => say(MemberState::Missing, "is gone"),
            ObjectView::Adoptable | ObjectView::Stale { .. } if is_applied => {
                match taken.get(&place) {
                    None => say(MemberState::Missing, "is gone"),
                    Some(taken) => Some(MemberStatus {
                        owner: taken.owner.clone(),
                        ..observed_member(case, place, MemberState::Missing, &taken.sentence)
                    }),
                }
            }
            ObjectView::Blocked(blocked) => Some(blocked_member(case, place, blocked)),
            ObjectView::Immutable(_) => say(
                MemberState::NotApplied,
                "is deleted and created again, because an immutable field changes",
            ),
            ObjectView::Absent | ObjectView::Stale { .. } | ObjectView::Adoptable => {
                let sentence = waits_for(place).unwrap_or_else(|| "is not applied yet".to_owned());
                say(MemberState::NotApplied, &sentence)
            }
        }
    });
    Ok(told.collect())
}

/// Returns the status of a CRD that still stores objects in its old version. Returns None for other
/// members.
fn switching(case: &PlanContext<'_>, place: usize) -> Option<MemberStatus> {
    let mut switches = case.switches.iter();
    let sentence = switches.find(|switch| switch.place == place)?.sentence()?;
    Some(observed_member(
        case,
        place,
        MemberState::NotReady,
        &sentence,
    ))
}

/// Returns the messages about objects that another owner took over or created again. Empty before
/// all members were applied.
fn taken(case: &PlanContext<'_>, walked: &Walked) -> Result<BTreeMap<usize, Foreign>, Halt> {
    let mut taken = BTreeMap::new();
    for (place, view) in walked.views.iter().enumerate() {
        let is_another = matches!(view, ObjectView::Adoptable | ObjectView::Stale { .. });
        if let (true, Some(object)) = (is_another && walked.is_over(case), case.object(place)) {
            taken.insert(place, collision::taken(object, case.observed)?);
        }
    }
    Ok(taken)
}

pub(super) fn applied(
    case: &PlanContext<'_>,
    walked: &Walked,
    members: &[MemberStatus],
) -> UndatedCondition {
    let stages = case.intent.stages.len();
    let Some(stage) = case.intent.stages.get(walked.stage) else {
        let sentence = of_all(case, ["was applied", "were applied"]);
        return UndatedCondition::yes(Reason::AllApplied, sentence);
    };
    if let Some(said) = &walked.transformed.wrong {
        return said.clone();
    }
    let blocked = walked.views.iter().find_map(|view| match view {
        ObjectView::Blocked(blocked) => Some(blocked),
        ObjectView::Absent
        | ObjectView::Stale { .. }
        | ObjectView::Immutable(_)
        | ObjectView::Adoptable
        | ObjectView::Settled(_) => None,
    });
    let name = &stage.name;
    let mut sentence = format!("stage {} of {stages} ({name})", walked.stage + 1);
    let holding = walked.transformed.members.iter().filter(|_| walked.is_held);
    let worst = members.iter().min_by_key(|member| member.state);
    let worst = holding.min_by_key(|member| member.state).or(worst);
    if let Some(MemberStatus {
        object, message, ..
    }) = worst
    {
        sentence.push_str(&format!(": {object} {message}"));
    }
    match blocked {
        Some(blocked) if blocked.state == MemberState::Refused => {
            UndatedCondition::no(blocked.reason, sentence)
        }
        Some(_) | None => match walked.jobs.wrong {
            Some(reason) => UndatedCondition::no(reason, sentence),
            None => UndatedCondition::not_yet(Reason::Applying, sentence),
        },
    }
}

/// Returns a sentence about all members. The verb is given in singular and plural form.
fn of_all(case: &PlanContext<'_>, [of_one, of_many]: [&str; 2]) -> String {
    let count = case.members.len();
    let objects = counted(count as i64, "object");
    format!("{objects} {}", if count == 1 { of_one } else { of_many })
}

fn ready(case: &PlanContext<'_>, members: &[MemberStatus]) -> UndatedCondition {
    let Some(worst) = members.iter().min_by_key(|member| member.state) else {
        let sentence = of_all(case, ["is ready", "are ready"]);
        return UndatedCondition::yes(Reason::AllReady, sentence);
    };
    let objects = counted(members.len() as i64, "object");
    let MemberStatus {
        object, message, ..
    } = worst;
    let sentence = format!("{objects}: {object} {message}");
    if members
        .iter()
        .any(|member| member.state == MemberState::Failed)
    {
        UndatedCondition::no(Reason::MembersFailed, sentence)
    } else {
        UndatedCondition::not_yet(Reason::MembersNotReady, sentence)
    }
}
