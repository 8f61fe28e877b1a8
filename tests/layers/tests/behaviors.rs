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
            if !is_test(&text, &name) {
                missing.insert(format!("{number}: {name} in {}", file.display()));
            }
        }
    }
    assert_eq!(missing, BTreeSet::new(), "no such tests");
}

/// Whether a text has a test of that name: a function that is marked as one, or a story of a table
/// of stories.
fn is_test(text: &str, name: &str) -> bool {
    let marks = ["#[test]", "#[tokio::test", "#[rstest]"];
    let function = format!("fn {name}(");
    let is_marked = text.match_indices(&function).any(|(at, _)| {
        // What marks a function is above it, and no line of that is empty.
        let above = text[..at].rsplit("\n\n").next().unwrap_or_default();
        let mut lines = above.lines().map(str::trim_start);
        lines.any(|line| marks.iter().any(|mark| line.starts_with(mark)))
    });
    is_marked || text.contains(&format!("\n    {name}: world("))
}

#[test]
fn what_is_no_test_keeps_nothing() {
    let text = "\
/// A test builder.
fn plan(name: &str) {}

#[rstest]
#[case::one(
    1
)]
fn a_number(#[case] one: u32) {}

fn helper_of_a_number() {}

#[tokio::test]
async fn a_story() {}

stories! {
    a_row: world(\"\") => \"\";
}
";
    let names = [
        "plan",
        "a_number",
        "number",
        "helper_of_a_number",
        "a_story",
        "a_row",
        "story",
    ];
    let tests: Vec<_> = names
        .into_iter()
        .filter(|name| is_test(text, name))
        .collect();
    assert_eq!(tests, ["a_number", "a_story", "a_row"]);
}
