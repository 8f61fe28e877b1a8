//! The status of a plan, and its conditions.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::plan::{
    ConditionType, Counts, JobStatus, MOST_MEMBERS, MOST_NAMESPACES, MemberStatus, MissingRule,
    Phase, Reason, Record, StageStatus, Status, Transformed,
};
use portolan_api::status::{self, Reconcile, Undecided};
use portolan_core_olm::State;

use super::observation::Observation;
use super::{valid, was_applied};

/// A condition without its transition time.
pub(super) type UndatedCondition = status::UndatedCondition<Reason>;
/// The conditions that one reconciliation decides.
pub(super) type Conditions = status::Conditions<ConditionType>;

/// The conditions that one reconciliation decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Scope {
    /// All conditions that the progress of the plan allows.
    Whole,
    /// Only the conditions that do not depend on the members, because the applied members are not
    /// observed. If the plan is invalid, contains the condition to report about the members.
    Unobserved(Option<UndatedCondition>),
    /// Only the conditions that another plan has replaced this plan, so that it rests.
    Superseded,
    /// Only the conditions about the deletion of the plan.
    Deletion,
    /// Only the `Replaced` condition.
    Relation,
}

/// The missing permissions and namespaces that a status lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Missing {
    /// The rules that the ServiceAccount lacks.
    pub(super) rules: Vec<MissingRule>,
    /// The missing namespaces that objects of the plan need.
    pub(super) namespaces: BTreeSet<String>,
    /// The label that the namespace of the plan needs and lacks.
    pub(super) namespace_label: Option<&'static str>,
    /// The ClusterRole that the controller needs and lacks in the namespace of the plan.
    pub(super) controller_role: Option<&'static str>,
}

/// A status whose conditions have no transition times yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    pub(super) phase: Phase,
    pub(super) valid: UndatedCondition,
    pub(super) permitted: UndatedCondition,
    pub(super) missing: Missing,
    pub(super) applied: UndatedCondition,
    pub(super) ready: UndatedCondition,
    /// The `Drifted` condition. None if drift is not reported. After all members were applied,
    /// drift is always reported.
    pub(super) drifted: Option<UndatedCondition>,
    pub(super) stage: Option<StageStatus>,
    pub(super) counts: Option<Counts>,
    pub(super) members: Vec<MemberStatus>,
    /// The lineages of deleted plans whose objects this plan adopts now.
    pub(super) lineages: BTreeSet<String>,
    pub(super) record: Option<Record>,
    /// The Jobs that have begun. None if this decision did not check the Jobs.
    pub(super) jobs: Option<Vec<JobStatus>>,
    /// The transformations that have begun. None if this decision did not check them.
    pub(super) transformed: Option<Vec<Transformed>>,
}

/// Returns the condition for checks that start only after the plan is `what`, for example `valid`.
pub(super) fn waits_until(what: &str) -> UndatedCondition {
    UndatedCondition::not_yet(Reason::Waiting, format!("waiting until the plan is {what}"))
}

impl Missing {
    /// Replaces the lists of missing permissions and namespaces in a status.
    pub(super) fn list(self, status: &mut Status) {
        let namespaces = self.namespaces.into_iter().take(MOST_NAMESPACES);
        status.missing_namespaces = namespaces.collect();
        status.missing_namespace_label = self.namespace_label.map(str::to_owned);
        status.missing_controller_role = self.controller_role.map(str::to_owned);
        status.list_missing_rules(self.rules);
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
            missing: Missing::default(),
            applied: waits_until(what),
            ready: waits_until("applied"),
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

    /// Returns the conditions that this scope decides.
    fn decided(&self, scope: &Scope, before: &Status) -> Conditions {
        let none = Conditions::default();
        match scope {
            Scope::Whole => none
                .with(ConditionType::Valid, self.valid.clone())
                .with(ConditionType::Permitted, self.permitted.clone())
                .with(ConditionType::Applied, self.applied.clone())
                .with(ConditionType::Ready, self.ready.clone())
                .with(ConditionType::Drifted, self.drifted.clone()),
            Scope::Unobserved(_) => none
                .with(ConditionType::Valid, self.valid.clone())
                .with(ConditionType::Permitted, self.permitted.clone()),
            Scope::Superseded => {
                let applied = Some(self.applied.clone());
                let applied = applied.filter(|_| was_applied(before).is_none());
                none.with(ConditionType::Applied, applied)
                    .with(ConditionType::Ready, self.ready.clone())
            }
            Scope::Deletion | Scope::Relation => none,
        }
    }

    /// Returns the status. If the status of a condition is unchanged, the condition keeps its
    /// transition time.
    pub(super) fn render(
        self,
        observed: &Observation,
        scope: &Scope,
        replaced: Option<UndatedCondition>,
    ) -> Status {
        let before = &observed.status;
        let decided = self.decided(scope, before);
        let decided = decided.with(ConditionType::Replaced, replaced);
        let mut members = self.members;
        members.truncate(MOST_MEMBERS);
        let mut orphaned = self.lineages.into_iter();
        let lineage = before.lineage.clone().or_else(|| orphaned.next());
        let merged = before.merged_lineages.iter().cloned();
        let mut status = Status {
            observed_generation: Some(observed.plan.generation),
            phase: Some(self.phase),
            conditions: conditions(observed, scope, decided),
            stage: self.stage,
            counts: self.counts,
            members,
            missing_rules: Vec::new(),
            more_missing_rules: 0,
            missing_namespaces: Vec::new(),
            missing_namespace_label: None,
            missing_controller_role: None,
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
        self.missing.list(&mut status);
        status
    }
}

/// Returns all conditions of the status: the decided conditions, and the values of the other
/// conditions in this scope.
pub(super) fn conditions(
    observed: &Observation,
    scope: &Scope,
    decided: Conditions,
) -> Vec<Condition> {
    let reconcile = Reconcile {
        before: &observed.status.conditions,
        generation: Some(observed.plan.generation),
        now: Time(observed.now),
    };
    decided.render(&reconcile, |type_| undecided(type_, scope))
}

/// Returns what happens to a condition that this scope does not decide: it is kept, set or removed.
fn undecided(type_: ConditionType, scope: &Scope) -> Undecided<Reason> {
    match type_ {
        ConditionType::Valid | ConditionType::Permitted => match scope {
            Scope::Superseded => Undecided::KeptOr(valid::unchecked_while_resting()),
            Scope::Whole | Scope::Unobserved(_) | Scope::Deletion | Scope::Relation => {
                Undecided::Kept
            }
        },
        ConditionType::Ready => match scope {
            Scope::Unobserved(Some(why)) => Undecided::Set(why.clone()),
            Scope::Unobserved(None)
            | Scope::Whole
            | Scope::Superseded
            | Scope::Deletion
            | Scope::Relation => Undecided::Kept,
        },
        ConditionType::Drifted => match scope {
            Scope::Unobserved(Some(why)) => Undecided::Set(why.clone()),
            Scope::Unobserved(None) | Scope::Relation => Undecided::Kept,
            // The status reports drift only for applied members that the plan keeps.
            Scope::Whole | Scope::Superseded | Scope::Deletion => Undecided::Removed,
        },
        ConditionType::Applied | ConditionType::Replaced => Undecided::Kept,
    }
}
