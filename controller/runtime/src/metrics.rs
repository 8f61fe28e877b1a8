//! The metrics of controllers: three metric families with the label `controller`.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The buckets of durations in seconds. The smallest fits a check without requests. The largest
/// fits a removal that waits for an API server.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

/// The metrics of all controllers of a process. Clones share the counts.
#[derive(Debug, Clone)]
pub struct ControllerMetrics {
    reconciles: Family<ReconcileLabels, Counter>,
    seconds: Family<ControllerLabels, Histogram, fn() -> Histogram>,
    writes: Family<WriteLabels, Counter>,
}

/// Counts the reconciliations of one controller. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct Reconciles {
    controller: &'static str,
    metrics: ControllerMetrics,
}

/// Counts the write requests of one controller by kind, verb and result. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct Writes {
    controller: &'static str,
    kinds: &'static [&'static str],
    metrics: ControllerMetrics,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ControllerLabels {
    controller: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReconcileLabels {
    controller: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WriteLabels {
    controller: &'static str,
    kind: &'static str,
    verb: &'static str,
    result: &'static str,
}

// === impl ControllerMetrics ===

impl Default for ControllerMetrics {
    fn default() -> Self {
        Self {
            reconciles: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            writes: Family::default(),
        }
    }
}

impl ControllerMetrics {
    /// Adds the metric families to a registry.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "portolan_controller_reconciles",
            "Number of reconciliations, by controller and result",
            self.reconciles.clone(),
        );
        registry.register(
            "portolan_controller_reconcile_seconds",
            "Duration of a reconciliation, by controller",
            self.seconds.clone(),
        );
        registry.register(
            "portolan_controller_writes",
            "Number of write requests, by controller, kind, verb and result",
            self.writes.clone(),
        );
    }

    /// Returns the counter for the reconciliations of a controller. The histogram exists even
    /// before the first reconciliation.
    pub fn reconciles(&self, controller: &'static str) -> Reconciles {
        drop(self.seconds.get_or_create(&ControllerLabels { controller }));
        Reconciles {
            controller,
            metrics: self.clone(),
        }
    }

    /// Returns the counter for the writes of a controller. Only `kinds` have separate label values.
    /// All other kinds are counted as `other`, because users can create any number of kinds.
    pub fn writes(&self, controller: &'static str, kinds: &'static [&'static str]) -> Writes {
        Writes {
            controller,
            kinds,
            metrics: self.clone(),
        }
    }
}

// === impl Reconciles ===

impl Reconciles {
    /// Counts a completed reconciliation.
    pub fn count(&self, has_failed: bool, took: Duration) {
        let Self {
            controller,
            metrics,
        } = self;
        let result = if has_failed { "failed" } else { "done" };
        let labels = ReconcileLabels { controller, result };
        metrics.reconciles.get_or_create(&labels).inc();
        let seconds = metrics
            .seconds
            .get_or_create(&ControllerLabels { controller });
        seconds.observe(took.as_secs_f64());
    }
}

// === impl Writes ===

impl Writes {
    /// Counts a completed request.
    pub fn count(&self, kind: &str, verb: &'static str, result: &'static str) {
        let kind = self.kinds.iter().find(|known| **known == kind);
        let labels = WriteLabels {
            controller: self.controller,
            kind: kind.copied().unwrap_or("other"),
            verb,
            result,
        };
        self.metrics.writes.get_or_create(&labels).inc();
    }
}
