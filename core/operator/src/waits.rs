//! How the plans of an Operator wait for their objects.

use portolan_api::operator::Intent;
use portolan_core_install::digest;
use serde_json::{Value, json};

/// How long a plan waits, and by which rules custom resources are ready.
pub(crate) struct Waits<'a> {
    progress_deadline_seconds: Option<u32>,
    readiness: &'a [Value],
}

impl<'a> Waits<'a> {
    pub(crate) fn of(intent: &'a Intent) -> Self {
        Self {
            progress_deadline_seconds: intent.progress_deadline_seconds,
            readiness: &intent.readiness,
        }
    }

    /// Returns a digest of all of it; empty for the defaults of plans.
    pub(crate) fn digest(&self) -> String {
        match (self.progress_deadline_seconds, self.readiness) {
            (None, []) => String::new(),
            (seconds, rules) => digest(&json!({"seconds": seconds, "rules": rules})),
        }
    }

    /// Writes it into the stages of a plan.
    pub(crate) fn write(&self, plan: &mut Value) {
        let stages = plan["spec"]["stages"].as_array_mut();
        for stage in stages.into_iter().flatten() {
            if let Some(seconds) = self.progress_deadline_seconds {
                stage["deadlineSeconds"] = seconds.into();
            }
            if !self.readiness.is_empty() {
                stage["ready"] = self.readiness.into();
            }
        }
    }
}
