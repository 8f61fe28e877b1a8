//! Tests of `portolan up`, which runs all processes in one process, with the sample world.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use insta::assert_snapshot;
use portolan_kit::{TempFolder, assert_same};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program::{portolan, run, transcript};
use crate::serving::ANY_PORT;

/// A running `portolan up`. Dropping this value kills the process.
struct Up {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The address of the gRPC server.
    grpc: String,
}

impl Up {
    /// Starts `portolan up` with a folder, and waits until it has printed its first output.
    fn on(world: &Path) -> Self {
        let line = format!("up --world {} {ANY_PORT} --log info", world.display());
        let mut command = portolan(&line);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = log.lines().map_while(Result::ok);
        let listening = lines.find_map(|line| {
            let line: Value = serde_json::from_str(&line).ok()?;
            Some(line["grpc"].as_str()?.to_owned())
        });
        let is_last = |line: &String| line.starts_with("Nothing is written.");
        assert!(
            lines.any(|line| is_last(&line)),
            "it must print its address"
        );
        // Reads all further output, because the program would block if the pipe were full.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            stdout,
            grpc: listening.expect("an address"),
        }
    }

    /// Reads lines until a line begins with `start`, and returns this line.
    fn until(&mut self, start: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).expect("a text");
            assert!(read > 0, "the output ended before {start}");
            if line.starts_with(start) {
                return line;
            }
        }
    }

    fn stop(mut self) -> Option<i32> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process"), Signal::TERM).expect("a signal");
        self.child.wait().expect("an end").code()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a copy of the sample world that a test may change.
pub(crate) fn demo() -> TempFolder {
    let world = TempFolder::empty();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/demo");
    copy(&from, &world);
    world
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            fs::create_dir(&to).expect("a folder");
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).expect("a copy");
        }
    }
}

#[test]
fn once_prints_same_as_explain() {
    let once = run(&mut portolan("up --once"));
    let explained = run(&mut portolan("explain --world deploy/demo"));
    assert_same!(
        String::from_utf8_lossy(&once.stdout),
        String::from_utf8_lossy(&explained.stdout)
    );
    assert_eq!(once.status.code(), Some(1));
}

#[test]
fn follows_changed_files_and_serves_every_service() {
    let world = demo();
    let mut up = Up::on(&world);
    let row = up.until("policies    tug");
    assert_eq!(row.split_whitespace().nth(2), Some("Compliant"), "{row}");

    let policy = world.join("policies/tug.yaml");
    let text = fs::read_to_string(&policy).expect("a file");
    let wider = text.replace("[tug.v2.0.0]", "[tug.v2.0.0, tug.v2.1.0]");
    fs::write(&policy, wider).expect("a file");
    up.until("Changed:");
    let row = up.until("policies    tug");
    assert_eq!(row.split_whitespace().last(), Some("1"), "{row}");

    fs::remove_file(world.join("policies/barge.yaml")).expect("a file");
    up.until("policies/barge is gone");

    // A diagnosis server lists no Operators of the group operators.operatorframework.io.
    for query in [
        "diagnose -n tugs",
        "review",
        "health",
        "upgrades",
        "upgrades tug",
        "path tug",
        "route tug",
        "resolve tug@>=0.0.1",
        "resolve lighthouse",
    ] {
        let server = format!("{query} --server http://{}", up.grpc);
        let folder = format!("{query} --world {}", world.display());
        let [asked, read] = [server, folder].map(|line| transcript(&mut portolan(&line)));
        assert_same!(asked, read);
    }
    assert_eq!(up.stop(), Some(0));
}

#[test]
fn copies_and_removes_sample_world_outside_repository() {
    let (elsewhere, temporary) = (TempFolder::empty(), TempFolder::empty());
    let mut command = portolan("up --once");
    let command = command
        .current_dir(&elsewhere)
        .env("TMPDIR", temporary.as_ref());
    let output = run(command);
    let here = run(&mut portolan("up --once"));
    let text = |output: &[u8]| String::from_utf8_lossy(output).into_owned();
    assert_same!(text(&output.stdout), text(&here.stdout));
    let note = text(&output.stderr);
    assert!(note.contains("a copy of the sample objects in"), "{note}");
    let left = std::fs::read_dir(&temporary).expect("a folder").count();
    assert_eq!(left, 0, "the copy is removed");
}

#[test]
fn enforce_requires_named_cluster() {
    assert_snapshot!(transcript(&mut portolan("up --enforce")), @r"
    [stderr]
    error: --enforce writes to a cluster; select the cluster with --context NAME or --kubeconfig FILE
    [exit 2]
    ");
}

#[test]
fn enforce_names_the_current_context() {
    let folder = TempFolder::empty();
    let file = folder.join("kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: kind-prod\n";
    std::fs::write(&file, text).expect("a file");
    let printed = transcript(portolan("up --enforce").env("KUBECONFIG", &file));
    assert_snapshot!(printed, @r"
    [stderr]
    error: --enforce writes to a cluster; select the cluster with --context NAME or --kubeconfig FILE; for the current context, use --context kind-prod
    [exit 2]
    ");
}

#[test]
fn allow_apply_requires_named_cluster() {
    assert_snapshot!(transcript(&mut portolan("up --allow-apply")), @r"
    [stderr]
    error: --allow-apply requires a cluster, but the sample objects are files; select a cluster with --context NAME or --kubeconfig FILE
    [exit 2]
    ");
    let of_files = transcript(&mut portolan("up --world deploy/demo --allow-apply"));
    assert!(of_files.contains("cannot be used with"), "{of_files}");
    assert!(of_files.ends_with("[exit 2]"), "{of_files}");
}
