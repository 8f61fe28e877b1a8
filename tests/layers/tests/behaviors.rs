//! Holds `tests/behaviors.md` against the tests that it names: which of them keeps which behavior
//! of the established controller, and which of its defects is kept out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The behaviors are numbered 1 to this.
const BEHAVIORS: u32 = 125;
/// The defects are numbered D1 to this.
const DEFECTS: u32 = 24;

/// A row of the table.
#[derive(Debug)]
struct Row {
    number: String,
    kept_by: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rows() -> Vec<Row> {
    let table = fs::read_to_string(root().join("tests/behaviors.md")).expect("the table");
    let lines = table.lines().filter(|line| line.starts_with("| "));
    let rows = lines.skip(1).map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, _, kept_by] = cells[..] else {
            panic!("a row has a number, what it is about, and what keeps it: {line}");
        };
        Row {
            number: number.to_owned(),
            kept_by: kept_by.to_owned(),
        }
    });
    rows.collect()
}

/// The tests that a row names: "`name` in path", several with semicolons between them.
fn tests(kept_by: &str) -> Vec<(String, PathBuf)> {
    let all = kept_by.split("; ").map(|test| {
        let (name, file) = test
            .split_once(" in ")
            .unwrap_or_else(|| panic!("\"{test}\" is no \"`test` in file\""));
        (name.trim_matches('`').to_owned(), root().join(file))
    });
    all.collect()
}

#[test]
fn every_behavior_and_every_defect_has_a_row() {
    let numbers = (1..=BEHAVIORS).map(|number| number.to_string());
    let defects = (1..=DEFECTS).map(|number| format!("D{number}"));
    let wanted: Vec<_> = numbers.chain(defects).collect();
    let found: Vec<_> = rows().into_iter().map(|row| row.number).collect();
    assert_eq!(found, wanted);
}

#[test]
fn every_row_names_tests_that_there_are_or_why_there_is_none() {
    let mut missing = BTreeSet::new();
    for Row { number, kept_by } in rows() {
        let has_reason = ["superseded: ", "later: "]
            .iter()
            .any(|word| kept_by.len() > word.len() && kept_by.starts_with(word));
        if has_reason {
            continue;
        }
        for (name, file) in tests(&kept_by) {
            let text = fs::read_to_string(&file).unwrap_or_default();
            // A test is a function, or a story of a table of stories.
            let forms = [format!("fn {name}("), format!("\n    {name}: world(")];
            if !forms.iter().any(|form| text.contains(form)) {
                missing.insert(format!("{number}: {name} in {}", file.display()));
            }
        }
    }
    assert_eq!(missing, BTreeSet::new(), "no such tests");
}
