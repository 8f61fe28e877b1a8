//! Checks that each cause of a diagnosis has a row in `tests/diagnoses.md`. The row names a test
//! that shows the cause. If the fix of the cause contains a command, the row also names a test that
//! runs this command.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portolan_layers::kept_by::{missing, rows, ungated};

/// Returns the causes that `docs/diagnose.md` lists.
fn causes() -> Vec<String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let page = fs::read_to_string(root.join("docs/diagnose.md")).expect("a page");
    let lines = page
        .lines()
        .skip_while(|line| !line.starts_with("| cause "));
    let table = lines.take_while(|line| line.starts_with('|')).skip(2);
    let causes = table.filter_map(|line| line.split('`').nth(1).map(str::to_owned));
    causes.collect()
}

#[test]
fn each_cause_names_an_existing_test() {
    let rows = rows("tests/diagnoses.md");
    let tested: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    assert_eq!(tested, causes());
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
    assert_eq!(ungated(&rows), BTreeSet::new(), "only ignored tests");
}
