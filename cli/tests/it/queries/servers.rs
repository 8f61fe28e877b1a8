//! Tests of `--queries` with a server that stops, restarts, or is not ready yet.

use std::io::{self, BufRead, BufReader};
use std::process::Stdio;

use portolan_kit::{TempFolder, assert_same};
use rustix::process::Signal;

use super::Piped;
use crate::program::{FERRY, portolan, transcript};
use crate::serving::{Resolver, ferry_resolver};

/// Arguments for a resolver whose catalog is never read, because no registry listens on port 1.
const STRANDED: &str = "--catalog demo=grpc://127.0.0.1:1 --probes-listen 127.0.0.1:0 --listen";

#[test]
fn continues_on_restarted_server() {
    let resolver = Resolver::start(&mut ferry_resolver());
    let address = resolver.grpc.clone();
    let mut command = portolan("upgrades --queries - --server");
    let mut piped = Piped::start(command.arg(resolver.url()));
    let question = r#"{"package":"ferry","installed":"ferry.v1.0.0"}"#;
    piped.ask(question);
    let answer = piped.answer();
    // The stream ends when the first server stops. The program sends the next query to the second
    // server.
    assert!(resolver.stop(Signal::TERM).status.success());
    let line =
        format!("serve resolver --catalog {FERRY} --probes-listen 127.0.0.1:0 --listen {address}");
    let _again = Resolver::start(&mut portolan(&line));
    piped.ask(question);
    assert_same!(piped.answer(), answer);
    assert_eq!(piped.end(), Some(0));
}

#[test]
fn lost_server_gives_exit_code_3() {
    let resolver = Resolver::start(&mut ferry_resolver());
    let mut command = portolan("upgrades --queries - --server");
    let mut piped = Piped::start(command.arg(resolver.url()).stderr(Stdio::null()));
    let question = r#"{"package":"ferry","installed":"ferry.v1.0.0"}"#;
    piped.ask(question);
    piped.answer();
    resolver.stop(Signal::TERM);
    piped.ask(question);
    assert_eq!(piped.end(), Some(3));
}

#[test]
fn retries_server_without_content() {
    let resolver = Resolver::start(&mut portolan(&format!(
        "serve resolver {STRANDED} 127.0.0.1:0"
    )));
    let address = resolver.grpc.clone();
    let mut command = portolan("upgrades --queries - --log portolan=debug --server");
    let command = command.arg(resolver.url()).stderr(Stdio::piped());
    let mut piped = Piped::start(command);
    piped.ask(r#"{"package":"ferry","installed":"ferry.v1.0.0"}"#);
    let log = piped
        .child
        .stderr
        .take()
        .expect("standard error must be a pipe");
    let mut log = BufReader::new(log).lines();
    let asks_again = |line: io::Result<String>| {
        line.expect("the log must be readable")
            .contains("sending the queries again")
    };
    assert!(log.any(asks_again), "the log must show a retry");
    resolver.stop(Signal::TERM);
    let line =
        format!("serve resolver --catalog {FERRY} --probes-listen 127.0.0.1:0 --listen {address}");
    let _again = Resolver::start(&mut portolan(&line));
    assert_eq!(piped.answer()["recommended"], "ferry.v1.2.0");
    assert_eq!(piped.end(), Some(0));
}

#[test]
fn server_without_content_gives_exit_code_3() {
    let resolver = Resolver::start(&mut portolan(&format!(
        "serve resolver {STRANDED} 127.0.0.1:0"
    )));
    let mut command = portolan("upgrades --server");
    let folder = TempFolder::empty();
    let file = folder.join("queries.jsonl");
    let question = r#"{"package":"ferry","installed":"ferry.v1.0.0"}"#;
    std::fs::write(&file, question).expect("the file must be written");
    let output = transcript(command.arg(resolver.url()).arg("--queries").arg(&file));
    let reason = "catalog demo could not be read: ";
    let start = format!("[stderr]\nerror: cannot query {}: {reason}", resolver.url());
    assert!(output.starts_with(&start), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

#[test]
fn unreachable_server_gives_exit_code_3() {
    let line = "upgrades --queries - --server http://127.0.0.1:1";
    let output = transcript(&mut portolan(line));
    assert!(
        output.starts_with("[stderr]\nerror: cannot query http://127.0.0.1:1: "),
        "{output}"
    );
    assert!(output.ends_with("[exit 3]"), "{output}");
}
