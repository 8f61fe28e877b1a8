//! The changes of Operators, as a table for users and as data for programs.

use std::collections::BTreeMap;

use portolan_core_names::Version;
use portolan_core_names::text::one_line;
use portolan_core_operator::{CrdComparison, UnsafeUpdate};
use serde::Serialize;

use crate::owner::PackageOwner;

/// The change of one Operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub name: String,
    /// The new version. None if the Operator is deleted.
    pub version: Option<String>,
    /// The previous version. None if the Operator is new, or if its version is unknown.
    pub previous: Option<String>,
    /// The intermediate versions, lowest first.
    pub available: Vec<String>,
    /// The range in `spec.version`, if the new version replaces a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_range: Option<String>,
    /// The object with which another installer manages the package. While this object exists, the
    /// Operator installs nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<PackageOwner>,
    /// The bundles on the path of the Operator. None if the Operator is removed.
    #[serde(skip)]
    pub path: Option<BundlePath>,
    /// The unsafe changes of CRDs on this path. Empty until the caller has compared the CRDs.
    #[serde(flatten)]
    pub crds: CrdComparison,
}

/// The bundles on the path of an Operator, from the installed bundle to the new version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundlePath {
    pub catalog: String,
    pub package: String,
    /// The installed bundle. None if no bundle is installed.
    pub installed: Option<String>,
    pub bundles: Vec<String>,
}

const HEADINGS: [&str; 4] = ["Name", "Version", "Previous", "Available"];
/// The text in an empty cell of the table.
const NOTHING: &str = "-";

// === impl Change ===

impl Change {
    /// Returns a sentence for each update that waits until a user accepts its CRD changes. Each
    /// sentence comes with lines: one for each change, and one for the remedy.
    pub fn unsafe_updates(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        self.crds.unsafe_updates.iter().map(|update| {
            let UnsafeUpdate { bundle, .. } = update;
            let these = match update.count() {
                1 => "this unsafe change of a CRD is accepted".to_owned(),
                count => format!("{count} unsafe changes of CRDs are accepted"),
            };
            let sentence = format!("{} is not upgraded to {bundle} until {these}", self.name);
            let mut lines = update.lines();
            lines.push(update.remedy(&self.name));
            (sentence, lines)
        })
    }

    /// Returns a sentence about why the CRDs on the path are not compared. Returns None if they are
    /// compared.
    pub fn not_compared(&self) -> Option<String> {
        let why = self.crds.not_compared.as_ref()?;
        Some(format!("the CRDs of {} are not compared: {why}", self.name))
    }

    /// Returns the previous version. If the new version replaces a range, the range follows in
    /// parentheses.
    fn before(&self) -> Option<String> {
        match (&self.previous, &self.replaced_range) {
            (Some(previous), Some(range)) if previous != range => {
                Some(format!("{previous} ({range})"))
            }
            (previous, _) => previous.clone(),
        }
    }
}

/// Returns the changes as a table, followed by messages about CRDs.
pub fn report(changes: &[Change]) -> String {
    let mut text = table(changes);
    for change in changes {
        for (sentence, lines) in change.unsafe_updates() {
            text += &format!("\n{}:\n", one_line(&sentence));
            // The author of the CRD chose the names in these lines. They may contain control
            // characters, so each is printed on one line.
            text.extend(lines.iter().map(|line| format!("  {}\n", one_line(line))));
        }
        let not_compared = change.not_compared();
        text.extend(not_compared.map(|sentence| format!("\n{}\n", one_line(&sentence))));
    }
    text
}

/// Returns the changes as a table.
fn table(changes: &[Change]) -> String {
    let rows = changes.iter().map(|change| {
        let version = |version: Option<String>| version.unwrap_or_else(|| NOTHING.to_owned());
        let available = match change.available.join(", ") {
            none if none.is_empty() => NOTHING.to_owned(),
            some => some,
        };
        [
            change.name.clone(),
            version(change.version.clone()),
            version(change.before()),
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

/// Returns the versions between `from` and `to`, without these two versions. The lowest version is
/// first.
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

#[cfg(test)]
mod tests {
    use portolan_api::operator::CrdChange;

    use super::*;

    #[test]
    fn report_escapes_text_of_crd_authors() {
        let change = CrdChange {
            crd: "ships\u{1b}[31m\n.example".to_owned(),
            check: "scope".to_owned(),
            message: "Cluster becomes Namespaced".to_owned(),
            ..CrdChange::default()
        };
        let change = Change {
            name: "ferry".to_owned(),
            version: Some("1.1.0".to_owned()),
            previous: Some("1.0.0".to_owned()),
            crds: CrdComparison {
                unsafe_updates: vec![UnsafeUpdate {
                    bundle: "ferry.v1.1.0".to_owned(),
                    changes: vec![change],
                    omitted: 2,
                }],
                not_compared: Some("ferry.v1.2.0:\nno registry".to_owned()),
            },
            ..Change::default()
        };
        let text = report(&[change]);
        let text = text.split_once("\n\n").expect("a table").1;
        assert_eq!(
            text,
            "ferry is not upgraded to ferry.v1.1.0 until 3 unsafe changes of CRDs are \
             accepted:\n  \
             ships [31m .example: scope: Cluster becomes Namespaced\n  \
             and 2 more\n  \
             the API server refuses this change, so ferry.v1.1.0 cannot be accepted\n\n\
             the CRDs of ferry are not compared: ferry.v1.2.0: no registry\n"
        );
    }
}
