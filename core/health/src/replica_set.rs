//! ReplicaSets: editions of a Deployment.

use portolan_core_olm::{Condition, ReplicaSet};

use crate::words::{because, with_word};
use crate::{Fact, HealthCode, Item, State};

impl Item<ReplicaSet> {
    /// Why it cannot make its Pods, if it cannot.
    pub(crate) fn failure(&self) -> Option<Fact> {
        let said = Condition::about(&self.status.conditions, "ReplicaFailure");
        let said = said.filter(|said| said.is_true())?;
        let (code, claim) = match refusal(&said.message) {
            Some(PodRefused::Quota) => (
                HealthCode::QuotaExceeded,
                "cannot make its Pods, as a quota is used up",
            ),
            Some(PodRefused::Policy) => (
                HealthCode::PodRefused,
                "cannot make its Pods, as they are refused",
            ),
            None => (HealthCode::DeploymentReplicaFailure, "cannot make its Pods"),
        };
        let claim = with_word(format!("{} {claim}", self.observed.object), &said.reason);
        let message = because(claim, &said.message);
        Some(Fact::new(&self.observed, State::No, code, &message))
    }
}

/// Who refuses Pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PodRefused {
    /// A quota that is used up.
    Quota,
    /// A webhook, or a policy.
    Policy,
}

/// Words by which webhooks and policies refuse.
const REFUSED: &[&str] = &[
    "denied the request",
    "failed calling webhook",
    "forbidden",
    "violates",
];

/// Who refuses Pods, as far as a sentence of Kubernetes tells.
pub(crate) fn refusal(sentence: &str) -> Option<PodRefused> {
    if sentence.contains("exceeded quota") {
        Some(PodRefused::Quota)
    } else if REFUSED.iter().any(|words| sentence.contains(words)) {
        Some(PodRefused::Policy)
    } else {
        None
    }
}
