//! Restarts an upgrade whose InstallPlan was deleted before it was complete.

use portolan_core_health::{Csv, CsvPhase, Item};
use portolan_core_olm::Subscription;
use serde_json::json;

use crate::case::Case;
use crate::command::{CSVS, SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::{Step, deletion};

/// An upgrade whose new ClusterServiceVersion waits for the deleted InstallPlan. Without an
/// InstallPlan, the new ClusterServiceVersion never gets its permissions and CRDs, and OLM creates no
/// InstallPlan while it exists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abandoned<'a> {
    old: &'a Csv,
    new: &'a Csv,
}

/// Returns the upgrade of the Subscription if its InstallPlan was deleted.
pub(super) fn abandoned<'a>(
    case: Case<'a>,
    subscription: &Item<Subscription>,
) -> Option<Abandoned<'a>> {
    let new = case.newest()?;
    let old = case.csvs().nth(1)?;
    let is_begun = subscription.status.current_csv == new.observed.object.name
        && new.spec.replaces == old.observed.object.name
        && new.status.phase == CsvPhase::Pending;
    let keeps_running = matches!(old.status.phase, CsvPhase::Replacing | CsvPhase::Succeeded);
    let is_stable = !new.is_deleting() && !old.is_deleting();
    (is_begun && keeps_running && is_stable).then_some(Abandoned { old, new })
}

// === impl Abandoned ===

impl Abandoned<'_> {
    /// Returns the fix that removes the new ClusterServiceVersion, and makes OLM plan the upgrade
    /// from the old one again. If the deletion could delete Deployments or custom resources, returns
    /// a warning without a command.
    pub(super) fn cure(self, subscription: &Item<Subscription>) -> Cure {
        let (old, new) = (&self.old.observed.object, &self.new.observed.object);
        if !self.is_deletable() {
            let namespace = format!("the administrator of namespace {}", new.namespace);
            let action = format!(
                "Do not delete {new} before you have saved its Deployments and custom resources: OLM may delete them \
                 together with it. OLM creates no InstallPlan while {new} exists."
            );
            return Cure::external(&namespace, &action);
        }
        let title = format!(
            "Delete {new}, which is not installed yet, and make OLM plan the upgrade from {} again.",
            old.name
        );
        let risk = format!(
            "The Pods of {} may restart once. If the deleted InstallPlan had failed because of an error, first repair \
             the error.",
            old.name
        );
        let then = self.reinstalled().into_iter();
        let then = then.chain([self.forgotten(subscription)]).collect();
        let targets = [Target::of(CSVS, &self.new.observed)];
        let fix = deletion::delete(&title, &targets, then, &risk);
        let keeps = fix.keeps.clone();
        Cure::Safe(fix.deleting(&format!("{new}. It has no Deployments yet."), &keeps))
    }

    /// Returns true if the new ClusterServiceVersion was never installed, and OLM deletes no custom
    /// resources together with it.
    fn is_deletable(self) -> bool {
        let mut history = self.new.status.conditions.iter();
        !self.new.spec.cleanup.enabled && history.all(|said| said.phase == CsvPhase::Pending)
    }

    /// Returns the step that makes OLM use the old version again. None if OLM has not started to
    /// replace the old version.
    fn reinstalled(self) -> Option<Step> {
        let patch = json!([
            {"op": "test", "path": "/status/phase", "value": "Replacing"},
            {"op": "replace", "path": "/status/phase", "value": "Pending"},
        ]);
        let comment = format!("Make OLM use {} again", self.old.observed.object.name);
        let is_replaced = self.old.status.phase == CsvPhase::Replacing;
        let patch = Target::of(CSVS, &self.old.observed).patch_status(&patch);
        is_replaced.then(|| Step::new(&comment, patch))
    }

    /// Returns the step that removes the upgrade from the status of the Subscription.
    fn forgotten(self, subscription: &Item<Subscription>) -> Step {
        let installed = &self.old.observed.object.name;
        let patch = json!([
            {"op": "test", "path": "/status/installPlanRef/name", "value": subscription.plan()},
            {"op": "add", "path": "/status/currentCSV", "value": installed},
            {"op": "add", "path": "/status/installedCSV", "value": installed},
            {"op": "remove", "path": "/status/installPlanRef"},
        ]);
        let comment = format!(
            "Set {installed} as the installed version of {}",
            subscription.observed.object
        );
        let patch = Target::of(SUBSCRIPTIONS, &subscription.observed).patch_status(&patch);
        Step::new(&comment, patch)
    }
}
