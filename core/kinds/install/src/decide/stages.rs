//! Applies a plan stage by stage, and checks a plan whose stages are all applied.

mod report;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::{ConditionType, Moment, Order, Phase, Reason, StageStatus, WaitFor};
use portolan_core_olm::State;

use super::case::{ObjectView, PlanContext};
use super::decision::Step;
use super::jobs::Jobs;
use super::needed::unmet;
use super::origins::Origins;
use super::pods::Causes;
use super::report::{Report, UndatedCondition};
use super::storage::Switch;
use super::tally::Drifting;
use super::transform::Transformations;
use super::verified::VerifiedMembers;
use super::{Halt, drift};
use report::{report, stuck};

/// The steps to carry out now, and the report about the plan.
pub(super) struct Progress {
    pub(super) report: Report,
    pub(super) steps: Vec<Step>,
    pub(super) order: Order,
    pub(super) until: Option<Timestamp>,
    /// The number of members that differ from their manifests. None if drift is not reported.
    pub(super) drifting: Option<Drifting>,
    /// The members of the applied stages that match their manifests.
    pub(super) verified: Option<VerifiedMembers>,
    /// True if the steps revert changes by other clients.
    pub(super) is_repair: bool,
}

impl Progress {
    pub(super) fn reporting(report: Report) -> Self {
        Self {
            report,
            steps: Vec::new(),
            order: Order::InOrder,
            until: None,
            drifting: None,
            verified: None,
            is_repair: false,
        }
    }
}

/// The progress of a plan through its stages.
struct Walked {
    /// The index of the current stage. If all stages are complete, the number of stages.
    stage: usize,
    /// The states of the members in all stages up to `stage`.
    views: Vec<ObjectView>,
    jobs: Jobs,
    transformed: Transformations,
    /// True if a transformation must still delete objects before the members of the stage can be
    /// applied.
    is_held: bool,
}

/// Continues a plan that has begun.
pub(super) fn walk(case: &PlanContext<'_>) -> Result<Progress, Halt> {
    let resting = suspended(case);
    let is_resting = resting.is_some();
    let mut walked = walked(case, is_resting)?;
    let mut origins = Origins::of(case, &walked.views, is_resting)?;
    let mut steps = match &resting {
        Some(_) => Steps::default(),
        None if walked.is_held || origins.is_learning => Steps::default(),
        None => steps(case, &walked)?,
    };
    if steps.all.is_empty() {
        steps.all = std::mem::take(&mut walked.transformed.steps);
        steps.all.append(&mut walked.jobs.steps);
    }
    let stage = stage(case, &walked, is_resting);
    let deadline = stage.as_ref().and_then(|stage| deadline(case, stage));
    let causes = Causes::find(case, &walked.views, &walked.jobs.all, stage.as_ref())?;
    let mut report = report(case, &walked, stage, (&steps.waits, &causes))?;
    let until = deadline.filter(|deadline| *deadline > case.observed.now);
    let until = until.into_iter().chain(walked.jobs.until);
    let until = until.chain(case.switches.iter().filter_map(Switch::until));
    let mut until = until.chain(causes.until).min();
    let (mut drifting, mut verified, mut is_repair) = (None, None, false);
    let applied = walked.applied(case);
    if applied > 0 {
        let drifts = drift::drifts(case, &walked.views[..applied], is_resting)?;
        if walked.is_over(case) || reports_drift(case, &drifts.said) {
            report.drifted = Some(drifts.said);
            drifting = Some(drifts.drifting);
        }
        verified = Some(drifts.verified);
        report.members.extend(drifts.members);
        is_repair = !drifts.steps.is_empty() && (steps.all.is_empty() || !is_refused(case));
        if is_repair || walked.is_over(case) {
            steps.all = drifts.steps;
            steps.order = Some(Order::Any);
        }
        until = until.into_iter().chain(drifts.until).min();
    }
    if deadline.is_some_and(|deadline| deadline <= case.observed.now) {
        report.applied = stuck(case, &walked, &report.applied);
    }
    if let Some((phase, said)) = resting {
        report.phase = phase;
        if report.applied.state != State::Yes {
            report.applied = said;
        }
    }
    origins.prepare(&mut steps.all);
    report.record = Some(case.record(&origins.found, &origins.made));
    Ok(Progress {
        report,
        steps: steps.all,
        order: steps.order.unwrap_or(Order::InOrder),
        until,
        drifting,
        verified,
        is_repair,
    })
}

impl Walked {
    /// Returns true if all stages are complete.
    fn is_over(&self, case: &PlanContext<'_>) -> bool {
        self.stage == case.intent.stages.len()
    }

    /// Returns the number of members whose drift is checked: the members of the completed stages.
    /// The members of the current stage are included when all of them are applied, even if some are
    /// not ready yet.
    fn applied(&self, case: &PlanContext<'_>) -> usize {
        if self.is_over(case) {
            return self.views.len();
        }
        let current = case.members.stage(self.stage);
        let mut views = self.views[current.clone()].iter();
        if views.all(|view| matches!(view, ObjectView::Settled(_))) {
            current.end
        } else {
            current.start
        }
    }
}

/// Returns true if the status reports drift although not all stages are complete. It does so if
/// there is drift now, or if it reported drift before.
fn reports_drift(case: &PlanContext<'_>, said: &UndatedCondition) -> bool {
    let before = case.observed.status.condition(ConditionType::Drifted);
    said.state == State::Yes || before.is_some()
}

/// Returns true if the API server rejected the last repair. In this case, the plan continues with
/// its stage despite the drift.
fn is_refused(case: &PlanContext<'_>) -> bool {
    let before = case.observed.status.condition(ConditionType::Drifted);
    before.is_some_and(|said| said.reason == Reason::WriteRejected.as_str())
}

/// Walks through the stages, starting with the stage in the status. Returns the first stage that is
/// not complete.
fn walked(case: &PlanContext<'_>, is_resting: bool) -> Result<Walked, Halt> {
    let status = &case.observed.status;
    let stages = case.intent.stages.len();
    let begun = status
        .stage
        .as_ref()
        .map_or(0, |stage| stage.index as usize);
    let mut stage = if case.is_applied {
        stages
    } else {
        begun.min(stages - 1)
    };
    let mut views = Vec::with_capacity(case.members.len());
    let mut jobs = Jobs::new(status.jobs.clone());
    let mut transformed = Transformations::new(status.transformed.clone());
    loop {
        let seen = stage.min(stages - 1);
        let places = views.len()..case.members.stage(seen).end;
        let unseen = case.unseen(places.clone());
        if !unseen.is_empty() {
            return Err(Halt::Ask(unseen));
        }
        for place in places {
            views.push(case.view(place)?);
        }
        let walked = |is_held, views, jobs, transformed| Walked {
            stage,
            views,
            jobs,
            transformed,
            is_held,
        };
        if stage == stages {
            return Ok(walked(false, views, jobs, transformed));
        }
        if !transformed.run(case, (stage, Moment::Before), is_resting)? {
            return Ok(walked(true, views, jobs, transformed));
        }
        if !is_done(case, stage, &views)
            || !transformed.run(case, (stage, Moment::After), is_resting)?
            || !jobs.run(case, stage, is_resting)?
        {
            return Ok(walked(false, views, jobs, transformed));
        }
        stage += 1;
    }
}

fn is_done(case: &PlanContext<'_>, stage: usize, views: &[ObjectView]) -> bool {
    if case.switches.iter().any(|switch| switch.stage == stage) {
        return false;
    }
    let wait_for = case.intent.stages[stage].wait_for;
    let mut members = case.members.stage(stage);
    members.all(|place| match (&views[place], wait_for) {
        (ObjectView::Settled(_), WaitFor::Applied) => true,
        (ObjectView::Settled(readiness), WaitFor::Ready) => readiness.state == State::Yes,
        (
            ObjectView::Absent
            | ObjectView::Stale { .. }
            | ObjectView::Immutable(_)
            | ObjectView::Adoptable
            | ObjectView::Blocked(_),
            _,
        ) => false,
    })
}

/// The steps to carry out, and the members that must wait.
#[derive(Default)]
struct Steps {
    all: Vec<Step>,
    order: Option<Order>,
    /// The members that must wait, each with the member that it waits for.
    waits: Vec<(usize, usize)>,
}

fn steps(case: &PlanContext<'_>, walked: &Walked) -> Result<Steps, Halt> {
    let mut steps = Steps::default();
    if walked.stage == case.intent.stages.len() {
        return Ok(steps);
    }
    // The steps usually belong to the current stage. If a member of an earlier stage was deleted in
    // the meantime, the earlier stage comes first.
    let is_unsettled = |place: usize| !matches!(walked.views[place], ObjectView::Settled(_));
    // An earlier member for which another program does not answer is no reason to go back. It was
    // applied before.
    let is_awaited = |stage: usize| {
        let mut members = case.members.stage(stage);
        members.any(|place| {
            let view = &walked.views[place];
            is_unsettled(place) && (stage == walked.stage || !view.is_unanswered())
        })
    };
    let unsettled = (0..=walked.stage).find(|stage| is_awaited(*stage));
    let Some(at) = unsettled else {
        return Ok(steps);
    };
    let stage = &case.intent.stages[at];
    steps.order = Some(stage.order);
    for place in case.members.stage(at) {
        let view = &walked.views[place];
        if matches!(view, ObjectView::Settled(_)) {
            continue;
        }
        let unmet = unmet(case, &walked.views, place)?;
        steps.waits.extend(unmet.map(|on| (place, on)));
        let step = case.step(place, view).filter(|_| unmet.is_none());
        let is_held = step.is_none();
        steps.all.extend(step);
        match stage.order {
            // With `InOrder`, later members may depend on this member, so they must wait too.
            Order::InOrder if is_held => break,
            Order::InOrder | Order::Any => {}
        }
    }
    Ok(steps)
}

/// Returns the status of the current stage. After a suspension, the stage gets its full deadline
/// again, because the length of a suspension is unknown in advance.
fn stage(case: &PlanContext<'_>, walked: &Walked, is_resting: bool) -> Option<StageStatus> {
    case.intent.stages.get(walked.stage)?;
    let new = stage_status(case, walked.stage);
    if is_resting {
        return Some(StageStatus { since: None, ..new });
    }
    let old = case.observed.status.stage.as_ref();
    let old = old.filter(|old| old.index == new.index && old.since.is_some());
    Some(old.cloned().unwrap_or(new))
}

fn deadline(case: &PlanContext<'_>, stage: &StageStatus) -> Option<Timestamp> {
    let seconds = case.intent.stages[stage.index as usize].deadline_seconds;
    let deadline = SignedDuration::from_secs(seconds.into());
    stage.since.as_ref()?.0.checked_add(deadline).ok()
}

/// Returns the phase and the condition of a suspended plan. Returns None if the plan is not
/// suspended and may write.
pub(super) fn suspended(case: &PlanContext<'_>) -> Option<(Phase, UndatedCondition)> {
    let sentence = "the plan is suspended; set spec.suspend to false";
    let applied = UndatedCondition::not_yet(Reason::Suspended, sentence);
    let is_suspended = case.intent.is_suspended;
    is_suspended.then_some((Phase::Suspended, applied))
}

pub(super) fn stage_status(case: &PlanContext<'_>, stage: usize) -> StageStatus {
    StageStatus {
        name: case.intent.stages[stage].name.clone(),
        index: u32::try_from(stage).unwrap_or(u32::MAX),
        since: Some(Time(case.observed.now)),
    }
}
