//! The report about a plan: its phase, and the fields of its status that describe problems.

use std::fmt;

use portolan_api::plan::{
    ConditionType, Counts, InstallPlan, Intent, JobState, JobStatus, MOST_MEMBERS, MemberState,
    MemberStatus, Phase, Reason, Source, Stage, Status,
};
use portolan_core_install::{GroupKind, ObjectRef, Peer, Succession};
use serde::Serialize;

/// A plan, with its progress and its problems.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlanReport {
    namespace: String,
    name: String,
    /// The phase of the plan. None if no controller has observed the plan yet.
    pub(super) phase: Option<Phase>,
    /// True if the status describes the current generation of the plan.
    pub(super) is_current: bool,
    pub(super) is_being_deleted: bool,
    pub(super) conditions: Vec<ConditionReport>,
    pub(super) counts: Option<Counts>,
    pub(super) stages: Vec<StageReport>,
    /// The objects of replaced plans that still exist and must be deleted.
    pub(super) leftovers: Vec<MemberStatus>,
    /// The plans that this plan replaces and that still exist. The newest plan comes first.
    pub(super) replaces: Vec<PeerReport>,
    /// The names of plans that this plan replaces, but that do not exist.
    pub(super) replaces_missing: Vec<String>,
    pub(super) replaced_by: Option<PeerReport>,
}

/// A condition that reports a problem.
#[derive(Debug, Serialize)]
pub(super) struct ConditionReport {
    #[serde(rename = "type")]
    pub(super) type_: String,
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) message: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StageReport {
    pub(super) name: String,
    pub(super) resources: usize,
    pub(super) state: StageState,
    /// The objects that are not ready. Empty if the status does not list them.
    pub(super) members: Vec<MemberStatus>,
    /// The Jobs of the stage, in the order in which they run.
    pub(super) jobs: Vec<JobReport>,
    /// The objects of the stage. Shown only with `-o wide`.
    #[serde(skip)]
    pub(super) objects: Vec<ObjectReport>,
}

/// An object in a stage of the plan.
#[derive(Debug)]
pub(super) struct ObjectReport {
    pub(super) name: String,
    pub(super) state: ObjectState,
}

/// The state of an object in a stage.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ObjectState {
    Ready,
    /// The stage of the object has not started.
    Waiting,
    /// The plan does not check the object, or the status has too little space to list it.
    Unknown,
    /// The object is not ready, so the status lists it.
    Told(Box<MemberStatus>),
}

/// A Job in a stage of the plan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobReport {
    pub(super) name: String,
    /// The state of the Job. None if the Job has not started.
    pub(super) state: Option<JobState>,
    /// The name of the Job object that the last run created. The object is in the namespace of the
    /// plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) job: Option<String>,
    /// The number of the last run, which starts at 1. Zero if the Job has not started.
    pub(super) run: u32,
    /// The number of consecutive runs that have failed.
    pub(super) failures: u32,
    /// The maximum number of retries.
    pub(super) retries: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended: Option<String>,
    /// The reason of the failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) message: String,
}

/// The progress of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) enum StageState {
    Done,
    Working,
    Waiting,
}

#[derive(Debug, Serialize)]
pub(super) struct PeerReport {
    pub(super) name: String,
    pub(super) phase: Option<Phase>,
}

// === impl PlanReport ===

impl PlanReport {
    /// Returns the first condition that does not just wait for another condition.
    pub(super) fn cause(&self) -> Option<&ConditionReport> {
        let waits = [Reason::NotObserved, Reason::Waiting].map(Reason::as_str);
        let mut causes = self.conditions.iter();
        causes
            .find(|condition| !waits.contains(&condition.reason.as_str()))
            .or(self.conditions.first())
    }

    pub(super) fn of(plan: &InstallPlan, succession: &Succession) -> Self {
        let metadata = &plan.metadata;
        let none = Status::default();
        let status = plan.status.as_ref().unwrap_or(&none);
        let is_being_deleted = metadata.deletion_timestamp.is_some();
        let is_left = |member: &&MemberStatus| !is_being_deleted && is_leftover(member.state);
        let (leftovers, own): (Vec<_>, Vec<_>) = status.members.iter().partition(is_left);
        let intent = Intent::parse(plan);
        let intent = intent.as_ref().ok();
        Self {
            namespace: metadata.namespace.clone().unwrap_or_default(),
            name: metadata.name.clone().unwrap_or_default(),
            phase: status.phase,
            is_current: metadata.generation == status.observed_generation,
            is_being_deleted,
            conditions: troubles(status),
            counts: status.counts,
            stages: intent.map_or_else(Vec::new, |intent| stages(intent, status, &own)),
            leftovers: leftovers.into_iter().cloned().collect(),
            replaces: succession.predecessors.iter().map(PeerReport::of).collect(),
            replaces_missing: succession.missing.iter().cloned().collect(),
            replaced_by: succession.successor.as_ref().map(PeerReport::of),
        }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    pub(super) fn bare_name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the plan as KIND/NAME, in the format of `kubectl get -o name`.
    pub(super) fn name(&self) -> String {
        format!("installplan.plans.portolan.dev/{}", self.name)
    }

    /// Returns true if the plan is ready or superseded, its status is current, and it is not being
    /// deleted.
    pub(super) fn is_fine(&self) -> bool {
        let is_fine = match self.phase {
            Some(Phase::Ready | Phase::Superseded) => true,
            Some(
                Phase::Invalid
                | Phase::Failed
                | Phase::Pending
                | Phase::Suspended
                | Phase::Applying
                | Phase::Applied
                | Phase::Terminating
                | Phase::Unknown,
            )
            | None => false,
        };
        is_fine && self.is_current && !self.is_being_deleted
    }

    /// Returns true if a condition has this reason.
    pub(super) fn has_reason(&self, reason: Reason) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|condition| condition.reason == reason.as_str())
    }

    /// Returns true if all failed Jobs will run again without an action of the user.
    pub(super) fn runs_again(&self) -> bool {
        let jobs = self.stages.iter().flat_map(|stage| &stage.jobs);
        let mut failed = jobs
            .filter(|job| job.state == Some(JobState::Failed))
            .peekable();
        failed.peek().is_some() && failed.all(|job| job.failures <= job.retries)
    }

    /// Returns the stage that is in progress.
    pub(super) fn stage(&self) -> Option<&StageReport> {
        let mut stages = self.stages.iter();
        stages.find(|stage| stage.state == StageState::Working)
    }
}

// === impl ConditionReport ===

impl fmt::Display for ConditionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            type_,
            status,
            reason,
            message,
        } = self;
        write!(f, "{type_}={status} ({reason}): {message}")
    }
}

// === impl PeerReport ===

impl PeerReport {
    fn of(peer: &Peer) -> Self {
        Self {
            name: peer.name.clone(),
            phase: peer.status.phase,
        }
    }
}

/// Returns the conditions that report problems. Omits conditions that just wait for another
/// condition.
fn troubles(status: &Status) -> Vec<ConditionReport> {
    let mut troubles: Vec<ConditionReport> = Vec::new();
    let waits = [Reason::Waiting, Reason::NotObserved].map(Reason::as_str);
    let resting = Reason::Superseded.as_str();
    // A replaced plan is never ready, so a condition with this reason is not a problem.
    let open = status.open_conditions().filter(|it| it.reason != resting);
    for condition in open {
        let told = ConditionReport {
            type_: condition.type_.clone(),
            status: condition.status.clone(),
            reason: condition.reason.clone(),
            message: condition.message.clone(),
        };
        let only_waits = waits.contains(&told.reason.as_str()) && !troubles.is_empty();
        if !only_waits {
            troubles.push(told);
        }
    }
    troubles
}

/// Returns true if the object belongs to a replaced plan.
fn is_leftover(state: MemberState) -> bool {
    match state {
        MemberState::Held | MemberState::Terminating | MemberState::Remaining => true,
        MemberState::Refused
        | MemberState::Failed
        | MemberState::NotApplied
        | MemberState::Missing
        | MemberState::NotReady
        | MemberState::Drifted
        | MemberState::Contested
        | MemberState::Unknown => false,
    }
}

fn stages(intent: &Intent, status: &Status, members: &[&MemberStatus]) -> Vec<StageReport> {
    let is_applied = status.is_true(ConditionType::Applied);
    let at = status.stage.as_ref().map(|stage| stage.index as usize);
    let state = |index: usize| match at {
        _ if is_applied => StageState::Done,
        Some(at) if index < at => StageState::Done,
        Some(at) if index == at => StageState::Working,
        Some(_) | None => StageState::Waiting,
    };
    let stages = intent.stages.iter().enumerate();
    let stages = stages.map(|(index, stage)| StageReport {
        name: stage.name.clone(),
        resources: stage.resources.len(),
        state: state(index),
        members: members
            .iter()
            .filter(|member| member.stage == stage.name)
            .map(|member| (*member).clone())
            .collect(),
        jobs: jobs(stage, &status.jobs),
        objects: objects(stage, status, state(index)),
    });
    stages.collect()
}

fn objects(stage: &Stage, status: &Status, at: StageState) -> Vec<ObjectReport> {
    let is_checked = match status.phase {
        Some(Phase::Applying | Phase::Failed | Phase::Applied | Phase::Ready) => true,
        Some(
            Phase::Invalid
            | Phase::Pending
            | Phase::Suspended
            | Phase::Superseded
            | Phase::Terminating
            | Phase::Unknown,
        )
        | None => false,
    };
    let is_whole = status.members.len() < MOST_MEMBERS;
    let usual = || match at {
        StageState::Waiting => ObjectState::Waiting,
        StageState::Done | StageState::Working if is_checked && is_whole => ObjectState::Ready,
        StageState::Done | StageState::Working => ObjectState::Unknown,
    };
    let objects = stage.resources.iter().enumerate().map(|(index, resource)| {
        let name = object_name(&resource.source);
        let mut told = status.members.iter();
        let told = told.find(|told| {
            let is_here = told.stage == stage.name && told.index as usize == index;
            is_here && (told.object == name || !matches!(resource.source, Source::Inline(_)))
        });
        let state = told
            .cloned()
            .map(Box::new)
            .map_or_else(usual, ObjectState::Told);
        ObjectReport { name, state }
    });
    objects.collect()
}

/// Returns the name of an object, or its position if the plan does not contain it.
fn object_name(source: &Source) -> String {
    let manifest = match source {
        Source::Inline(manifest) => manifest,
        Source::ResourceManifest(name) => return format!("object in ResourceManifest {name}"),
        Source::Secret(name) => return format!("object in Secret {name}"),
    };
    let text = |pointer: &str| {
        manifest
            .pointer(pointer)
            .and_then(serde_json::Value::as_str)
    };
    let identity = ObjectRef {
        kind: GroupKind::of(manifest),
        namespace: text("/metadata/namespace").map(str::to_owned),
        name: text("/metadata/name").unwrap_or_default().to_owned(),
    };
    identity.to_string()
}

fn jobs(stage: &Stage, begun: &[JobStatus]) -> Vec<JobReport> {
    let jobs = stage.jobs.iter().map(|job| {
        let mut begun = begun.iter();
        let known = begun.find(|known| known.stage == stage.name && known.name == job.name);
        JobReport {
            name: job.name.clone(),
            state: known.map(|known| known.state),
            job: known.map(|known| known.job.clone()),
            run: known.map_or(0, |known| known.run),
            failures: known.map_or(0, |known| known.failures),
            retries: job.retries,
            ended: known.and_then(|known| Some(known.ended.as_ref()?.0.to_string())),
            message: known.map_or_else(String::new, |known| known.message.clone()),
        }
    });
    jobs.collect()
}
