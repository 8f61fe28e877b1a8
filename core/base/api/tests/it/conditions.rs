//! Tests that the docs pages list the types and reasons of conditions.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portolan_api::{
    ConditionType, Reason, components, operator, with_component_conditions, with_conditions,
    with_operator_conditions,
};
use similar_asserts::assert_eq;

/// After a change of a reason or type, run `cargo run -p portolan-api --example crdgen` and commit
/// its output.
#[test]
fn documents_list_every_condition_type_and_reason() {
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

/// Checks types and reasons against the pattern that API servers require.
#[test]
fn types_and_reasons_are_valid_for_api_servers() {
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
fn reasons_are_unique() {
    let reasons: BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(reasons.len(), Reason::ALL.len());
}

#[test]
fn page_without_marker_is_unchanged() {
    assert_eq!(with_conditions("# A page\n"), None);
}
