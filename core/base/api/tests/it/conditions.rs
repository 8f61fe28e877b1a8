//! The words of conditions, as people look them up.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portolan_api::{
    ConditionType, Reason, components, operator, with_component_conditions, with_conditions,
    with_operator_conditions,
};
use similar_asserts::assert_eq;

/// After a change of a word: `cargo run -p portolan-api --example crdgen`, and commit what it writes.
#[test]
fn the_documents_have_every_word() {
    let page = |name: &str| {
        let page = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../docs")
            .join(name);
        fs::read_to_string(page).expect("a page")
    };
    let policies = page("operator-policy.md");
    assert_eq!(with_conditions(&policies), Some(policies));
    let operators = page("operator.md");
    assert_eq!(with_operator_conditions(&operators), Some(operators));
    let components = page("v2alpha1.md");
    assert_eq!(with_component_conditions(&components), Some(components));
}

/// The pattern that API servers hold reasons against.
#[test]
fn words_are_what_api_servers_accept() {
    let reasons = Reason::ALL.iter().map(|reason| reason.as_str());
    let kinds = ConditionType::ALL.iter().map(|kind| kind.as_str());
    let reasons = reasons.chain(operator::Reason::ALL.iter().map(|reason| reason.as_str()));
    let components = components::Reason::ALL.iter().map(|it| it.as_str());
    let reasons = reasons.chain(components);
    for word in reasons.chain(kinds) {
        assert!(word.chars().all(|c| c.is_ascii_alphanumeric()), "{word}");
        assert!(word.starts_with(|c: char| c.is_ascii_uppercase()), "{word}");
    }
}

#[test]
fn no_word_stands_twice() {
    let reasons: BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(reasons.len(), Reason::ALL.len());
}

#[test]
fn a_page_without_a_place_for_them_is_left_alone() {
    assert_eq!(with_conditions("# A page\n"), None);
}
