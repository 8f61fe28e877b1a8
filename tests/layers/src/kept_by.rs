//! Reads tables of facts. Each row names the tests that check its fact.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    pub number: String,
    pub kept_by: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the rows of the table in this file.
pub fn rows(file: &str) -> Vec<Row> {
    let table = fs::read_to_string(root().join(file)).expect("the table");
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

/// Returns the tests that a row names but that do not exist.
pub fn missing<'a>(rows: impl IntoIterator<Item = &'a Row>) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    for Row { number, kept_by } in rows {
        for (name, file) in tests(kept_by) {
            let text = fs::read_to_string(&file).unwrap_or_default();
            if !is_test(&text, &name) {
                missing.insert(format!("{number}: {name} in {}", file.display()));
            }
        }
    }
    missing
}

/// Returns the rows whose tests are all ignored. Ignored tests do not run in the gate.
pub fn ungated<'a>(rows: impl IntoIterator<Item = &'a Row>) -> BTreeSet<String> {
    let is_ungated = |row: &&Row| {
        let tests = tests(&row.kept_by);
        let mut texts = tests
            .iter()
            .map(|(name, file)| (name, fs::read_to_string(file).unwrap_or_default()));
        !tests.is_empty() && texts.all(|(name, text)| is_ignored(&text, name))
    };
    let rows = rows.into_iter().filter(is_ungated);
    rows.map(|row| row.number.clone()).collect()
}

/// Returns the tests in a cell. A test has the form "`name` in path", and several tests are
/// separated by semicolons.
///
/// The cell may begin with a reason why the tests check the fact incompletely: "partly (reason): "
/// or "differs (reason): ". A cell that begins with "superseded: " or "later: " contains no tests.
fn tests(kept_by: &str) -> Vec<(String, PathBuf)> {
    let has_reason = |word: &&str| kept_by.len() > word.len() && kept_by.starts_with(*word);
    if ["superseded: ", "later: "].iter().any(has_reason) {
        return Vec::new();
    }
    let is_limited = ["partly (", "differs ("].iter().any(has_reason);
    let named = match kept_by.split_once("): ") {
        Some((_, named)) if is_limited => named,
        _ => kept_by,
    };
    let all = named.split("; ").map(|test| {
        let (name, file) = test
            .split_once(" in ")
            .unwrap_or_else(|| panic!("\"{test}\" is no \"`test` in file\""));
        (name.trim_matches('`').to_owned(), root().join(file))
    });
    all.collect()
}

/// Returns true if the text contains a test with this name. A test is a function with a test
/// attribute, or a row in a table of tests.
pub fn is_test(text: &str, name: &str) -> bool {
    let marks = ["#[test]", "#[tokio::test", "#[rstest]", "#[case::"];
    is_marked(text, name, &marks)
        || text.contains(&format!("\n    {name}: world("))
        || is_row(text, name)
}

/// Returns true if the text contains a `stories!` table with a row of this name.
fn is_row(text: &str, name: &str) -> bool {
    let table = text.split_once("\nstories! {\n").map(|(_, table)| table);
    table.is_some_and(|table| format!("\n{table}").contains(&format!("\n    {name}:")))
}

/// Returns true if the text contains a function with this name that only runs with `--ignored`.
pub fn is_ignored(text: &str, name: &str) -> bool {
    is_marked(text, name, &["#[ignore"])
}

/// Returns true if the function has an attribute that begins with one of the texts in `marks`.
fn is_marked(text: &str, name: &str, marks: &[&str]) -> bool {
    let function = format!("fn {name}(");
    text.match_indices(&function).any(|(at, _)| {
        // The attributes of a function are directly above it, without an empty line.
        let above = text[..at].rsplit("\n\n").next().unwrap_or_default();
        let mut lines = above.lines().map(str::trim_start);
        lines.any(|line| marks.iter().any(|mark| line.starts_with(mark)))
    })
}
