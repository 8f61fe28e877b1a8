//! What is said of a policy: its status, its history, its compliance event.

use jiff::Timestamp;
use portolan_api::{OperatorPolicy, OperatorPolicyStatus};

use crate::desired::{Desired, Outcome, Report};

/// What is said of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Its status, whole.
    pub status: OperatorPolicyStatus,
    /// What is new about it, for the compliance event; None if nothing is.
    pub news: Option<News>,
}

/// What is new about a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Whether the policy is Compliant.
    pub is_compliant: bool,
    /// The message, which begins with `Compliant; ` or `NonCompliant; `.
    pub message: String,
    /// The instant under which the history has it.
    pub at: Timestamp,
}

/// Makes the status of a policy out of a report, from the status that was told before.
pub fn tell(
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
    now: Timestamp,
) -> Told {
    todo!("{report:?} {policy:?} {before:?} {now}")
}

impl Desired {
    /// Whether it is worth an event of its own how it is before the steps are taken.
    pub fn is_worth_telling_before(&self) -> bool {
        todo!()
    }

    /// How it is after the steps: done, or refused.
    pub fn after(&self, outcomes: &[Outcome]) -> Report {
        todo!("{outcomes:?}")
    }
}
