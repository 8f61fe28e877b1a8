//! Checks the format of `CHANGELOG.md`. Each change is one short line in one of the known sections.

use std::fs;
use std::path::Path;

const SECTIONS: [&str; 4] = ["Added", "Changed", "Fixed", "Security"];
const LONGEST: usize = 150;

#[test]
fn changelog_has_one_short_line_for_each_change() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = fs::read_to_string(root.join("CHANGELOG.md")).expect("a changelog");
    let releases = text.lines().skip_while(|line| !line.starts_with("## "));
    let wrong: Vec<_> = releases.filter(|line| !well_formed(line)).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}

/// Returns true if a line is valid: it is short, does not continue an entry, and is not the heading
/// of an unknown section.
fn well_formed(line: &str) -> bool {
    let known = match line.strip_prefix("### ") {
        Some(section) => SECTIONS.contains(&section),
        None => !line.starts_with(' '),
    };
    known && line.chars().count() <= LONGEST
}
