//! Explains failing Pods of an Operator, and the effect of `spec.onFailure`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::{ConditionType, Reason};
use portolan_api::plan::InstallPlan;

use super::{OperatorCase, is_explained};
use crate::own_plan;
use crate::{Cause, Code, Evidence};

impl OperatorCase<'_> {
    /// Returns the root cause of the plan's diagnosis.
    pub(super) fn plan_cause(self, plan: &InstallPlan) -> Option<Cause> {
        own_plan::with_workloads(plan, self.workloads).cause
    }

    /// Returns the cause for a failing Pod that the status of the Operator does not report yet.
    pub(super) fn unreported(self, causes: &[Cause]) -> Option<Cause> {
        let is_known = causes
            .iter()
            .any(|cause| cause.code == Code::MembersNotReady);
        let has_begun = causes.iter().any(|cause| cause.code == Code::InProgress);
        if is_known || has_begun || self.workloads.all.is_empty() {
            return None;
        }
        let cause = self.plan_cause(self.plan(Code::MembersNotReady)?)?;
        let is_reported = causes.iter().any(|other| other.code == cause.code);
        let is_new = is_explained(Code::MembersNotReady, &cause) && !is_reported;
        is_new.then(|| self.configured(cause))
    }

    /// Returns the cause for a failing Pod. Adds the condition that the Pod explains as evidence.
    pub(super) fn live(self, cause: &Cause, said: &Condition) -> Cause {
        let message = self.with_failure_policy(cause.message.clone());
        let evidence = Evidence::reported(self.object(), said);
        self.configured(Cause {
            message,
            ..cause.clone().shown([evidence])
        })
    }

    /// Adds a sentence about `spec.onFailure`: what the controller does, or will do, if the version
    /// fails.
    pub(super) fn with_failure_policy(self, message: String) -> String {
        let installing = self.status.condition(ConditionType::Installing);
        let reason = installing.and_then(|said| Reason::parse(&said.reason));
        let reverts = self.operator.spec.as_json()["onFailure"] == "Revert";
        let policy = match (reason, reverts) {
            // `Settling` means that the installed version has not been healthy for long enough, or
            // is no longer healthy. In this case, the message needs no sentence about `Stay`.
            (Some(Reason::Settling), false) => return message,
            (Some(Reason::Applying | Reason::Checking | Reason::Settling), true) => {
                "spec.onFailure is Revert: if the installation fails, the controller restores the \
                 previous version."
            }
            (Some(Reason::Applying | Reason::Checking), false) => {
                "spec.onFailure is Stay: if the installation fails, the failed version stays \
                 installed. With Revert, the controller would restore the previous version, if a \
                 previous version exists."
            }
            (Some(Reason::InstallFailed), false) => {
                "spec.onFailure is Stay: the failed version stays installed. With Revert, the \
                 controller would restore the previous version, if a previous version exists."
            }
            (Some(Reason::Reverting), _) => {
                "spec.onFailure is Revert: the controller restores the previous version."
            }
            (Some(Reason::UpToDate | Reason::Frozen), _) => {
                "No upgrade is in progress, so spec.onFailure has no effect."
            }
            _ => return message,
        };
        format!("{message} {policy}")
    }
}
