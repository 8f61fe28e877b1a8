//! The data that the steps of one policy share while they are executed.

use std::sync::{Arc, Mutex, PoisonError};

use kube::api::DynamicObject;
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::{Observed, Report, StepOutcome};
use portolan_runtime::{ObservedObject, PendingWrite, Session, WriteFailure};

use super::WrittenStep;
use super::status::{API_VERSION, KIND};

/// The data that the steps of one policy share while they are executed.
#[derive(Debug)]
pub(super) struct StepContext<'a> {
    /// The state on which the decision is based.
    pub(super) observed: &'a Observed,
    pub(super) report: &'a Report,
    pub(super) session: Session<'a>,
    /// The policy after the steps that have been executed so far.
    policy: Mutex<Arc<OperatorPolicy>>,
}

// === impl StepContext ===

impl<'a> StepContext<'a> {
    pub(super) fn new(observed: &'a Observed, report: &'a Report, session: Session<'a>) -> Self {
        Self {
            observed,
            report,
            session,
            policy: Mutex::new(observed.policy.clone()),
        }
    }

    pub(super) fn policy(&self) -> Arc<OperatorPolicy> {
        let policy = self.policy.lock();
        policy.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores the policy after a step.
    pub(super) fn rewrote(
        &self,
        policy: OperatorPolicy,
        pending: Option<PendingWrite>,
    ) -> WrittenStep {
        let policy = Arc::new(policy);
        *self.policy.lock().unwrap_or_else(PoisonError::into_inner) = policy.clone();
        WrittenStep {
            outcome: StepOutcome::Done { uid: None },
            pending,
            policy: Some(policy),
        }
    }
}

/// Returns the identity and version of an observed policy.
pub(super) fn observed_policy(policy: &OperatorPolicy) -> ObservedObject {
    ObservedObject::of(API_VERSION, KIND, &policy.metadata)
}

/// Returns the policy in a response of the API server. The results of its templates are taken from
/// the previous policy.
pub(super) fn answered(
    object: Option<DynamicObject>,
    before: &OperatorPolicy,
) -> Result<OperatorPolicy, WriteFailure> {
    let object = object.ok_or_else(|| WriteFailure::Lost("the answer has no policy".to_owned()))?;
    let policy = object.try_parse::<OperatorPolicy>();
    let policy = policy.map_err(|error| WriteFailure::Lost(error.to_string()))?;
    Ok(OperatorPolicy {
        spec: policy.spec.rendered_as(&before.spec),
        ..policy
    })
}
