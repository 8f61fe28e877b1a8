//! Tests of `portolan health --watch`.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{harbor, health};
use crate::program::portolan;
use crate::serving::{ANY_PORT, Resolver as Server};

/// The maximum time to wait for an expected line.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running watch. Dropping this value kills the process.
struct Watch {
    child: Child,
    rows: Receiver<String>,
    errors: Receiver<String>,
}

// === impl Watch ===

impl Watch {
    fn start(command: &mut Command) -> Self {
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("the watch must start");
        let rows = lines(child.stdout.take().expect("a pipe"));
        let errors = lines(child.stderr.take().expect("a pipe"));
        Self {
            child,
            rows,
            errors,
        }
    }

    /// Returns the next line of standard output.
    fn line(&mut self) -> String {
        let line = self.rows.recv_timeout(PATIENCE);
        line.expect("a row must come")
    }

    /// Returns the next line that contains all of these words. Skips all other lines.
    fn until(&mut self, words: &[&str]) -> String {
        loop {
            let line = self.line();
            if words.iter().all(|word| line.contains(word)) {
                return line;
            }
        }
    }

    /// Returns the next line of standard error.
    fn next_error(&mut self) -> String {
        let line = self.errors.recv_timeout(PATIENCE);
        line.expect("the watch must print an error")
    }

    fn stop(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("the process must run");
        self.child.wait().expect("it must end").code()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the lines of a pipe through a channel, so that a test can wait for a line with a
/// timeout.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

#[test]
fn prints_row_for_changed_file() {
    let folder = harbor("Failed").temp();
    let mut watch = Watch::start(&mut health(&folder, "--watch"));
    assert!(watch.line().starts_with("NAMESPACE   NAME "));
    watch.until(&["sub/ferry", " No ", "CsvFailed", "has failed"]);
    watch.until(&["catsrc/shop"]);
    harbor("Installing").write(&folder);
    watch.until(&["sub/ferry", " NotYet ", "CsvInstalling"]);
    assert_eq!(watch.stop(), Some(0));
}

#[test]
fn watches_only_named_operator() {
    let folder = harbor("Failed").temp();
    let mut watch = Watch::start(&mut health(&folder, "-w csv/ferry.v1.0.0"));
    watch.line();
    let first = watch.line();
    assert!(first.contains("sub/ferry"), "{first}");
    harbor("Installing").write(&folder);
    let second = watch.line();
    assert!(
        second.contains("sub/ferry") && second.contains(" NotYet "),
        "{second}"
    );
}

#[test]
fn follows_operator_without_its_subscription() {
    let folder = harbor("Failed").temp();
    let mut watch = Watch::start(&mut health(&folder, "-w csv/ferry.v1.0.0"));
    watch.until(&["sub/ferry", " No "]);
    std::fs::remove_file(folder.join("harbor/subscription-ferry.yaml")).expect("a file");
    watch.until(&["sub/ferry", " gone "]);
    watch.until(&["csv/ferry.v1.0.0", " No "]);
    harbor("Failed").write(&folder);
    watch.until(&["csv/ferry.v1.0.0", " gone "]);
    watch.until(&["sub/ferry", " No "]);
}

#[test]
fn reports_removed_catalog() {
    let folder = harbor("Failed").temp();
    let mut watch = Watch::start(&mut health(&folder, "-w catalog/shop"));
    watch.until(&["catsrc/shop"]);
    std::fs::remove_file(folder.join("olm/catalogsource-shop.yaml")).expect("a file");
    watch.until(&["catsrc/shop", " gone "]);
}

#[test]
fn prints_json_event_per_line() {
    let folder = harbor("Failed").temp();
    let mut watch = Watch::start(&mut health(&folder, "-w -o json"));
    let mut kinds = Vec::new();
    while kinds.last().map(String::as_str) != Some("synced") {
        let event: Value = serde_json::from_str(&watch.line()).expect("a line must be JSON");
        let known = ["operator", "catalog", "gone", "synced", "reset"];
        let kind = known.iter().find(|kind| !event[**kind].is_null());
        kinds.push(kind.expect("an event must be of a kind").to_string());
    }
    assert_eq!(kinds, ["operator", "catalog", "synced"]);
}

#[test]
fn closed_pipe_ends_watch() {
    let folder = harbor("Failed").temp();
    let (reader, writer) = std::io::pipe().expect("a pipe must open");
    let mut asked = health(&folder, "-w ferry");
    let child = asked.stdout(writer).stderr(Stdio::piped()).spawn();
    let child = child.expect("the watch must start");
    // Closes the copy of this pipe in the test process. Otherwise the output of the watch would
    // never end.
    drop(asked);
    let mut rows = BufReader::new(reader).lines();
    rows.next();
    drop(rows);
    harbor("Installing").write(&folder);
    let ended = child.wait_with_output().expect("it must end");
    assert_eq!((ended.status.code(), ended.stderr), (Some(0), Vec::new()));
}

#[test]
fn continues_on_another_server() {
    let folder = harbor("Failed").temp();
    let mut serving = portolan(&format!("serve health --world . {ANY_PORT}"));
    let server = Server::start(serving.current_dir(&*folder));
    let address = server.grpc.clone();
    let mut watch = Watch::start(&mut portolan(&format!(
        "health -w ferry --server {}",
        server.url()
    )));
    watch.line();
    watch.until(&["sub/ferry", " No "]);
    drop(server);
    let output = watch.next_error();
    assert!(
        output.starts_with("warning: the watch was interrupted ("),
        "{output}"
    );
    harbor("Installing").write(&folder);
    let mut serving = portolan(&format!(
        "serve health --world . --probes-listen 127.0.0.1:0 --listen {address}"
    ));
    let _server = Server::start(serving.current_dir(&*folder));
    assert_eq!(watch.next_error(), "The watch continues.");
    let next = watch.line();
    assert!(
        next.contains("sub/ferry") && next.contains(" NotYet "),
        "{next}"
    );
}
