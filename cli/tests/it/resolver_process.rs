//! Tests of the process `portolan serve resolver`: its start, its logs, its stop, and signals.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::program::{FERRY, portolan, transcript};
use crate::serving::{Resolver, ferry_resolver};

#[rstest]
#[case::from_an_orchestrator(Signal::TERM)]
#[case::from_a_keyboard(Signal::INT)]
fn signal_drains_and_stops_resolver(#[case] signal: Signal) {
    let ended = Resolver::start(&mut ferry_resolver()).stop(signal);
    let mut messages = ended.messages();
    // The program reads its catalogs and opens its port at the same time, so the order of these
    // messages varies.
    messages[..2].sort();
    assert_eq!(
        (ended.status.code(), messages),
        (
            Some(0),
            vec!["catalog read", "listening", "draining", "stopped"]
        )
    );
}

#[test]
fn stops_cleanly_if_log_is_closed() {
    let resolver = Resolver::start(&mut ferry_resolver());
    assert_eq!(resolver.stop_unread().code(), Some(0));
}

#[test]
fn becomes_ready_after_reading_catalogs() {
    let resolver = Resolver::start(&mut ferry_resolver());
    assert!(resolver.probe("/readyz").ends_with("\r\n\r\nok\n"));
    assert!(resolver.probe("/livez").ends_with("\r\n\r\nok\n"));
}

#[test]
fn names_flag_of_grpc_port_in_use() {
    let first = Resolver::start(&mut ferry_resolver());
    let line = format!("serve resolver --catalog {FERRY} --probes-listen 127.0.0.1:0 --listen");
    let output = transcript(portolan(&line).arg(&first.grpc));
    assert_snapshot!(output.replace(&first.grpc, "ADDRESS"), @r#"
    [stderr]
    error: cannot listen on ADDRESS (--listen); if the port is in use, choose another address or port 0: Address already in use (os error 98)
    [exit 3]
    "#);
}

#[test]
fn names_flag_of_probe_port_in_use() {
    let first = Resolver::start(&mut ferry_resolver());
    let line = format!("serve resolver --catalog {FERRY} --listen 127.0.0.1:0 --probes-listen");
    let output = transcript(portolan(&line).arg(&first.probes));
    assert_snapshot!(output.replace(&first.probes, "ADDRESS"), @r#"
    [stderr]
    error: cannot listen on ADDRESS (--probes-listen); if the port is in use, choose another address or port 0: Address already in use (os error 98)
    [exit 3]
    "#);
}

#[test]
fn reads_settings_from_environment() {
    let mut command = portolan("serve resolver");
    command.env(
        "PORTOLAN_CATALOG",
        format!("{FERRY},twin=tests/fixtures/catalogs"),
    );
    command.env("PORTOLAN_LISTEN", "127.0.0.2:0");
    command.env("PORTOLAN_PROBES_LISTEN", "127.0.0.3:0");
    command.env("PORTOLAN_DRAIN_TIMEOUT", "1h 30m");
    command.env("PORTOLAN_MAX_MESSAGE_BYTES", "10");
    command.env("PORTOLAN_LOG", "info,portolan_shell::call=debug");
    command.env("PORTOLAN_LOG_FORMAT", "json");
    let resolver = Resolver::start(&mut command);
    assert!(resolver.grpc.starts_with("127.0.0.2:"), "{resolver:?}");
    assert!(resolver.probes.starts_with("127.0.0.3:"), "{resolver:?}");

    let mut asked = portolan("upgrades --in twin ferry --from ferry.v1.0.0");
    let refused = transcript(asked.env("PORTOLAN_SERVER", resolver.url()));
    assert!(refused.contains("accepts at most 10;"), "{refused}");

    let ended = resolver.stop(Signal::TERM);
    let of = |message: &str, field: &str| -> Vec<Value> {
        let lines = ended.log.iter().filter(|line| line["message"] == message);
        lines.map(|line| line[field].clone()).collect()
    };
    let mut read = of("catalog read", "catalog");
    // The order in which catalogs are read varies.
    read.sort_by_key(Value::to_string);
    assert_eq!(read, [json!("demo"), json!("twin")]);
    assert_eq!(of("call ended", "grpc_code"), [json!("ResourceExhausted")]);
    assert_eq!(of("draining", "timeout"), [json!("5400s")]);
}

#[test]
fn flag_overrides_environment_variable() {
    let mut command = ferry_resolver();
    command.env("PORTOLAN_LISTEN", "nonsense");
    command.env("PORTOLAN_CATALOG", "other=./nowhere");
    let resolver = Resolver::start(&mut command);
    assert!(resolver.grpc.starts_with("127.0.0.1:"), "{resolver:?}");
}

#[test]
fn names_flag_of_invalid_variable() {
    let line = format!("serve resolver --catalog {FERRY}");
    let output = transcript(portolan(&line).env("PORTOLAN_CALL_TIMEOUT", "soon"));
    assert_snapshot!(output, @r#"
    [stderr]
    error: invalid value 'soon' for '--call-timeout <DURATION>': `soon` is not a duration such as 500ms, 30s or 1h30m

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn both_log_formats_have_the_same_fields() {
    let mut machines: Vec<_> = whole_log("json").iter().map(|l| json_fields(l)).collect();
    let mut people: Vec<_> = whole_log("pretty")
        .iter()
        .map(|l| pretty_fields(l))
        .collect();
    // The program reads its catalogs and opens its port at the same time, so the order of these
    // messages varies.
    machines[..2].sort();
    people[..2].sort();
    assert_eq!(people, machines);
    let read = ["catalog", "digest", "faults", "packages"];
    let expected: [&[&str]; 4] = [&read, &["grpc", "probes", "tls"], &["timeout"], &[]];
    assert_eq!(machines, expected);
}

/// Returns the lines that one process logs from its start to its stop.
fn whole_log(format: &str) -> Vec<String> {
    let mut child = ferry_resolver()
        .args(["--log-format", format])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the resolver must start");
    let stderr = child.stderr.take().expect("standard error must be a pipe");
    let mut log = Vec::new();
    for line in BufReader::new(stderr).lines() {
        let line = line.expect("the log must be readable");
        if line.contains("catalog read") {
            kill_process(Pid::from_child(&child), Signal::TERM).expect("the process must run");
        }
        log.push(line);
    }
    child.wait().expect("the resolver must end");
    log
}

/// Returns the names of the fields of the logged event.
fn json_fields(line: &str) -> Vec<String> {
    let line: Value = serde_json::from_str(line).expect("a line of the log must be JSON");
    let fields = line
        .as_object()
        .expect("a line of the log must be an object");
    let common = ["timestamp", "level", "target", "message"];
    let own = fields
        .keys()
        .filter(|name| !common.contains(&name.as_str()));
    let mut names: Vec<_> = own.cloned().collect();
    names.sort();
    names
}

/// Returns the names of the fields in a line of the format `time LEVEL target: message name=value
/// ...`.
fn pretty_fields(line: &str) -> Vec<String> {
    let fields = line.split(' ').filter_map(|word| word.split_once('='));
    let mut names: Vec<_> = fields.map(|(name, _)| name.to_owned()).collect();
    // The fields of a JSON object have no order.
    names.sort();
    names
}
