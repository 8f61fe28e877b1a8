//! One question through two processes is one trace. Traces belong to a whole process, too.

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use portolan_contract::{Fake, LIST_UPGRADES, WATCH, ask, ended, served, within};
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::{LogFlags, Logs, client};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tracing::Instrument;

/// What was exported, as a backend would get it.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
}

#[tokio::test]
async fn a_call_is_a_child_of_what_called_it_and_nothing_else_is_exported() {
    let collector = Collector::default();
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port must be there");
    let address = listener
        .local_addr()
        .expect("a listener must have an address");
    let served = Server::builder()
        .add_service(TraceServiceServer::new(collector.clone()))
        .serve_with_incoming(TcpIncoming::from(listener));
    tokio::spawn(served);

    let process = tokio::task::spawn_blocking(move || traced(&format!("http://{address}")));

    let process = within(process).await.expect("the process must start");
    let log = String::from_utf8_lossy(&process.stderr);
    assert!(process.status.success(), "{log}");
    assert_eq!(
        collector.told(),
        [
            "grpc.health.v1.Health/Watch of nobody: Canceled",
            "portolan.resolver.v1.Resolver/ListUpgrades of question: OK",
            "question of nobody: ",
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the other test runs it in a process of its own"]
async fn a_process_that_is_traced() {
    let log = LogFlags {
        log: "error".to_owned(),
        log_format: None,
    };
    let logs = Logs::start(&log, "contract").expect("nobody else must have started logs");
    let running = served(Fake::default()).await;
    let connection =
        client::remote(&running.url(), Duration::from_secs(60)).expect("the address must be one");
    let mut client = ResolverClient::new(connection);
    let asked = client
        .list_upgrades(ask("ok"))
        .instrument(tracing::info_span!("question"));
    within(asked).await.expect("the call must be answered");
    let mut health = running.health();
    let watching = health.watch(HealthCheckRequest::default());
    drop(within(watching).await.expect("health must be served"));
    let (canceled, answered) = (ended(WATCH, "Canceled", 1), ended(LIST_UPGRADES, "OK", 1));
    running
        .counts("grpc_server_handled_total", &[canceled, answered])
        .await;
    running.stop();
    running.ended().await;
    drop(logs);
}

/// Runs the process that is traced, with traces sent to this address.
fn traced(collector: &str) -> Output {
    let this = std::env::current_exe().expect("a test must know its own file");
    Command::new(this)
        .args(["--ignored", "--exact", "a_process_that_is_traced"])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
        .output()
        .expect("a test must be able to run itself")
}

// === impl Collector ===

impl Collector {
    /// The name of each span, that of its parent in the same trace, and its code; in order.
    fn told(&self) -> Vec<String> {
        let spans = self.spans.lock().expect("no collector must panic");
        let names: BTreeMap<_, _> = spans
            .iter()
            .map(|span| ((&span.trace_id, &span.span_id), span.name.as_str()))
            .collect();
        let parent = |span: &Span| match span.parent_span_id.is_empty() {
            true => "nobody",
            false => names
                .get(&(&span.trace_id, &span.parent_span_id))
                .copied()
                .unwrap_or("a span that was not exported"),
        };
        let mut told: Vec<_> = spans
            .iter()
            .map(|span| format!("{} of {}: {}", span.name, parent(span), code(span)))
            .collect();
        told.sort();
        told
    }
}

fn code(span: &Span) -> &str {
    let code = span.attributes.iter().find(|it| it.key == "grpc_code");
    match code.and_then(|it| it.value.as_ref()?.value.as_ref()) {
        Some(Value::StringValue(code)) => code,
        _ => "",
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let exported = request.into_inner().resource_spans;
        let exported = exported
            .into_iter()
            .flat_map(|resource| resource.scope_spans);
        let mut spans = self.spans.lock().expect("no collector must panic");
        spans.extend(exported.flat_map(|scope| scope.spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}
