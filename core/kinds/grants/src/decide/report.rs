//! The result of a decision about an Install, from which the status is rendered.

use jiff::Timestamp;
use portolan_api::installs::{
    AccountRef, Approved, ConditionType, Pending, PlanRef, Reason, Resolved, Status,
};
use portolan_api::status::{self, Conditions, Reconcile, Undecided};

use super::{Decision, Halt, Observation, Step};

/// A condition without its transition time.
pub(super) type UndatedCondition = status::UndatedCondition<Reason>;

/// The result of a decision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    pub(super) ready: UndatedCondition,
    /// The condition that the Install waits for approval. None if it does not wait.
    pub(super) pending: Option<UndatedCondition>,
    /// True if the permissions were checked, and no approval is needed.
    pub(super) is_checked: bool,
    /// The condition that the content cannot be read. None if it has no fault.
    pub(super) fault: Option<UndatedCondition>,
    pub(super) account: Option<AccountRef>,
    pub(super) resolved: Vec<Resolved>,
    pub(super) permissions: Option<Pending>,
    pub(super) approved: Option<Approved>,
    pub(super) plan: Option<PlanRef>,
    pub(super) steps: Vec<Step>,
    pub(super) until: Option<Timestamp>,
}

/// Returns the `Ready` condition. It is `True` only for the reason [`Reason::Installed`].
pub(super) fn readiness(reason: Reason, message: impl Into<String>) -> UndatedCondition {
    if reason == Reason::Installed {
        UndatedCondition::yes(reason, message)
    } else {
        UndatedCondition::no(reason, message)
    }
}

impl Report {
    pub(super) fn of(ready: UndatedCondition) -> Self {
        Self {
            ready,
            pending: None,
            is_checked: false,
            fault: None,
            account: None,
            resolved: Vec::new(),
            permissions: None,
            approved: None,
            plan: None,
            steps: Vec::new(),
            until: None,
        }
    }

    /// Records that no approval is needed.
    pub(super) fn checked(mut self) -> Self {
        self.is_checked = true;
        self
    }

    /// Returns the report about a fault of the content.
    pub(super) fn wrong(reason: Reason, sentence: &str) -> Self {
        let mut report = Self::of(readiness(Reason::ContentInvalid, sentence));
        report.fault = Some(UndatedCondition::yes(reason, sentence));
        report
    }

    /// Adds the reason why the approval is not valid to the messages.
    pub(super) fn pending_because(&mut self, why: &str) {
        let said = [Some(&mut self.ready), self.pending.as_mut()];
        for said in said.into_iter().flatten() {
            said.message = format!(
                "{}; the approval of the Install is not valid: {why}",
                said.message
            );
        }
    }

    /// Ends the decision with this report. The status keeps the account and the plan of earlier
    /// content.
    pub(super) fn halt(mut self, observed: &Observation) -> Halt {
        self.account = observed.status().service_account_ref;
        self.kept(observed)
    }

    /// Ends the decision with this report. If the Install has a plan, the status keeps the
    /// reference to the plan.
    pub(super) fn kept(mut self, observed: &Observation) -> Halt {
        if !observed.plans.is_empty() {
            self.plan = observed.status().plan;
        }
        Halt::Say(Box::new(self))
    }

    /// Returns the value of a condition that this report does not set.
    fn undecided(&self, type_: ConditionType) -> Undecided<Reason> {
        let set = Undecided::Set;
        match type_ {
            // Each report sets this condition.
            ConditionType::Ready => Undecided::Kept,
            ConditionType::PendingApproval if self.fault.is_some() => {
                let why = "the content cannot be read";
                set(UndatedCondition::not_yet(Reason::NotObserved, why))
            }
            ConditionType::PendingApproval if self.is_checked => {
                let why = "no approval is needed";
                set(UndatedCondition::no(Reason::ApprovalGiven, why))
            }
            ConditionType::PendingApproval => {
                let why = "the permissions of the content have not been checked yet";
                set(UndatedCondition::not_yet(Reason::NotChecked, why))
            }
            ConditionType::ContentImportError => {
                let why = "all content was read";
                set(UndatedCondition::no(Reason::ContentImported, why))
            }
        }
    }

    pub(super) fn decision(self, observed: &Observation) -> Decision {
        let before = observed.status().conditions;
        let generation = observed.install.metadata.generation;
        let reconcile = Reconcile {
            before: &before,
            generation,
            now: observed.time(),
        };
        let decided = Conditions::default()
            .with(ConditionType::Ready, self.ready.clone())
            .with(ConditionType::PendingApproval, self.pending.clone())
            .with(ConditionType::ContentImportError, self.fault.clone());
        let conditions = decided.render(&reconcile, |type_| self.undecided(type_));
        Decision {
            status: Status {
                observed_generation: generation,
                conditions,
                service_account_ref: self.account,
                resolved: self.resolved,
                pending: self.permissions,
                approved: self.approved,
                plan: self.plan,
            },
            steps: self.steps,
            until: self.until,
            asks: Default::default(),
        }
    }
}
