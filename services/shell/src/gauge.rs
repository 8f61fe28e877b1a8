//! Gauges that a service adds to the metrics of its calls.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// A gauge with one label. Clones share the values. A label value has a time series only while its
/// number is known.
#[derive(Debug, Clone)]
pub struct LabeledGauge {
    name: &'static str,
    help: &'static str,
    label: &'static str,
    numbers: Family<Vec<(String, String)>, Gauge>,
    /// The values of the label whose number is unknown.
    unknown: Arc<Mutex<BTreeSet<String>>>,
}

// === impl LabeledGauge ===

impl LabeledGauge {
    /// Creates a gauge without numbers. The help has no final period.
    pub fn new(name: &'static str, help: &'static str, label: &'static str) -> Self {
        Self {
            name,
            help,
            label,
            numbers: Family::default(),
            unknown: Arc::default(),
        }
    }

    /// Sets the number for a value of the label. If the number was unknown, logs that it is known
    /// again.
    pub fn set(&self, value: &str, number: usize) {
        if self.becomes_known(value) {
            tracing::info!(metric = self.name, %value, "the value of the metric is known again");
        }
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.numbers.get_or_create(&self.labels(value)).set(number);
    }

    /// Removes the number for a value of the label, because it is unknown. Logs the reason, unless
    /// the number was unknown before.
    pub fn set_unknown(&self, value: &str, why: &str) {
        self.numbers.remove(&self.labels(value));
        if self.becomes_unknown(value) {
            tracing::warn!(metric = self.name, %value, error = %why, "the metric is missing, because its value is unknown");
        }
    }

    /// Returns true if the number was unknown.
    fn becomes_known(&self, value: &str) -> bool {
        self.unknown().remove(value)
    }

    /// Returns true if the number was known, or if it is unknown from the beginning.
    fn becomes_unknown(&self, value: &str) -> bool {
        self.unknown().insert(value.to_owned())
    }

    fn unknown(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn labels(&self, value: &str) -> Vec<(String, String)> {
        vec![(self.label.to_owned(), value.to_owned())]
    }

    /// Returns a registry with this gauge.
    pub(crate) fn registry(&self) -> Registry {
        let mut registry = Registry::default();
        registry.register(self.name, self.help, self.numbers.clone());
        registry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::render;

    #[test]
    fn unknown_number_has_no_time_series() {
        let gauge = LabeledGauge::new("boats_blocked", "Number of blocked boats", "harbor");
        let registries = [Arc::new(gauge.registry())];
        gauge.set("docks", 3);
        assert!(render(&registries).contains("boats_blocked{harbor=\"docks\"} 3\n"));
        gauge.set_unknown("docks", "the harbor is closed");
        assert!(!render(&registries).contains("docks"));
    }

    #[test]
    fn only_changes_of_the_state_are_logged() {
        let gauge = LabeledGauge::new("boats_blocked", "Number of blocked boats", "harbor");
        assert!(!gauge.becomes_known("docks"));
        assert!(gauge.becomes_unknown("docks"));
        assert!(!gauge.becomes_unknown("docks"));
        assert!(gauge.becomes_unknown("pier"));
        assert!(gauge.becomes_known("docks"));
        assert!(!gauge.becomes_known("docks"));
        assert!(gauge.becomes_unknown("docks"));
    }
}
