//! Tests of traces: each process continues the trace of its client, and sends spans only if
//! environment variables request this.

mod collector;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::Command;

use portolan_kit::assert_same;
use rstest::rstest;
use rustix::process::Signal;

use self::collector::{Collector, span_lines};
use crate::program::{ferry_upgrades, portolan, run, transcript};
use crate::serving::{Resolver, ferry_resolver};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

const CLIENT: &str = "portolan-cli: upgrades < nothing";

#[test]
fn query_and_resolver_share_one_trace() {
    let collector = Collector::start();
    let resolver = Resolver::start(ferry_resolver().env(ENDPOINT, &collector.url));
    ask(upgrades_of(&resolver).env(ENDPOINT, &collector.url));
    assert!(resolver.stop(Signal::TERM).status.success());

    let spans = collector.spans();
    let server = "portolan-resolver: portolan.resolver.v1.Resolver/ListUpgrades < upgrades";
    assert_same!(span_lines(&spans), [CLIENT, server]);
    let traces: BTreeSet<_> = spans.iter().map(|sent| &sent.span.trace_id).collect();
    assert_eq!(traces.len(), 1, "{spans:#?}");
}

#[test]
fn sends_spans_before_query_ends() {
    let collector = Collector::start();
    ask(ferry_upgrades("--from ferry.v1.0.0").env(ENDPOINT, &collector.url));
    assert_same!(span_lines(&collector.spans()), [CLIENT]);
}

#[test]
fn traces_refused_query() {
    let collector = Collector::start();
    let mut refused = ferry_upgrades("--from ferry.v1.0.0 --channel stabel");
    assert!(transcript(refused.env(ENDPOINT, &collector.url)).ends_with("[exit 2]"));
    assert_same!(span_lines(&collector.spans()), [CLIENT]);
}

#[test]
fn sends_nothing_without_endpoint() {
    let collector = Collector::start();
    let resolver = Resolver::start(&mut ferry_resolver());
    ask(upgrades_of(&resolver).env(ENDPOINT, &collector.url));
    assert!(resolver.stop(Signal::TERM).status.success());
    assert_same!(span_lines(&collector.spans()), [CLIENT]);
}

#[test]
fn honors_traces_endpoint_and_service_name() {
    let collector = Collector::start();
    let mut asked = ferry_upgrades("--from ferry.v1.0.0");
    asked.env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &collector.url);
    asked.env("OTEL_SERVICE_NAME", "night-shift");
    ask(&mut asked);
    assert_same!(
        span_lines(&collector.spans()),
        ["night-shift: upgrades < nothing"]
    );
}

#[rstest]
#[case::the_sdk_is_disabled("OTEL_SDK_DISABLED", "true")]
#[case::no_exporter_is_chosen("OTEL_TRACES_EXPORTER", "none")]
#[case::the_endpoint_is_empty(ENDPOINT, "")]
fn export_can_be_turned_off(#[case] variable: &str, #[case] value: &str) {
    let collector = Collector::start();
    let mut asked = ferry_upgrades("--from ferry.v1.0.0");
    asked.env(ENDPOINT, &collector.url).env(variable, value);
    ask(&mut asked);
    assert_same!(span_lines(&collector.spans()), Vec::<String>::new());
}

#[test]
fn unreachable_collector_changes_no_answer() {
    let mut asked = ferry_upgrades("--from ferry.v1.0.0");
    let answered = run(asked.env(ENDPOINT, "http://127.0.0.1:1"));
    let expected = run(&mut ferry_upgrades("--from ferry.v1.0.0"));
    assert_eq!(answered.stdout, expected.stdout);
    assert!(answered.status.success());
}

#[test]
fn unresponsive_collector_delays_nothing() {
    let hanging = TcpListener::bind("127.0.0.1:0").expect("a port must be free");
    let address = hanging.local_addr();
    let url = format!(
        "http://{}",
        address.expect("the listener must have an address")
    );

    let mut asked = ferry_upgrades("--from ferry.v1.0.0 -o json");
    let answered = run(asked.env(ENDPOINT, &url));
    let expected = run(&mut ferry_upgrades("--from ferry.v1.0.0 -o json"));
    assert_eq!(answered.stdout, expected.stdout);
    assert!(answered.status.success());
    let warned = String::from_utf8_lossy(&answered.stderr);
    assert!(warned.contains("some spans were not sent"), "{warned}");

    let resolver = Resolver::start(ferry_resolver().env(ENDPOINT, &url));
    ask(&mut upgrades_of(&resolver));
    let ended = resolver.stop(Signal::TERM);
    assert!(ended.status.success());
}

#[test]
fn warns_about_invalid_endpoint() {
    let mut asked = ferry_upgrades("--from ferry.v1.0.0");
    let answered = run(asked.env(ENDPOINT, "a b"));
    assert!(answered.status.success());
    let warned = String::from_utf8_lossy(&answered.stderr);
    assert!(warned.contains("no traces are sent"), "{warned}");
}

#[test]
fn warns_about_unsupported_protocol() {
    let collector = Collector::start();
    let mut asked = ferry_upgrades("--from ferry.v1.0.0");
    asked.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    let answered = run(asked.env(ENDPOINT, &collector.url));
    assert!(answered.status.success());
    let warned = String::from_utf8_lossy(&answered.stderr);
    assert!(warned.contains("no traces are sent"), "{warned}");
    assert!(warned.contains("only `grpc` is supported"), "{warned}");
    assert_same!(span_lines(&collector.spans()), Vec::<String>::new());

    asked.env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc");
    ask(&mut asked);
    assert_same!(span_lines(&collector.spans()), [CLIENT]);
}

fn upgrades_of(resolver: &Resolver) -> Command {
    let line = "upgrades ferry --from ferry.v1.0.0 --server";
    let mut asked = portolan(line);
    asked.arg(resolver.url());
    asked
}

fn ask(command: &mut Command) {
    let output = run(command);
    assert!(output.status.success(), "{output:?}");
}
