//! Checks that the scenarios contain every code.

use std::collections::BTreeSet;

use portolan_kit::blocks::rows_of_words;

use super::stories;
use crate::Code;

#[test]
fn every_code_has_a_scenario() {
    let found = stories::all()
        .into_iter()
        .flat_map(|(_, story)| story.diagnose());
    let plans = crate::own_plan::tests::stories();
    let operators = crate::own_operator::tests::stories();
    let own = crate::own::tests::stories();
    let found: BTreeSet<Code> = found
        .chain(plans)
        .chain(operators)
        .chain(own)
        .flat_map(|one| one.causes().map(|cause| cause.code).collect::<Vec<_>>())
        .collect();
    let all: BTreeSet<Code> = Code::ALL.iter().copied().collect();
    assert_eq!(found, all);
}

#[test]
fn codes_are_in_order_and_have_unique_words() {
    let words: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(words.len(), Code::ALL.len());
    assert!(Code::ALL.is_sorted());
}

#[test]
fn table_of_causes_lists_every_code() {
    let header = include_str!("../lib.rs");
    for code in Code::ALL {
        let word = format!("`{}`", code.as_str());
        assert!(header.contains(&word), "{word} is not in the table");
    }
}

#[test]
fn page_documents_each_code() {
    let page = include_str!("../../../../../docs/diagnose.md");
    assert_eq!(rows_of_words(page), Code::rows());
}
