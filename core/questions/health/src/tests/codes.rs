//! Checks that the scenarios cover every code.

use std::collections::BTreeSet;

use portolan_kit::blocks::rows_of_words;

use super::kit::Story;
use super::{catalogs, worlds};
use crate::HealthCode;

#[test]
fn every_code_has_a_scenario() {
    let of_worlds = worlds().into_iter().flat_map(|(_, world)| world.codes());
    let of_catalogs = catalogs()
        .into_iter()
        .flat_map(|(_, catalog)| catalog.codes());
    let of_installers = crate::installed::tests::codes();
    let found: BTreeSet<HealthCode> = of_worlds.chain(of_catalogs).chain(of_installers).collect();
    let all: BTreeSet<HealthCode> = HealthCode::ALL.iter().copied().collect();
    assert_eq!(found, all);
}

#[test]
fn codes_are_in_order_and_have_unique_words() {
    let words: BTreeSet<&str> = HealthCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(words.len(), HealthCode::ALL.len());
    assert!(HealthCode::ALL.is_sorted());
}

#[test]
fn page_documents_each_code() {
    let page = include_str!("../../../../../docs/health.md");
    assert_eq!(rows_of_words(page), HealthCode::rows());
}
