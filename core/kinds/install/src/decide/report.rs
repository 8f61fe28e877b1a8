//! The status of a plan, and its conditions.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::Statement;
use portolan_api::plan::{
    ConditionType, Counts, JobStatus, MOST_MEMBERS, MemberStatus, MissingRule, Phase, Reason,
    Record, StageStatus, Status, Transformed,
};
use portolan_core_olm::State;

/// A condition without its transition time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UndatedCondition {
    pub(super) state: State,
    pub(super) reason: Reason,
    pub(super) message: String,
}

/// A status without its times.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    pub(super) phase: Phase,
    pub(super) valid: UndatedCondition,
    pub(super) permitted: UndatedCondition,
    /// The rules that the ServiceAccount lacks.
    pub(super) missing: Vec<MissingRule>,
    pub(super) applied: UndatedCondition,
    pub(super) ready: UndatedCondition,
    /// None if drift is not reported. Drift is always reported once all members were applied.
    pub(super) drifted: Option<UndatedCondition>,
    pub(super) stage: Option<StageStatus>,
    pub(super) counts: Option<Counts>,
    pub(super) members: Vec<MemberStatus>,
    /// The lineages of deleted plans whose objects it takes over.
    pub(super) lineages: BTreeSet<String>,
    pub(super) record: Option<Record>,
    /// The Jobs that have begun; None if they were not checked.
    pub(super) jobs: Option<Vec<JobStatus>>,
    /// The transformations that have begun; None if they were not checked.
    pub(super) transformed: Option<Vec<Transformed>>,
}

impl UndatedCondition {
    pub(super) fn yes(reason: Reason, message: impl Into<String>) -> Self {
        Self::of(State::Yes, reason, message)
    }

    pub(super) fn not_yet(reason: Reason, message: impl Into<String>) -> Self {
        Self::of(State::NotYet, reason, message)
    }

    pub(super) fn no(reason: Reason, message: impl Into<String>) -> Self {
        Self::of(State::No, reason, message)
    }

    pub(super) fn of(state: State, reason: Reason, message: impl Into<String>) -> Self {
        Self {
            state,
            reason,
            message: message.into(),
        }
    }

    /// Returns a condition that cannot be judged yet, because the plan must be `what` first.
    pub(super) fn waits(what: &str) -> Self {
        Self::not_yet(
            Reason::Waiting,
            format!("it waits until the plan is {what}"),
        )
    }
}

impl Report {
    /// Returns the report of a plan that has not begun.
    pub(super) fn before(
        phase: Phase,
        valid: UndatedCondition,
        permitted: UndatedCondition,
    ) -> Self {
        let what = match valid.state {
            State::No | State::NotYet => "valid",
            State::Yes => "permitted",
        };
        Self {
            phase,
            valid,
            permitted,
            missing: Vec::new(),
            applied: UndatedCondition::waits(what),
            ready: UndatedCondition::waits("applied"),
            drifted: None,
            stage: None,
            counts: None,
            members: Vec::new(),
            lineages: BTreeSet::new(),
            record: None,
            jobs: None,
            transformed: None,
        }
    }

    /// Returns the status. Conditions whose status is unchanged keep their transition times.
    pub(super) fn render(self, before: &Status, generation: i64, now: Timestamp) -> Status {
        let said = [
            (ConditionType::Valid, Some(self.valid)),
            (ConditionType::Permitted, Some(self.permitted)),
            (ConditionType::Applied, Some(self.applied)),
            (ConditionType::Ready, Some(self.ready)),
            (ConditionType::Drifted, self.drifted),
        ];
        let conditions = said.into_iter().filter_map(|(type_, said)| {
            said.map(|said| condition(type_, said, before, generation, now))
        });
        let mut members = self.members;
        members.truncate(MOST_MEMBERS);
        let mut orphaned = self.lineages.into_iter();
        let lineage = before.lineage.clone().or_else(|| orphaned.next());
        let merged = before.merged_lineages.iter().cloned();
        let mut status = Status {
            observed_generation: Some(generation),
            phase: Some(self.phase),
            conditions: conditions.collect(),
            stage: self.stage,
            counts: self.counts,
            members,
            missing_rules: Vec::new(),
            more_missing_rules: 0,
            lineage,
            merged_lineages: merged.chain(orphaned).collect(),
            predecessors: before.predecessors.clone(),
            taken_over: before.taken_over.clone(),
            record: self.record,
            jobs: self.jobs.unwrap_or_else(|| before.jobs.clone()),
            transformed: self
                .transformed
                .unwrap_or_else(|| before.transformed.clone()),
            repairs: before.repairs.clone(),
            retried: before.retried.clone(),
            deletion_blocked_since: None,
        };
        status.list_missing_rules(self.missing);
        status
    }
}

/// Replaces the condition of the same type, or adds the condition.
pub(super) fn set(status: &mut Status, new: Option<Condition>) {
    let Some(new) = new else { return };
    let mut conditions = status.conditions.iter_mut();
    match conditions.find(|old| old.type_ == new.type_) {
        Some(old) => *old = new,
        None => status.conditions.push(new),
    }
}

pub(super) fn condition(
    type_: ConditionType,
    said: UndatedCondition,
    before: &Status,
    generation: i64,
    now: Timestamp,
) -> Condition {
    let status = match (said.state, type_) {
        (State::Yes, _) => "True",
        (
            State::NotYet,
            ConditionType::Valid | ConditionType::Permitted | ConditionType::Drifted,
        ) => "Unknown",
        // Work in progress is known to be incomplete.
        (
            State::NotYet,
            ConditionType::Applied | ConditionType::Ready | ConditionType::Replaced,
        )
        | (State::No, _) => "False",
    };
    let statement = Statement {
        type_: type_.as_str(),
        status,
        reason: said.reason.as_str(),
        message: &said.message,
    };
    statement.since(&before.conditions, Some(generation), Time(now))
}
