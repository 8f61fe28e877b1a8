//! What a panic leaves in the log. Logs belong to a whole process, so there is one for them.

use std::process::Command;

use portolan_contract::{Fake, served};
use portolan_shell::{LogFlags, LogFormat, Logs};
use serde_json::{Value, json};
use tonic::Code;

#[test]
fn a_panic_is_one_line_that_names_its_place() {
    let this = std::env::current_exe().expect("a test must know its own file");
    let process = Command::new(this)
        .args(["--ignored", "--exact", "a_process_that_logs_a_panic"])
        .output()
        .expect("a test must be able to run itself");
    let lines = String::from_utf8(process.stderr).expect("a log must be text");
    assert!(process.status.success(), "{lines}");
    let mut lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line of a log must be JSON"))
        .collect();
    for line in &mut lines {
        let line = line.as_object_mut().expect("a line must be an object");
        line.remove("timestamp").expect("a line must have a time");
        let place = line.remove("place").expect("a panic must have a place");
        let place = place.as_str().expect("a place must be text");
        assert!(place.starts_with("tests/contract/src/fake.rs:"), "{place}");
    }
    let panicked = json!({
        "level": "ERROR",
        "target": "portolan_shell::logs",
        "message": "panicked",
        "error": "the fake was asked to panic",
    });
    assert_eq!(lines, [panicked]);
}

#[tokio::test]
#[ignore = "the other test runs it in a process of its own"]
async fn a_process_that_logs_a_panic() {
    let log = LogFlags {
        log: "error".to_owned(),
        log_format: Some(LogFormat::Json),
    };
    let _logs = Logs::start(&log, "contract").expect("nobody else must have started logs");
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let end = raw.ask("panic", None).await;
    assert_eq!(end.code, Code::Internal);
}
