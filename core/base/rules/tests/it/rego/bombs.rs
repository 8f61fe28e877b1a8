//! Tests of rules that would run forever or use unlimited memory without limits.

use jiff::Timestamp;
use portolan_core_rules::rego::{Rule, Unjudged};
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;

const TENS: &str = "n := [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";

#[rstest]
#[case::loops_in_loops(
    "allow if { some a in n; some b in n; some c in n; some d in n; some e in n; some f in n; a + b + c + d + e + f == 0 }"
)]
#[case::a_comprehension(
    "allow if count([1 | some a in n; some b in n; some c in n; some d in n; some e in n; some f in n]) == 0"
)]
#[case::every(
    "allow if every a in n { every b in n { every c in n { every d in n { every e in n { every f in n { a > 0 } } } } } }"
)]
#[case::functions_of_functions(
    "f0(x) := x + 1\nf1(x) := f0(f0(f0(f0(x))))\nf2(x) := f1(f1(f1(f1(x))))\nf3(x) := f2(f2(f2(f2(x))))\n\
     f4(x) := f3(f3(f3(f3(x))))\nf5(x) := f4(f4(f4(f4(x))))\nf6(x) := f5(f5(f5(f5(x))))\n\
     f7(x) := f6(f6(f6(f6(x))))\nf8(x) := f7(f7(f7(f7(x))))\nf9(x) := f8(f8(f8(f8(x))))\nallow if f9(1) == 0"
)]
fn rule_with_too_many_steps_is_stopped(#[case] text: &str) {
    let rule = Rule::parse(&format!("{TENS}{text}")).expect("a rule");
    let found = rule.judge(&json!({}), Timestamp::UNIX_EPOCH);
    assert_eq!(found, Err(Unjudged::TooLong));
}

/// The steps are counted again for each evaluation, so the limit is the same each time.
#[test]
fn step_limit_applies_to_each_evaluation() {
    let bomb = Rule::parse(&format!(
        "{TENS}allow if {{ some a in n; some b in n; some c in n; some d in n; some e in n; a + b + c + d + e == 0 }}"
    ));
    let bomb = bomb.expect("a rule");
    let rule = Rule::parse("allow if true").expect("a rule");
    for _ in 0..3 {
        assert_eq!(
            bomb.judge(&json!({}), Timestamp::UNIX_EPOCH),
            Err(Unjudged::TooLong)
        );
        let ruling = rule.judge(&json!({}), Timestamp::UNIX_EPOCH);
        assert_eq!(ruling.map(|ruling| ruling.allows), Ok(true));
    }
}

/// A recursive function needs minutes to reach the limit of steps. So callers evaluate such rules
/// in a separate process with a time limit.
#[rstest]
#[case::itself("allow if allow")]
#[case::each_other("allow if a\na if b\nb if a")]
fn recursive_rule_is_rejected(#[case] text: &str) {
    if let Ok(rule) = Rule::parse(text) {
        let found = rule.judge(&json!({}), Timestamp::UNIX_EPOCH);
        assert!(found.is_err(), "{found:?}");
    }
}

#[rstest]
#[case::brackets("[", "]", "10 nested braces and square brackets")]
#[case::parentheses("(", ")", "24 nested brackets")]
#[case::objects("{\"a\": ", "}", "10 nested braces and square brackets")]
#[case::objects_in_brackets("[{1: ", "}]", "10 nested braces and square brackets")]
#[case::objects_in_parentheses("({1: ", "})", "10 nested braces and square brackets")]
fn deeply_nested_rule_is_rejected(#[case] open: &str, #[case] close: &str, #[case] most: &str) {
    let text = format!("allow if {}1{} == 1", open.repeat(1000), close.repeat(1000));
    let fault = Rule::parse(&text).expect_err("a fault").to_string();
    let expected = format!("has more than {most}");
    assert!(fault.ends_with(&expected), "{fault}");
}

/// The depth of the tree of a chain is the length of the chain.
#[rstest]
#[case::of_sums("allow if 1", " + 1", "")]
#[case::of_sums_in_lines("allow if 1", "\n+ 1", "")]
#[case::of_fields("allow if input", ".a", "")]
#[case::of_items("allow if input", "[0]", "")]
#[case::of_signs("allow if ", "- ", "1")]
#[case::of_nots("allow if ", "not ", "true")]
#[case::of_sets("allow if a", " | a", "\na := {1}")]
#[case::of_rules("allow if false", " else := false", "")]
#[case::of_comparisons("allow if 1", " == 1", "")]
#[case::of_replaced_inputs("allow if true", " with input as 1", "")]
fn evaluation_of_long_chains_terminates(
    #[case] first: &str,
    #[case] again: &str,
    #[case] last: &str,
) {
    let times = (16_000 - first.len() - last.len()) / again.len();
    let text = format!("{first}{}{last}", again.repeat(times));
    if let Ok(rule) = Rule::parse(&text) {
        let _ = rule.judge(&json!({"a": {}}), Timestamp::UNIX_EPOCH);
    }
}
