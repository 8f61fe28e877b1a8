//! The metrics of controllers, under names that the process gives.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Seconds; from a look at what is known to a removal that waits for an API server.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

/// Reconciliations of the objects of one kind. Clones count together.
#[derive(Debug, Clone)]
pub struct Reconciles {
    results: Family<ResultLabels, Counter>,
    seconds: Histogram,
}

/// The requests that write, by kind, verb and how they ended. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Writes {
    kinds: &'static [&'static str],
    results: Family<WriteLabels, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WriteLabels {
    kind: &'static str,
    verb: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabels {
    result: &'static str,
}

// === impl Reconciles ===

impl Default for Reconciles {
    fn default() -> Self {
        Self {
            results: Family::default(),
            seconds: Histogram::new(BUCKETS),
        }
    }
}

impl Reconciles {
    /// Shows them as `<prefix>_reconciles` and `<prefix>_reconcile_seconds`; `object` is an object
    /// of the kind for the help text, such as `a policy`.
    pub fn register(&self, registry: &mut Registry, prefix: &str, object: &str) {
        registry.register(
            format!("{prefix}_reconciles"),
            format!("Looks at {object}, by how they ended"),
            self.results.clone(),
        );
        registry.register(
            format!("{prefix}_reconcile_seconds"),
            format!("How long a look at {object} took"),
            self.seconds.clone(),
        );
    }

    /// Counts a reconciliation that ended.
    pub fn count(&self, has_failed: bool, took: Duration) {
        let result = if has_failed { "failed" } else { "done" };
        self.results.get_or_create(&ResultLabels { result }).inc();
        self.seconds.observe(took.as_secs_f64());
    }
}

// === impl Writes ===

impl Writes {
    /// Writes of these kinds. All other kinds are counted as `other`: a label has no value that
    /// anybody can think of.
    pub fn of(kinds: &'static [&'static str]) -> Self {
        Self {
            kinds,
            results: Family::default(),
        }
    }

    /// Shows them as `<prefix>_writes`; `objects` are those that they are made for, such as
    /// `policies`.
    pub fn register(&self, registry: &mut Registry, prefix: &str, objects: &str) {
        registry.register(
            format!("{prefix}_writes"),
            format!("Writes for {objects}, by how they ended"),
            self.results.clone(),
        );
    }

    /// Counts a request that ended.
    pub fn count(&self, kind: &str, verb: &'static str, result: &'static str) {
        let kind = self.kinds.iter().find(|known| **known == kind);
        let kind = kind.copied().unwrap_or("other");
        let labels = WriteLabels { kind, verb, result };
        self.results.get_or_create(&labels).inc();
    }
}
