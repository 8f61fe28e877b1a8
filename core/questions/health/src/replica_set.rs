//! Judges ReplicaSets, which are the revisions of a Deployment.

use portolan_core_olm::messages::{is_of_policy, is_of_quota, missing_object};
use portolan_core_olm::{Condition, ReplicaSet};

use crate::words::{because, with_word};
use crate::{Fact, HealthCode, Item, State};

impl Item<ReplicaSet> {
    /// Returns the fact that the ReplicaSet cannot create its Pods. Returns None if the ReplicaSet
    /// reports no failure.
    pub(crate) fn failure(&self) -> Option<Fact> {
        let said = Condition::about(&self.status.conditions, "ReplicaFailure");
        let said = said.filter(|said| said.is_true())?;
        let refuser = refusal(&said.message);
        let code = refuser.map_or(HealthCode::DeploymentReplicaFailure, PodRefuser::code);
        let claim = match refuser {
            Some(PodRefuser::Quota) => "cannot create its Pods, because a quota is exhausted",
            Some(PodRefuser::Policy) => {
                "cannot create its Pods, because the API server rejects them"
            }
            None => "cannot create its Pods",
        };
        let claim = with_word(format!("{} {claim}", self.observed.object), &said.reason);
        let message = because(claim, &said.message);
        Some(Fact::new(&self.observed, State::No, code, &message))
    }
}

/// The kind of rule that rejects Pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PodRefuser {
    /// An exceeded ResourceQuota rejects the Pods.
    Quota,
    /// A webhook or a policy rejects the Pods, or an object that the Pods require is missing.
    Policy,
}

// === impl PodRefuser ===

impl PodRefuser {
    pub(crate) fn code(self) -> HealthCode {
        match self {
            Self::Quota => HealthCode::QuotaExceeded,
            Self::Policy => HealthCode::PodRejected,
        }
    }
}

/// Returns the kind of rule that rejects Pods, according to the message of Kubernetes. Returns None
/// if the message does not show the kind.
pub(crate) fn refusal(sentence: &str) -> Option<PodRefuser> {
    if is_of_quota(sentence) {
        Some(PodRefuser::Quota)
    } else if is_of_policy(sentence) || missing_object(sentence).is_some() {
        Some(PodRefuser::Policy)
    } else {
        None
    }
}
