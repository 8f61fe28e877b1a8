//! The metrics of the updater.

use portolan_core_generate::updater::{Outcome, Reason};
use portolan_runtime::{ControllerMetrics, Reconciles, Writes};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The name of the updater in the metrics of controllers.
const NAME: &str = "updater";
/// The kinds of the objects that the updater writes.
const KINDS: &[&str] = &["Event", "Operator"];

/// The metrics of the updater. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Metrics {
    controllers: ControllerMetrics,
    invalid: Counter,
    operators: Family<ReasonLabels, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

impl Metrics {
    pub(crate) fn new() -> (Self, Registry) {
        let (metrics, mut registry) = Self::beside(ControllerMetrics::default());
        metrics.controllers.register(&mut registry);
        (metrics, registry)
    }

    /// Creates the metrics of an updater inside another process. Rounds and writes are counted in
    /// the metrics of the other controllers. Returns the additional metrics in a registry.
    pub(crate) fn beside(controllers: ControllerMetrics) -> (Self, Registry) {
        let metrics = Self {
            controllers,
            ..Self::default()
        };
        let mut registry = Registry::default();
        registry.register(
            "portolan_updater_invalid_configurations",
            "Number of invalid configurations; each configuration is counted once",
            metrics.invalid.clone(),
        );
        registry.register(
            "portolan_updater_operators",
            "Number of Operators that the updater manages, by reason",
            metrics.operators.clone(),
        );
        (metrics, registry)
    }

    /// Returns the metrics that count rounds.
    pub(crate) fn rounds(&self) -> Reconciles {
        self.controllers.reconciles(NAME)
    }

    /// Returns the metrics that count writes.
    pub(crate) fn writes(&self) -> Writes {
        self.controllers.writes(NAME, KINDS)
    }

    /// Counts an invalid configuration.
    pub(crate) fn invalid(&self) {
        self.invalid.inc();
    }

    /// Sets the number of Operators for each reason.
    pub(crate) fn set_outcome(&self, outcome: &Outcome) {
        for reason in Reason::ALL {
            let reason = *reason;
            let said = outcome.said.values().filter(|said| said.reason == reason);
            let labels = ReasonLabels {
                reason: reason.as_str(),
            };
            let count = i64::try_from(said.count()).unwrap_or(i64::MAX);
            self.operators.get_or_create(&labels).set(count);
        }
    }
}
