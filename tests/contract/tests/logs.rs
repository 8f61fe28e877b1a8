//! Tests the log line of a handler that panics.

use std::process::Command;

use serde_json::{Value, json};

#[test]
fn panic_is_logged_on_one_line_with_its_location() {
    let process = Command::new(env!("CARGO_BIN_EXE_panicking"))
        .output()
        .expect("the process must start");
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
