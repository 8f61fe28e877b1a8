//! The metrics of the API server of Installed.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The metrics of the API server of Installed. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Metrics {
    requests: Family<RequestLabels, Counter>,
    refused: Family<RefusedLabels, Counter>,
    pub(crate) watches: Gauge,
    pub(crate) ends: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    verb: &'static str,
    code: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusedLabels {
    verb: &'static str,
    limit: &'static str,
}

// === impl Metrics ===

impl Metrics {
    pub(crate) fn new() -> (Self, Registry) {
        let metrics = Self::default();
        let mut registry = Registry::default();
        registry.register(
            "portolan_apiserver_requests",
            "Number of requests, by verb and status code",
            metrics.requests.clone(),
        );
        registry.register(
            "portolan_apiserver_refused",
            "Number of list and watch requests that were rejected, because the caller or the \
             server has reached a limit",
            metrics.refused.clone(),
        );
        registry.register(
            "portolan_apiserver_watches",
            "Number of open watches",
            metrics.watches.clone(),
        );
        registry.register(
            "portolan_apiserver_certificate_end_timestamp_seconds",
            "Expiry time of the serving certificate in Unix time; 0 before the first certificate, \
             and with --tls",
            metrics.ends.clone(),
        );
        (metrics, registry)
    }

    /// Counts a request that was rejected because a limit of the caller or of the server was
    /// reached.
    pub(crate) fn refused(&self, verb: &'static str, limit: &'static str) {
        let labels = RefusedLabels { verb, limit };
        self.refused.get_or_create(&labels).inc();
    }

    pub(crate) fn answered(&self, verb: &'static str, code: u16) {
        let labels = RequestLabels { verb, code };
        self.requests.get_or_create(&labels).inc();
    }
}
