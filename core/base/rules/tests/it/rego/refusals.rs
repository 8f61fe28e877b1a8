//! Tests of invalid rules with the positions of their faults, and of invalid results.

use jiff::Timestamp;
use portolan_core_rules::rego::{LONGEST, OFFERED, Rule, Ruling, Unjudged};
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;

#[rstest]
#[case::nothing("", "line 1, column 1: has no rule allow; write allow if { … }")]
#[case::no_allow("deny := true", "line 1, column 1: has no rule allow; ")]
#[case::no_rego("allow if {\n  x := := 1\n}", "line 2, column 8: expecting expression")]
#[case::not_closed("allow if {", "line 2, column 1: expecting expression")]
#[case::rego_of_old(
    "allow { true }",
    "line 1, column 7: `if` keyword is required before rule body"
)]
#[case::defined_nowhere(
    "allow if {\n  x == 1\n}",
    "line 2, column 3: use of undefined variable `x` is unsafe"
)]
#[case::a_package(
    "package mine\nallow := true",
    "line 1, column 1: omit the package; it is added automatically"
)]
#[case::the_network(
    "allow if {\n  http.send({\"url\": \"http://a\"}).status_code == 200\n}",
    "line 2, column 3: calls http.send, which is not a function here; available functions depend \
     only on their arguments"
)]
#[case::the_environment(
    "allow if opa.runtime().env.HOME",
    "line 1, column 10: calls opa.runtime, "
)]
#[case::randomness(
    "allow if rand.intn(\"a\", 2) == 0",
    "line 1, column 10: calls rand.intn, "
)]
#[case::misspelled_function(
    "allow if startwith(input.a, \"b\")",
    "line 1, column 10: calls startwith, which is not a function here; did you mean startswith?"
)]
#[case::within_a_comprehension(
    "allow if count([x | some y in [1]; x := net.lookup_ip_addr(y)]) > 0",
    "line 1, column 41: calls net.lookup_ip_addr, "
)]
fn invalid_rule_is_rejected_with_its_position(#[case] text: &str, #[case] sentence: &str) {
    let fault = Rule::parse(text).expect_err("a fault").to_string();
    assert!(fault.starts_with(sentence), "{fault}");
}

#[test]
fn rejects_too_long_text() {
    let text = format!("allow := true{}", " ".repeat(LONGEST));
    let fault = Rule::parse(&text).expect_err("a fault").to_string();
    assert_eq!(
        fault,
        "line 1, column 1: has 16397 bytes; at most 16384 are allowed"
    );
}

/// Rego allows semicolons inside a rule. The position of the text after a semicolon must be
/// correct.
#[rstest]
#[case::two_rules_on_one_line("default allow := false; allow if true", Ok(true))]
#[case::in_a_text("x := \";\"; allow if x == \";\"", Ok(true))]
#[case::in_a_raw_text("x := `;\\`; allow if x == `;\\`", Ok(true))]
#[case::behind_a_quote("x := \"\\\";\"; allow if x == \"\\\";\"", Ok(true))]
#[case::in_a_comment("allow := true # a; b", Ok(true))]
#[case::within_a_rule("allow if { x := 1; x == 2 }", Ok(false))]
#[case::a_fault_behind_it(
    "a := 1; allow if { b := := 1 }",
    Err("line 1, column 25: expecting expression")
)]
fn rules_are_separated_by_line_breaks_or_semicolons(
    #[case] text: &str,
    #[case] expected: Result<bool, &str>,
) {
    let rule = Rule::parse(text).map_err(|fault| fault.to_string());
    let found = rule.map(|rule| rule.judge(&json!({}), Timestamp::UNIX_EPOCH));
    let found = found.map(|ruling| ruling.expect("a ruling").allows);
    assert_eq!(found, expected.map_err(str::to_owned));
}

#[rstest]
#[case::a_number("allow := 1", Unjudged::NoFlag("a number"))]
#[case::a_set("allow contains 1", Unjudged::NoFlag("a set"))]
#[case::a_text("allow := \"yes\"", Unjudged::NoFlag("a text"))]
#[case::null("allow := null", Unjudged::NoFlag("null"))]
fn rule_result_that_is_not_a_boolean_is_an_error(#[case] text: &str, #[case] expected: Unjudged) {
    let rule = Rule::parse(text).expect("a rule");
    assert_eq!(rule.judge(&json!({}), Timestamp::UNIX_EPOCH), Err(expected));
}

#[test]
fn conflicting_results_are_an_error_with_a_position() {
    let rule = Rule::parse("allow := true if input.a\nallow := false if input.b").expect("a rule");
    let found = rule.judge(&json!({"a": 1, "b": 2}), Timestamp::UNIX_EPOCH);
    let why = found.expect_err("no ruling").to_string();
    assert!(
        why.starts_with("fails at line 2, column 1: rule conflicts"),
        "{why}"
    );
}

#[rstest]
#[case::asked("allow if time.now_ns() > 0", true)]
#[case::not_asked("allow if input.a == 1", false)]
#[case::not_reached("allow if { input.a == 2; time.now_ns() > 0 }", false)]
fn result_reports_whether_the_rule_read_the_time(#[case] text: &str, #[case] asks_for_time: bool) {
    let rule = Rule::parse(text).expect("a rule");
    let at = "2026-11-28T12:00:00Z".parse().expect("a time");
    let found = rule.judge(&json!({"a": 1}), at);
    let allows = !text.contains("== 2");
    let expected = Ruling {
        allows,
        asks_for_time,
    };
    assert_eq!(found, Ok(expected));
}

/// OPA also returns an undefined result for a time that it cannot compute.
#[rstest]
#[case::years("999999999, 0, 0")]
#[case::months("0, 999999999, 0")]
#[case::days("0, 0, 999999999")]
fn time_outside_of_the_calendar_is_undefined(#[case] added: &str) {
    let text = format!("allow if time.add_date(time.now_ns(), {added}) > 0");
    let found = Rule::parse(&text).map(|rule| rule.judge(&json!({}), Timestamp::UNIX_EPOCH));
    let allows = found.map(|ruling| ruling.map(|ruling| ruling.allows));
    assert_eq!(allows, Ok(Ok(false)));
}

/// In OPA, a rule can replace a function. Here, a rule cannot replace the time of the request.
#[test]
fn rule_cannot_replace_the_time() {
    let rule = Rule::parse("late if time.now_ns() > 10\nallow if not late with time.now_ns as 5");
    let found = rule.map(|rule| rule.judge(&json!({}), Timestamp::UNIX_EPOCH));
    assert!(
        !matches!(found, Ok(Ok(Ruling { allows: true, .. }))),
        "{found:?}"
    );
}

/// Every listed function exists in the engine. Calls may fail because of their arguments, but not
/// because the function is missing.
#[test]
fn every_offered_function_exists() {
    for function in OFFERED {
        for arguments in ["", "1", "1, 1", "1, 1, 1", "1, 1, 1, 1"] {
            let text = format!("allow if {function}({arguments})");
            let Ok(rule) = Rule::parse(&text) else {
                continue;
            };
            if let Err(Unjudged::Fails(fault)) = rule.judge(&json!({}), Timestamp::UNIX_EPOCH) {
                assert!(
                    !fault.message.contains("could not find"),
                    "{function}: {fault}"
                );
            }
        }
    }
}
