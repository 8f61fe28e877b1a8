//! Tables of what is kept by which tests.

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

/// The rows of the table in a file of the workspace.
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

/// The tests that rows name and that are not there. A row may say why there is none instead.
pub fn missing(rows: impl IntoIterator<Item = Row>) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    for Row { number, kept_by } in rows {
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
    missing
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

/// Whether a text has a test of that name: a function that is marked as one, or a story of a table
/// of stories.
pub fn is_test(text: &str, name: &str) -> bool {
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
