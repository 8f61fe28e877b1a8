//! Writes what was decided.

use std::sync::Arc;
use std::time::Instant;

use kube::Client;
use portolan_api::OperatorPolicy;
use portolan_decide::{Contest, Desired, Observed, Outcome, Target, Told};
use thiserror::Error;

use crate::lease::Fence;

/// Writes what was decided.
#[derive(Debug)]
pub(crate) struct Writer<R> {
    _reviewer: R,
}

/// Says once more, right before an InstallPlan is approved, whether it may be.
pub(crate) trait Reviewer: Send + Sync {
    fn still_allowed(&self, target: &Target) -> impl Future<Output = Result<(), Outcome>> + Send;
}

/// How one step went.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    pub(crate) outcome: Outcome,
    pub(crate) echo: Option<Echo>,
    pub(crate) policy: Option<Arc<OperatorPolicy>>,
}

/// An object that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Echo {
    pub(crate) kind: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) before: Option<String>,
    pub(crate) after: EchoAfter,
}

/// What became of an object that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EchoAfter {
    /// It has this resource version.
    Version(String),
    /// The one with this uid is gone.
    Gone(String),
}

/// A status that is not written.
#[derive(Debug, Error)]
#[error("write the status of the policy: {0}")]
pub(crate) struct WriteFailure(pub(crate) String);

impl<R: Reviewer> Writer<R> {
    pub(crate) fn new(_client: Client, _fence: Fence, _identity: &str, reviewer: R) -> Self {
        Self {
            _reviewer: reviewer,
        }
    }

    pub(crate) async fn carry_out(&self, _observed: &Observed, _desired: &Desired) -> Vec<Written> {
        Vec::new()
    }

    pub(crate) async fn tell(
        &self,
        _policy: &OperatorPolicy,
        _told: &[Told],
    ) -> Result<Option<String>, WriteFailure> {
        Err(WriteFailure("nobody can yet".to_owned()))
    }

    pub(crate) fn contests(&self, _namespace: &str) -> Vec<Contest> {
        Vec::new()
    }

    pub(crate) fn contested_until(&self, _namespace: &str) -> Option<Instant> {
        None
    }
}

impl Written {
    /// The policy as it is after these steps.
    pub(crate) fn policy_after(all: &[Self], before: &Arc<OperatorPolicy>) -> Arc<OperatorPolicy> {
        let mut last = all
            .iter()
            .rev()
            .filter_map(|written| written.policy.as_ref());
        last.next().unwrap_or(before).clone()
    }
}
