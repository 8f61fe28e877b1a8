//! The metrics of PolicyBindings.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Metrics that show for each PolicyBinding if it has an effect. Clones share the metrics.
#[derive(Debug, Clone, Default)]
pub struct BindingMetrics {
    broken: Family<BindingLabels, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BindingLabels {
    binding: String,
}

// === impl BindingMetrics ===

impl BindingMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "portolan_upgrade_policies_broken_bindings",
            "1 if a PolicyBinding has no effect, because it refers to an object that is missing or \
             cannot be read",
            self.broken.clone(),
        );
    }

    /// Sets the metric of a binding.
    pub(crate) fn is(&self, name: &str, is_broken: bool) {
        let broken = self.broken.get_or_create(&labels(name));
        broken.set(i64::from(is_broken));
    }

    /// Removes the metric of a deleted binding.
    pub(crate) fn forget(&self, name: &str) {
        self.broken.remove(&labels(name));
    }
}

fn labels(name: &str) -> BindingLabels {
    BindingLabels {
        binding: name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_binding_has_a_metric_until_it_is_deleted() {
        let (metrics, mut registry) = (BindingMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        metrics.is("weekends", false);
        metrics.is("nights", true);
        metrics.is("old", true);
        metrics.forget("old");
        let mut told = String::new();
        prometheus_client::encoding::text::encode(&mut told, &registry).expect("text");
        let name = "portolan_upgrade_policies_broken_bindings";
        let mut lines: Vec<_> = told.lines().filter(|it| it.starts_with(name)).collect();
        lines.sort_unstable();
        let expected = [("nights", 1), ("weekends", 0)];
        let expected =
            expected.map(|(binding, value)| format!("{name}{{binding=\"{binding}\"}} {value}"));
        assert_eq!(lines, expected);
    }
}
