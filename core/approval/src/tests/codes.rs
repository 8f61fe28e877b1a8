//! Every code is told in some story.

use std::collections::BTreeSet;

use portolan_kit::blocks::rows_of_words;

use super::worlds;
use crate::Code;

#[test]
fn every_code_has_a_story() {
    let told: BTreeSet<Code> = worlds()
        .into_iter()
        .flat_map(|(_, world)| world.codes())
        .collect();
    let of_the_time = [
        Code::TimeRestricted,
        Code::ConsentDenied,
        Code::ConsentUnavailable,
    ];
    let all = Code::ALL.iter().copied();
    let all: BTreeSet<Code> = all.filter(|code| !of_the_time.contains(code)).collect();
    similar_asserts::assert_eq!(told, all);
}

#[test]
fn codes_are_in_order_and_have_words_of_their_own() {
    let words: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(words.len(), Code::ALL.len());
    assert!(Code::ALL.is_sorted());
}

#[test]
fn the_page_tells_what_each_code_means() {
    let page = include_str!("../../../../docs/review.md");
    assert_eq!(rows_of_words(page), Code::rows());
}
