//! Makes OLM execute a failed InstallPlan again.
//!
//! A failed InstallPlan has normally created its ClusterServiceVersions, because these are its
//! first steps. While they exist, OLM creates no other InstallPlan for them, so the deletion of the
//! failed InstallPlan would block the upgrade permanently.

use portolan_core_health::{Item, ObjectVersion};
use portolan_core_olm::{InstallPlan, InstallPlanStatus};
use serde_json::json;

use crate::command::{PLANS, Target};
use crate::{Procedure, Step};

/// Returns true if the InstallPlan has steps that OLM can execute. A plan that failed before its
/// bundles were unpacked has no steps.
pub(super) fn is_repeatable(plan: &Item<InstallPlan>) -> bool {
    !plan.status.steps.is_empty()
}

/// Returns the fix that makes OLM execute the InstallPlan again.
pub(super) fn procedure(plan: &ObjectVersion, status: &InstallPlanStatus) -> Procedure {
    let title = format!(
        "First repair the cause of the error. Then make OLM repeat {}: it skips the steps that are done.",
        plan.object
    );
    let risk =
        "If the cause of the error still exists, the InstallPlan fails again after one minute.";
    Procedure::of(&title, vec![step(plan, status)], risk)
}

/// Returns the command that makes OLM execute the InstallPlan again. The command fails if OLM
/// already executes the InstallPlan.
pub(super) fn step(plan: &ObjectVersion, status: &InstallPlanStatus) -> Step {
    let mut patch = vec![
        json!({"op": "test", "path": "/status/phase", "value": "Failed"}),
        json!({"op": "replace", "path": "/status/phase", "value": "Installing"}),
    ];
    // OLM retries for one minute after this time.
    if status.start_time.is_some() {
        patch.push(json!({"op": "remove", "path": "/status/startTime"}));
    }
    Step::new(
        &format!("Make OLM repeat {}", plan.object),
        Target::of(PLANS, plan).patch_status(&json!(patch)),
    )
}
