//! Checks that the tests exist that the tables of requirements in `docs` name.

use std::collections::BTreeSet;

use portolan_layers::kept_by::{is_ignored, missing, rows, ungated};

#[test]
fn requirements_of_operator_policies_name_existing_tests() {
    let rows = rows("docs/requirements-000.md");
    let numbers: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    let wanted: Vec<_> = (1..=92).map(|number| number.to_string()).collect();
    assert_eq!(numbers, wanted);
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
}

#[test]
fn requirements_of_installed_name_existing_tests() {
    let rows = rows("docs/requirements-001.md");
    let numbers: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    let wanted: Vec<_> = (1..=34).map(|number| number.to_string()).collect();
    assert_eq!(numbers, wanted);
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
}

#[test]
fn requirements_of_operators_v2alpha1_name_existing_tests() {
    let rows = rows("docs/requirements-002.md");
    let numbers: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    let stories = ('a'..='f').map(String::from);
    let wanted = (1..=48).map(|number| number.to_string()).chain(stories);
    let wanted: Vec<_> = wanted.collect();
    assert_eq!(numbers, wanted);
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
}

#[test]
fn requirements_of_install_plans_name_existing_tests() {
    let rows = rows("docs/requirements-003.md");
    let numbers: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    let wanted: Vec<_> = (1..=rows.len()).map(|number| number.to_string()).collect();
    assert_eq!(numbers, wanted);
    assert!(rows.len() >= 26, "a requirement has no row any more");
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
}

#[test]
fn requirements_of_operators_name_existing_tests() {
    let rows = rows("docs/requirements-004.md");
    let numbers: BTreeSet<u32> = rows
        .iter()
        .map(|row| row.number.parse().expect("a number"))
        .collect();
    let gone = [8, 9, 31, 32, 33, 34, 35, 36, 37, 38, 39, 47, 48, 49];
    let wanted = (1..=64).filter(|number| !gone.contains(number));
    let wanted: BTreeSet<u32> = wanted
        .chain(70..=73)
        .chain(80..=98)
        .chain(100..=103)
        .chain(110..=122)
        .chain(130..=135)
        .chain(140..=145)
        .chain(150..=153)
        .chain(160..=170)
        .chain(180..=182)
        .chain(190..=195)
        .collect();
    assert_eq!(
        numbers, wanted,
        "each number has a row, and no other one has"
    );
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
}

#[test]
fn no_requirement_has_only_ignored_tests() {
    for number in 0..=4 {
        let table = format!("docs/requirements-00{number}.md");
        assert_eq!(ungated(&rows(&table)), BTreeSet::new(), "{table}");
    }
}

#[test]
fn ignored_test_is_found_by_its_attribute() {
    let text =
        "#[tokio::test]\n#[ignore = \"soak\"]\nasync fn slow() {}\n\n#[test]\nfn fast() {}\n";
    let ignored = ["slow", "fast"].map(|name| is_ignored(text, name));
    assert_eq!(ignored, [true, false]);
}
