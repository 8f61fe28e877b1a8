//! Holds the tables of requirements in `docs` against the tests that they name.

use std::collections::BTreeSet;

use portolan_layers::table::{missing, rows};

#[test]
fn every_requirement_of_install_plans_is_kept_by_tests_that_there_are() {
    let rows = rows("docs/requirements-003.md");
    let numbers: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    let wanted: Vec<_> = (1..=rows.len()).map(|number| number.to_string()).collect();
    assert_eq!(numbers, wanted);
    assert!(rows.len() >= 26, "a requirement has no row any more");
    assert_eq!(missing(rows), BTreeSet::new(), "no such tests");
}
