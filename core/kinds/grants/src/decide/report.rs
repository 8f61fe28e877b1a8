//! The report on an Install.

use jiff::Timestamp;
use portolan_api::Statement;
use portolan_api::installs::{
    AccountRef, Approved, ConditionType, Pending, PlanRef, Reason, Resolved, Status,
};

use super::{Decision, Halt, Observation, Step};

/// A reason and a message for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadyCondition {
    reason: Reason,
    message: String,
}

/// The result of a decision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    /// The Ready condition. It is True only for [`Reason::Installed`].
    pub(super) ready: ReadyCondition,
    /// The reason why it waits for approval; None if it does not.
    pub(super) pending: Option<ReadyCondition>,
    /// True if it is known whether it waits for approval.
    pub(super) is_checked: bool,
    /// The fault of the content.
    pub(super) fault: Option<ReadyCondition>,
    pub(super) account: Option<AccountRef>,
    pub(super) resolved: Vec<Resolved>,
    pub(super) permissions: Option<Pending>,
    pub(super) approved: Option<Approved>,
    pub(super) plan: Option<PlanRef>,
    pub(super) steps: Vec<Step>,
    pub(super) until: Option<Timestamp>,
}

impl ReadyCondition {
    pub(super) fn new(reason: Reason, message: impl AsRef<str>) -> Self {
        Self {
            reason,
            message: message.as_ref().to_owned(),
        }
    }
}

impl Report {
    pub(super) fn of(ready: ReadyCondition) -> Self {
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

    /// Marks all permissions as granted.
    pub(super) fn checked(mut self) -> Self {
        self.is_checked = true;
        self
    }

    /// Reports a fault of the content.
    pub(super) fn wrong(reason: Reason, sentence: &str) -> Self {
        let mut report = Self::of(ReadyCondition::new(Reason::ContentInvalid, sentence));
        report.fault = Some(ReadyCondition::new(reason, sentence));
        report
    }

    /// Adds the reason why an approval does not count.
    pub(super) fn pending_because(&mut self, why: &str) {
        let said = [Some(&mut self.ready), self.pending.as_mut()];
        for said in said.into_iter().flatten() {
            said.message = format!("{}; its approval does not count: {why}", said.message);
        }
    }

    /// Ends the decision with this report and keeps the account and the plan of earlier content.
    pub(super) fn halt(mut self, observed: &Observation) -> Halt {
        self.account = observed.status().service_account_ref;
        self.kept(observed)
    }

    /// Ends the decision with this report. If earlier content is installed, its plan is kept.
    pub(super) fn kept(mut self, observed: &Observation) -> Halt {
        if !observed.plans.is_empty() {
            self.plan = observed.status().plan;
        }
        Halt::Say(Box::new(self))
    }

    /// Returns the status of the `PendingApproval` condition, and its reason.
    fn is_pending(&self) -> (&'static str, ReadyCondition) {
        match &self.pending {
            Some(pending) => ("True", pending.clone()),
            None if self.fault.is_some() => {
                let why = "the content cannot be read";
                ("Unknown", ReadyCondition::new(Reason::NotLookedAt, why))
            }
            None if self.is_checked => {
                let why = "it waits for no approval";
                ("False", ReadyCondition::new(Reason::ApprovalGiven, why))
            }
            None => {
                let why = "the permissions of the content have not been checked yet";
                ("Unknown", ReadyCondition::new(Reason::NotChecked, why))
            }
        }
    }

    pub(super) fn decision(self, observed: &Observation) -> Decision {
        let before = observed.status().conditions;
        let generation = observed.install.metadata.generation;
        let said = |type_: ConditionType, status: &str, said: &ReadyCondition| {
            let statement = Statement {
                type_: type_.as_str(),
                status,
                reason: said.reason.as_str(),
                message: &said.message,
            };
            statement.since(&before, generation, observed.time())
        };
        let is_ready = self.ready.reason == Reason::Installed;
        let ready = if is_ready { "True" } else { "False" };
        let (is_pending, why) = self.is_pending();
        let pending = said(ConditionType::PendingApproval, is_pending, &why);
        let imported = ReadyCondition::new(Reason::ContentImported, "all content was read");
        let fault = match &self.fault {
            Some(fault) => said(ConditionType::ContentImportError, "True", fault),
            None => said(ConditionType::ContentImportError, "False", &imported),
        };
        Decision {
            status: Status {
                observed_generation: generation,
                conditions: vec![
                    said(ConditionType::Ready, ready, &self.ready),
                    pending,
                    fault,
                ],
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
