//! The metrics of calls, with the names that common gRPC dashboards use.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tonic::Code;

use crate::methods::Method;

/// The buckets of call durations in seconds. The smallest fits a read of a cached Snapshot. The
/// largest fits a call that is far too slow.
const BUCKETS: [f64; 11] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0,
];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct MethodLabels {
    grpc_service: String,
    grpc_method: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct HandledLabels {
    grpc_service: String,
    grpc_method: String,
    grpc_code: &'static str,
}

type Histograms = Family<MethodLabels, Histogram, fn() -> Histogram>;

/// The metrics of all calls of a process.
#[derive(Debug)]
pub(crate) struct CallMetrics {
    registry: Arc<Registry>,
    started: Family<MethodLabels, Counter>,
    handled: Family<HandledLabels, Counter>,
    in_flight: Family<MethodLabels, Gauge<i64, AtomicI64>>,
    seconds: Histograms,
}

// === impl CallMetrics ===

impl CallMetrics {
    pub(crate) fn new() -> Self {
        let started = Family::<MethodLabels, Counter>::default();
        let handled = Family::<HandledLabels, Counter>::default();
        let in_flight = Family::<MethodLabels, Gauge<i64, AtomicI64>>::default();
        let seconds = Histograms::new_with_constructor(|| Histogram::new(BUCKETS));
        let mut registry = Registry::default();
        registry.register(
            "grpc_server_started",
            "Number of calls that have started",
            started.clone(),
        );
        registry.register(
            "grpc_server_handled",
            "Number of calls that have ended, by status code",
            handled.clone(),
        );
        registry.register(
            "grpc_server_in_flight",
            "Number of calls in progress",
            in_flight.clone(),
        );
        registry.register(
            "grpc_server_handling_seconds",
            "Duration of calls in seconds",
            seconds.clone(),
        );
        Self {
            registry: Arc::new(registry),
            started,
            handled,
            in_flight,
            seconds,
        }
    }

    pub(crate) fn begin(&self, method: &Method) -> MethodLabels {
        let labels = MethodLabels {
            grpc_service: method.service.clone(),
            grpc_method: method.name.clone(),
        };
        self.started.get_or_create(&labels).inc();
        self.in_flight.get_or_create(&labels).inc();
        labels
    }

    pub(crate) fn end(&self, labels: &MethodLabels, code: Code, took: Duration) {
        let handled = HandledLabels {
            grpc_service: labels.grpc_service.clone(),
            grpc_method: labels.grpc_method.clone(),
            grpc_code: code_name(code),
        };
        self.handled.get_or_create(&handled).inc();
        self.in_flight.get_or_create(labels).dec();
        self.seconds
            .get_or_create(labels)
            .observe(took.as_secs_f64());
    }

    /// Returns the registry of all metrics.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        self.registry.clone()
    }
}

/// Returns all metrics in the OpenMetrics text format.
pub(crate) fn render(registries: &[Arc<Registry>]) -> String {
    let mut text = String::new();
    for registry in registries {
        encode_registry(&mut text, registry).expect("writing to a String must not fail");
    }
    encode_eof(&mut text).expect("writing to a String must not fail");
    text
}

/// Returns the name of a code as gRPC's own metrics write it.
pub(crate) fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}
