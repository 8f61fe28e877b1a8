//! W3C trace context in all gRPC calls, and OTLP export if the environment enables it.

use http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use thiserror::Error;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt};
use tracing_subscriber::filter::{Filtered, LevelFilter};
use tracing_subscriber::{Layer, Registry};

use crate::methods::Method;

pub(crate) type SpanLayer =
    Filtered<OpenTelemetryLayer<Registry, SdkTracer>, LevelFilter, Registry>;

/// The variables that enable the export, according to the OpenTelemetry specification. Setting one
/// of them is enough.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// The variables that set the protocol of the span exporter. The more specific variable comes
/// first.
const PROTOCOLS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
];

/// The reason why no spans are sent although the environment requests it.
#[derive(Debug, Error)]
pub(crate) enum StartTraces {
    /// The requested protocol is not supported. A collector for this protocol could not decode
    /// spans in another protocol.
    #[error("{variable} requests `{protocol}`, but only `grpc` is supported")]
    Protocol {
        variable: &'static str,
        protocol: String,
    },
    /// The exporter rejects the environment variables.
    #[error(transparent)]
    Build(#[from] ExporterBuildError),
}

/// Returns the exporter of spans. Returns None if the environment names no endpoint or disables the
/// export.
pub(crate) fn provider(process: &'static str) -> Result<Option<SdkTracerProvider>, StartTraces> {
    let asked = ENDPOINTS
        .iter()
        .any(|name| std::env::var(name).is_ok_and(|url| !url.is_empty()));
    let is = |name: &str, value: &str| {
        std::env::var(name).is_ok_and(|found| found.eq_ignore_ascii_case(value))
    };
    if !asked || is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
        return Ok(None);
    }
    only_grpc()?;
    let exporter = SpanExporter::builder().with_tonic().build()?;
    let mut resource = Resource::builder();
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name(format!("portolan-{process}"));
    }
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build();
    Ok(Some(provider))
}

fn only_grpc() -> Result<(), StartTraces> {
    let set = |variable: &&'static str| {
        let protocol = std::env::var(variable).ok().filter(|it| !it.is_empty())?;
        Some((*variable, protocol))
    };
    match PROTOCOLS.iter().find_map(set) {
        Some((variable, protocol)) if protocol != "grpc" => {
            Err(StartTraces::Protocol { variable, protocol })
        }
        _ => Ok(()),
    }
}

/// Returns the layer that exports only the spans of this program. Spans of libraries are filtered
/// out by their lower level. HTTP/2 alone has about a hundred spans for each call. The connection
/// of the exporter would also cause spans.
pub(crate) fn layer(provider: &SdkTracerProvider, process: &'static str) -> SpanLayer {
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer(process))
        .with_filter(LevelFilter::INFO)
}

/// Returns the trace context that the caller has sent in the headers of a call.
pub(crate) fn caller(headers: &HeaderMap) -> Context {
    TraceContextPropagator::new().extract(&Headers(headers))
}

/// Returns the span of a served call. If the caller has sent a span, that span is the parent.
/// Health calls have no spans, because their streams last as long as the connection.
pub(crate) fn server_span(method: &Method, caller: Context) -> Span {
    if !method.counts {
        return Span::none();
    }
    let span = tracing::info_span!(
        "call",
        otel.name = %format_args!("{}/{}", method.service, method.name),
        otel.kind = "server",
        rpc.system = "grpc",
        rpc.service = %method.service,
        rpc.method = %method.name,
        grpc_code = Empty,
    );
    // Setting the parent fails only if no span is recorded. Then no parent is needed.
    let _ = span.set_parent(caller);
    span
}

/// Adds the context of the current span to the headers of a call. In a process that records no
/// spans, adds the context that came with the served call, so that the trace is not interrupted.
pub(crate) fn inject(headers: &mut HeaderMap) {
    let own = Span::current().context();
    let context = if own.has_active_span() {
        own
    } else {
        Context::current()
    };
    TraceContextPropagator::new().inject_context(&context, &mut HeadersMut(headers));
}

struct Headers<'a>(&'a HeaderMap);

struct HeadersMut<'a>(&'a mut HeaderMap);

// === impl Headers ===

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

// === impl HeadersMut ===

impl Injector for HeadersMut<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(name), Ok(value)) = (http::HeaderName::try_from(key), value.try_into()) {
            self.0.insert(name, value);
        }
    }
}
