//! Checks that the scenarios cover every code.

use std::collections::BTreeSet;

use portolan_kit::blocks::rows_of_words;

use super::worlds;
use crate::ApprovalCode;

#[test]
fn every_code_has_a_scenario() {
    let found: BTreeSet<ApprovalCode> = worlds()
        .into_iter()
        .flat_map(|(_, world)| world.codes())
        .collect();
    let of_the_time = [
        ApprovalCode::TimeRestricted,
        ApprovalCode::DeniedByPolicy,
        ApprovalCode::PolicyServiceUnavailable,
    ];
    let all = ApprovalCode::ALL.iter().copied();
    let all: BTreeSet<ApprovalCode> = all.filter(|code| !of_the_time.contains(code)).collect();
    similar_asserts::assert_eq!(found, all);
}

#[test]
fn codes_are_in_order_and_have_unique_words() {
    let words: BTreeSet<&str> = ApprovalCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(words.len(), ApprovalCode::ALL.len());
    assert!(ApprovalCode::ALL.is_sorted());
}

#[test]
fn page_documents_each_code() {
    let page = include_str!("../../../../../docs/review.md");
    assert_eq!(rows_of_words(page), ApprovalCode::rows());
}
