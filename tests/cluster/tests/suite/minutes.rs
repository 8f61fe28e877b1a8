//! Records how long each area of the suite uses a cluster. The gate adds up these times.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file with the record. Each test has one line: its area, its start and end in milliseconds,
/// and its path.
const RECORD: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/minutes.tsv");

thread_local! {
    /// The running test of this thread. Each test has its own thread, whose name is the path of the
    /// test.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

struct Running {
    path: String,
    began: u128,
}

/// Counts the current test for its area, from now until its thread ends.
pub(crate) fn begin() {
    let path = std::thread::current().name().unwrap_or_default().to_owned();
    RUNNING.with_borrow_mut(|running| {
        running.get_or_insert(Running { path, began: now() });
    });
}

fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_millis())
}

impl Drop for Running {
    fn drop(&mut self) {
        let Self { path, began } = self;
        let area = path.split("::").next().unwrap_or_default();
        let line = format!("{area}\t{began}\t{}\t{path}\n", now());
        let record = OpenOptions::new().create(true).append(true).open(RECORD);
        // Ignores an error: without the record, the gate shows no times, but the test passes.
        let _ = record.and_then(|mut record| record.write_all(line.as_bytes()));
    }
}
