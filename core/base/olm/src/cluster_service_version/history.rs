//! The history of an operator: the changes of its phase.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Deserialize;

use super::CsvPhase;
use crate::messages::is_of_changed_deployment;

/// The reason that OLM reports if it cannot create the Deployments of an operator.
const NOT_CREATED: &str = "InstallComponentFailed";

/// A change of the phase or the reason of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsvCondition {
    /// The phase after the change.
    pub phase: CsvPhase,
    /// The reason as one word.
    pub reason: String,
    /// The reason as text for users.
    pub message: String,
    /// The time of the change.
    pub last_transition_time: Option<Time>,
}

// === impl CsvCondition ===

impl CsvCondition {
    /// Returns true if this change starts another installation because a Deployment has changed.
    pub fn is_reset(&self) -> bool {
        let is_begun = matches!(self.phase, CsvPhase::InstallReady | CsvPhase::Pending);
        is_begun && is_of_changed_deployment(&self.message)
    }

    /// Returns true if this change reports that OLM failed to create the Deployments of the
    /// operator.
    pub fn is_failed_attempt(&self) -> bool {
        self.phase == CsvPhase::Failed && self.reason == NOT_CREATED
    }

    /// Returns true if this change reports the phase Succeeded.
    pub fn is_success(&self) -> bool {
        self.phase == CsvPhase::Succeeded
    }
}
