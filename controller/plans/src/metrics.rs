//! The metrics of InstallPlans.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use portolan_core_install::{DriftTally, Drifting};
use portolan_world::Key;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The buckets of durations in seconds. The smallest fits a plan with a few ConfigMaps. The largest
/// fits a plan that waits for users.
const BUCKETS: [f64; 10] = [
    1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
];

/// The metrics of InstallPlans. Clones share the metrics.
///
/// A plan has its own time series only if it exists and all of its members were applied.
#[derive(Debug, Clone)]
pub struct PlanMetrics {
    drifted: Family<PlanLabels, Gauge>,
    contested: Family<PlanLabels, Gauge>,
    /// The plans that have time series.
    shown: Arc<Mutex<BTreeSet<Key>>>,
    ready: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PlanLabels {
    plan: String,
    plan_namespace: String,
}

// === impl PlanMetrics ===

impl Default for PlanMetrics {
    fn default() -> Self {
        Self {
            drifted: Family::default(),
            contested: Family::default(),
            shown: Arc::default(),
            ready: Histogram::new(BUCKETS),
        }
    }
}

impl PlanMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "portolan_plans_drifted_members",
            "Number of objects of a plan that other clients have changed or deleted",
            self.drifted.clone(),
        );
        registry.register(
            "portolan_plans_contested_members",
            "Number of objects of a plan whose drift is temporarily not corrected, because another \
             client changes them repeatedly",
            self.contested.clone(),
        );
        registry.register(
            "portolan_plans_ready_seconds",
            "Seconds from the creation of a plan until the plan was ready for the first time",
            self.ready.clone(),
        );
    }

    /// Records how many members of a plan have drifted, after a check.
    pub(crate) fn count_drift(&self, plan: &Key, tally: DriftTally) {
        match tally {
            DriftTally::Known(Drifting { drifted, contested }) => {
                self.shown().insert(plan.clone());
                let labels = PlanLabels::of(plan);
                self.drifted.get_or_create(&labels).set(drifted.into());
                self.contested.get_or_create(&labels).set(contested.into());
            }
            DriftTally::AsBefore => {}
            DriftTally::None => self.forget(plan),
        }
    }

    /// Records that a plan became ready for the first time.
    pub(crate) fn count_ready(&self, took: SignedDuration) {
        self.ready.observe(took.as_secs_f64());
    }

    /// Removes the time series of a deleted plan.
    pub(crate) fn forget(&self, plan: &Key) {
        if self.shown().remove(plan) {
            let labels = PlanLabels::of(plan);
            self.drifted.remove(&labels);
            self.contested.remove(&labels);
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, BTreeSet<Key>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl PlanLabels ===

impl PlanLabels {
    fn of(plan: &Key) -> Self {
        Self {
            plan: plan.name.to_string(),
            plan_namespace: plan.namespace.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    /// Returns all time series except the buckets of the histogram.
    fn series(metrics: &PlanMetrics) -> Vec<String> {
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).expect("a text");
        let is_told = |line: &&str| !line.starts_with('#') && !line.contains("_bucket{");
        let mut lines: Vec<_> = text.lines().filter(is_told).map(str::to_owned).collect();
        lines.sort();
        lines
    }

    fn of(plan: &str, drifted: u32, contested: u32) -> [String; 2] {
        let labels = format!("plan=\"{plan}\",plan_namespace=\"harbor\"");
        [
            format!("portolan_plans_contested_members{{{labels}}} {contested}"),
            format!("portolan_plans_drifted_members{{{labels}}} {drifted}"),
        ]
    }

    const NEVER_READY: [&str; 2] = [
        "portolan_plans_ready_seconds_count 0",
        "portolan_plans_ready_seconds_sum 0.0",
    ];

    fn known(drifted: u32, contested: u32) -> DriftTally {
        DriftTally::Known(Drifting { drifted, contested })
    }

    #[test]
    fn plan_has_a_time_series_while_it_is_applied() {
        let metrics = PlanMetrics::default();
        let ferry = Key::new("harbor", "ferry");
        metrics.count_drift(&ferry, DriftTally::AsBefore);
        assert_eq!(series(&metrics), NEVER_READY);
        metrics.count_drift(&ferry, known(3, 1));
        metrics.count_drift(&ferry, DriftTally::AsBefore);
        let told = of("ferry", 3, 1).into_iter();
        let told: Vec<_> = told.chain(NEVER_READY.map(str::to_owned)).collect();
        assert_eq!(series(&metrics), told);
        metrics.count_drift(&ferry, known(0, 0));
        assert_eq!(series(&metrics)[..2], of("ferry", 0, 0));
        metrics.count_drift(&ferry, DriftTally::None);
        assert_eq!(series(&metrics), NEVER_READY);
    }

    #[test]
    fn forget_removes_only_time_series_of_deleted_plan() {
        let metrics = PlanMetrics::default();
        let [ferry, skiff] = ["ferry", "skiff"].map(|name| Key::new("harbor", name));
        metrics.count_drift(&ferry, known(1, 0));
        metrics.count_drift(&skiff, known(2, 2));
        metrics.forget(&ferry);
        metrics.forget(&ferry);
        assert_eq!(series(&metrics)[..2], of("skiff", 2, 2));
        assert_eq!(series(&metrics).len(), 4);
    }

    #[test]
    fn time_to_ready_is_kept_after_the_plan_is_deleted() {
        let metrics = PlanMetrics::default();
        metrics.count_ready(SignedDuration::from_millis(1500));
        metrics.forget(&Key::new("harbor", "ferry"));
        assert_eq!(
            series(&metrics),
            [
                "portolan_plans_ready_seconds_count 1",
                "portolan_plans_ready_seconds_sum 1.5"
            ]
        );
    }
}
