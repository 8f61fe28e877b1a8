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

/// One condition.
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
    /// Only once all was applied.
    pub(super) drifted: Option<UndatedCondition>,
    pub(super) stage: Option<StageStatus>,
    pub(super) counts: Option<Counts>,
    pub(super) members: Vec<MemberStatus>,
    /// The lineages of plans that are gone and that it takes over.
    pub(super) lineages: BTreeSet<String>,
    pub(super) record: Option<Record>,
    /// The Jobs that have begun; None where nobody has looked at them.
    pub(super) jobs: Option<Vec<JobStatus>>,
    /// The transformations that have begun, in the same way.
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

    /// A condition that cannot be judged yet, as the plan has to be `what` first.
    pub(super) fn waits(what: &str) -> Self {
        Self::not_yet(
            Reason::Waiting,
            format!("it waits until the plan is {what}"),
        )
    }
}

impl Report {
    /// A plan that has not begun.
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

    /// The status, with the times of conditions that stay as they were.
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

/// Puts a condition in the place of that of its type.
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
        // What is on its way is known: it is not so yet.
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
