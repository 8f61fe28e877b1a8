//! Gauges that a service adds to the metrics of its calls.

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
        }
    }

    /// Sets the number for a value of the label.
    pub fn set(&self, value: &str, number: usize) {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.numbers.get_or_create(&self.labels(value)).set(number);
    }

    /// Removes the number for a value of the label, because the number is unknown now.
    pub fn remove(&self, value: &str) {
        self.numbers.remove(&self.labels(value));
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
    use std::sync::Arc;

    use super::*;
    use crate::metrics::render;

    #[test]
    fn unknown_number_has_no_time_series() {
        let gauge = LabeledGauge::new("boats_blocked", "Number of blocked boats", "harbor");
        let registries = [Arc::new(gauge.registry())];
        gauge.set("docks", 3);
        assert!(render(&registries).contains("boats_blocked{harbor=\"docks\"} 3\n"));
        gauge.remove("docks");
        assert!(!render(&registries).contains("docks"));
    }
}
