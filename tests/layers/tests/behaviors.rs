//! Checks that the tests in `tests/behaviors.md` exist. These tests check that Portolan has a
//! behavior of the established controller, or does not have one of its defects.

use std::collections::BTreeSet;

use portolan_layers::kept_by::{Row, is_test, missing, rows};

/// The highest number of a behavior.
const BEHAVIORS: u32 = 125;
/// The highest number of a defect.
const DEFECTS: u32 = 24;
const TABLE: &str = "tests/behaviors.md";

#[test]
fn every_behavior_and_every_defect_has_a_row() {
    let numbers = (1..=BEHAVIORS).map(|number| number.to_string());
    let defects = (1..=DEFECTS).map(|number| format!("D{number}"));
    let wanted: Vec<_> = numbers.chain(defects).collect();
    let found: Vec<_> = rows(TABLE)
        .into_iter()
        .map(|Row { number, .. }| number)
        .collect();
    assert_eq!(found, wanted);
}

#[test]
fn every_row_names_existing_tests_or_a_reason() {
    assert_eq!(missing(&rows(TABLE)), BTreeSet::new(), "no such tests");
}

#[test]
fn functions_without_test_attribute_do_not_count() {
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
