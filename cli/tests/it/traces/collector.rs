//! A small OTLP server that collects spans.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::mpsc;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, Span};
use tokio::runtime::Runtime;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status, async_trait};

/// A running server. Dropping this value stops the server.
#[derive(Debug)]
pub(crate) struct Collector {
    _runtime: Runtime,
    received: mpsc::Receiver<ResourceSpans>,
    pub(crate) url: String,
}

/// A span, and the name of the service that sent it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) service: String,
    pub(crate) span: Span,
}

#[derive(Debug)]
struct Inbox(mpsc::Sender<ResourceSpans>);

// === impl Collector ===

impl Collector {
    pub(crate) fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime must start");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port must be free");
        let address = listener.local_addr();
        let address = address.expect("the listener must have an address");
        listener
            .set_nonblocking(true)
            .expect("the listener must be non-blocking");
        let (sender, received) = mpsc::channel();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener);
            let incoming = TcpListenerStream::new(listener.expect("the listener must move"));
            Server::builder()
                .add_service(TraceServiceServer::new(Inbox(sender)))
                .serve_with_incoming(incoming)
                .await
        });
        Self {
            _runtime: runtime,
            received,
            url: format!("http://{address}"),
        }
    }

    /// Returns the spans that were received so far. A process sends all of its spans before it
    /// exits.
    pub(crate) fn spans(&self) -> Vec<Sent> {
        let resources = self.received.try_iter();
        resources.flat_map(Sent::of).collect()
    }
}

// === impl Sent ===

impl Sent {
    fn of(resource: ResourceSpans) -> Vec<Self> {
        let attributes = resource.resource.unwrap_or_default().attributes;
        let service = attributes
            .into_iter()
            .find(|attribute| attribute.key == "service.name")
            .and_then(|attribute| match attribute.value?.value? {
                Value::StringValue(name) => Some(name),
                _ => None,
            });
        let service = service.expect("a resource must name its service");
        let spans = resource.scope_spans.into_iter().flat_map(|s| s.spans);
        spans
            .map(|span| Self {
                service: service.clone(),
                span,
            })
            .collect()
    }
}

// === impl Inbox ===

#[async_trait]
impl TraceService for Inbox {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            // Ignores an error: the test may have ended.
            let _ = self.0.send(resource);
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Returns one line for each span, sorted: `service: name < name of the parent`.
pub(crate) fn span_lines(spans: &[Sent]) -> Vec<String> {
    let names: BTreeMap<_, _> = spans
        .iter()
        .map(|sent| (&sent.span.span_id, sent.span.name.as_str()))
        .collect();
    let lines = spans.iter().map(|Sent { service, span }| {
        let parent = match names.get(&span.parent_span_id) {
            Some(name) => name,
            None if span.parent_span_id.is_empty() => "nothing",
            None => "a stranger",
        };
        format!("{service}: {} < {parent}", span.name)
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}
