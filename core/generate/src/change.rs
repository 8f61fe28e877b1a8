//! The changes, for people and for programs.

use std::collections::BTreeMap;

use portolan_core_names::Version;
use serde::Serialize;

/// The change of one Operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub name: String,
    /// The version to come; None if the Operator goes.
    pub version: Option<String>,
    /// The version before; None if the Operator is new, or has none yet.
    pub previous: Option<String>,
    /// The versions in between, the lowest first.
    pub available: Vec<String>,
}

const HEADINGS: [&str; 4] = ["Name", "Version", "Previous", "Available"];
/// The sign for nothing.
const NOTHING: &str = "-";

/// Changes as a table.
pub fn table(changes: &[Change]) -> String {
    let rows = changes.iter().map(|change| {
        let version = |version: &Option<String>| match version {
            Some(version) => version.clone(),
            None => NOTHING.to_owned(),
        };
        let available = match change.available.join(", ") {
            none if none.is_empty() => NOTHING.to_owned(),
            some => some,
        };
        [
            change.name.clone(),
            version(&change.version),
            version(&change.previous),
            available,
        ]
    });
    let rows: Vec<_> = [HEADINGS.map(str::to_owned)]
        .into_iter()
        .chain(rows)
        .collect();
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for row in &rows {
        for (at, cell) in row.iter().enumerate() {
            let width = widths.entry(at).or_default();
            *width = (*width).max(cell.chars().count());
        }
    }
    let lines = rows.iter().map(|row| line(row, &widths));
    let lines: Vec<String> = lines.collect();
    let longest = lines.iter().map(|line| line.chars().count()).max();
    let rule = "-".repeat(longest.unwrap_or_default());
    let (head, rest) = lines.split_at(1);
    let all = head.iter().chain([&rule]).chain(rest);
    all.map(|line| format!("{line}\n")).collect()
}

fn line(row: &[String; 4], widths: &BTreeMap<usize, usize>) -> String {
    let cells = row.iter().enumerate();
    let cells = cells.map(|(at, cell)| {
        let width = widths.get(&at).copied().unwrap_or_default();
        format!("{cell:width$}")
    });
    let cells: Vec<_> = cells.collect();
    cells.join("   ").trim_end().to_owned()
}

/// The versions strictly between two, the lowest first.
pub(crate) fn between<'v>(
    versions: impl IntoIterator<Item = &'v Version>,
    from: Option<&Version>,
    to: &Version,
) -> Vec<String> {
    let Some(from) = from else {
        return Vec::new();
    };
    let mut between: Vec<_> = versions
        .into_iter()
        .filter(|version| *version > from && *version < to)
        .collect();
    between.sort();
    between.into_iter().map(ToString::to_string).collect()
}
