//! Malicious constraints. These tests fail if the code hangs or crashes.

use std::collections::BTreeSet;

use portolan_core_catalog::{Candidate, Constraint, Properties, Property};
use portolan_kit::assert_same;
use proptest::prelude::*;
use rstest::rstest;

use crate::{flaw, is_met, rule};

const DEEP: &str = "the rule is nested deeper than 64";
const DEEPER: &str = "the rule is not CEL: expression recursion limit exceeded: 64";
const LONG: &str = "a rule of more than 4096 bytes";
const SLOW: &str = "the rule would take too long: it iterates over nested lists";

#[rstest]
#[case::open_brackets("(".repeat(4000), DEEPER)]
#[case::lists("[".repeat(2000) + &"]".repeat(2000), DEEPER)]
#[case::calls("size(".repeat(600) + "1" + &")".repeat(600) + " == 1", DEEPER)]
#[case::sums("1".to_owned() + &"+1".repeat(2000) + " == 2", DEEP)]
#[case::fields("properties".to_owned() + &".a".repeat(2000) + " == 1", DEEP)]
#[case::indices("properties".to_owned() + &"[0]".repeat(1300) + " == 1", DEEP)]
#[case::arms("true ? true : ".repeat(290) + "true", DEEP)]
#[case::methods("properties".to_owned() + &".map(p, p)".repeat(400) + " == []", DEEP)]
#[case::claims("true".to_owned() + &" || true".repeat(600), LONG)]
#[case::three_lists(
    "properties.all(a, properties.all(b, properties.all(c, a == b || b == c)))".to_owned(), SLOW
)]
#[case::six_short_lists(
    "[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, \
     [1,2,3,4,5,6,7,8].all(d, [1,2,3,4,5,6,7,8].all(e, [1,2,3,4,5,6,7,8].all(f, true))))))"
        .to_owned(),
    SLOW
)]
#[case::a_list_that_grows(
    "[properties]".to_owned() + &".map(a, a+a+a+a)".repeat(15) + " == []", SLOW
)]
#[case::a_text_that_grows("['a']".to_owned() + &".map(a, a+a+a+a)".repeat(15) + " == []", SLOW)]
#[case::lists_of_lists("properties.map(a, properties.map(b, properties)) == []".to_owned(), SLOW)]
#[case::lists_of_the_list("properties.map(a, properties).map(a, a + a).map(a, a + a + a + a) == []".to_owned(), SLOW)]
fn rejects_expensive_rule(#[case] text: String, #[case] expected: &str) {
    assert_same!(flaw(&rule(&text)), expected);
}

/// A rule that is long, but neither deeply nested nor slow.
#[rstest]
#[case::brackets("(".repeat(2000) + "true" + &")".repeat(2000))]
#[case::negations("!".repeat(4000) + "true")]
#[case::minus("-".repeat(4000) + "1 < 2")]
#[case::claims("false || ".repeat(400) + "true")]
#[case::a_text("'".to_owned() + &"a".repeat(4000) + "' != ''")]
#[case::two_lists("properties.all(a, properties.exists(b, a == b))".to_owned())]
#[case::two_lists_compared_in_parts(
    "properties.all(a, properties.exists(b, a.type == b.type && a.value == b.value))".to_owned()
)]
fn cel_rule_has_the_expected_result(#[case] text: String) {
    assert!(is_met(&rule(&text)));
}

#[test]
fn too_deeply_nested_constraint_is_rejected() {
    let nested =
        |depth| r#"{"all":{"constraints":["#.repeat(depth) + "{\"all\":{}}" + &"]}}".repeat(depth);
    assert!(is_met(&nested(32)));
    let flaw = flaw(&nested(33));
    assert!(
        flaw.ends_with("constraints are nested deeper than 32"),
        "{flaw}"
    );
    // The JSON parser rejects this text, because no stack is large enough for its nesting.
    assert!(!is_met(&nested(5000)));
}

/// Returns true if a candidate with the given number of properties of the given size satisfies a
/// rule.
fn is_met_by(properties: usize, bytes: usize, text: &str) -> bool {
    let properties: Vec<_> = (0..properties)
        .map(|at| Property {
            kind: at.to_string().into(),
            value: format!("{:?}", "a".repeat(bytes)).into(),
        })
        .collect();
    Constraint::parse(&rule(text)).is_met_by(&Candidate {
        package: None,
        version: None,
        provides: &BTreeSet::new(),
        properties: Properties::Listed(&properties),
    })
}

#[test]
fn too_large_candidate_does_not_satisfy_a_rule() {
    let once = "properties.exists(a, a.type == '0')";
    let twice = "properties.all(a, properties.exists(b, a == b))";
    assert!(is_met_by(50, 10, twice));
    assert!(!is_met_by(2000, 10, twice));
    assert!(is_met_by(2000, 10, once));
    assert!(is_met_by(2, 500_000, once));
    assert!(!is_met_by(3, 500_000, once));
}

/// Fragments of rules. Some random combinations of the fragments are nearly valid rules.
const PIECES: [&str; 32] = [
    "properties",
    ".exists(p, ",
    ".all(q, ",
    ".map(p, ",
    ".filter(q, ",
    "p",
    "q",
    ".type",
    ".value",
    "[0]",
    "size(",
    "has(",
    "semver_compare(",
    "string(",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ": ",
    " ? ",
    " == ",
    " && ",
    " || ",
    "!",
    " + ",
    "'a'",
    "1",
    "1.5",
    "\"\"\"",
];

proptest! {
    #[test]
    fn random_rule_returns_without_a_panic(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60),
    ) {
        is_met(&rule(&pieces.concat()));
    }

    #[test]
    fn rule_of_random_characters_returns_without_a_panic(text in "\\PC{0,200}") {
        is_met(&rule(&text));
    }
}
