//! Tests of CEL rules.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::{flaw, is_met, rule};

#[rstest]
#[case::its_package("p.type == 'olm.package' && p.value.packageName == 'harbor'")]
#[case::its_version("p.type == 'olm.package' && semver_compare(p.value.version, '1.3.9') > 0")]
#[case::its_api(
    "p == {'type': 'olm.gvk', 'value': {'group': 'g.test', 'version': 'v1', 'kind': 'Berth'}}"
)]
#[case::an_api_it_requires("p.type == 'olm.gvk.required' && p.value.kind == 'Crane'")]
#[case::a_package_it_requires(
    "p.type == 'olm.package.required' && p.value.versionRange == '>=2.0.0'"
)]
#[case::its_constraint("p.type == 'olm.constraint' && p.value.failureMessage == 'deep'")]
#[case::its_last_openshift("p.type == 'olm.maxOpenShiftVersion' && p.value == '4.14'")]
#[case::its_prohibition("p.type == 'olm.deprecated' && p.value == {}")]
#[case::a_text_of_another_program("p.type == 'flag' && p.value == 'yellow'")]
#[case::numbers("p.type == 'tide' && p.value.low == 1 && p.value.high > 4.4")]
#[case::a_list("p.type == 'tide' && 'neap' in p.value.names && size(p.value.names) == 2")]
#[case::a_key("p.type == 'tide' && has(p.value.low) && !has(p.value.width)")]
#[case::an_index("p.type == 'tide' && p.value['names'][0].startsWith('spr')")]
fn rule_can_read_a_property(#[case] of_p: &str) {
    assert!(is_met(&rule(&format!("properties.exists(p, {of_p})"))));
    assert!(!is_met(&rule(&format!("properties.all(p, {of_p})"))));
    assert!(!is_met(&rule(&format!("!properties.exists(p, {of_p})"))));
}

#[test]
fn rule_reads_every_property_once() {
    let types = "['olm.package', 'olm.gvk', 'olm.gvk.required', 'olm.package.required', \
                  'olm.constraint', 'olm.maxOpenShiftVersion', 'olm.deprecated', 'flag', 'tide']";
    assert!(is_met(&rule(&format!(
        "properties.map(p, p.type) == {types}"
    ))));
}

#[rstest]
#[case::equal("1.2.3", "1.2.3", 0)]
#[case::below("1.2.3", "1.10.0", -1)]
#[case::above("2.0.0", "2.0.0-rc.1", 1)]
#[case::with_a_v("v1.2.3", "1.2.3", 0)]
#[case::with_blanks(" 1.2.3 ", "1.2.3", 0)]
#[case::two_numbers("1.2", "1.2.0", 0)]
#[case::one_number("v4", "4.0.0", 0)]
#[case::leading_zeros("01.002.0003", "1.2.3", 0)]
#[case::only_zeros("00.0.000", "0.0.0", 0)]
#[case::build_metadata("1.2.3+b", "1.2.3+a", 0)]
fn semver_compare_orders_versions(#[case] left: &str, #[case] right: &str, #[case] expected: i8) {
    let compare = |left, right| format!("semver_compare('{left}', '{right}')");
    let forth = format!("{} == {expected}", compare(left, right));
    let back = format!("{} == {}", compare(right, left), -expected);
    assert!(is_met(&rule(&forth)) && is_met(&rule(&back)), "{forth}");
}

#[rstest]
#[case::no_version("semver_compare('one', '1.0.0') == 0 || semver_compare('one', '1.0.0') != 0")]
#[case::a_short_version_with_a_prerelease("semver_compare('1.2-rc', '1.2.0') < 1")]
#[case::four_numbers("semver_compare('1.2.3.4', '1.2.3') < 2")]
#[case::a_truth_value("semver_compare(true, '1.0.0') < 2")]
#[case::a_missing_key("properties.exists(p, p.value.nowhere == 1)")]
#[case::two_types("properties[0].type > 1")]
#[case::beyond_the_end("properties[99].type == 'flag'")]
#[case::a_division_by_zero("1 / 0 == 1")]
#[case::a_dynamic_value_that_is_no_claim("properties.exists(p, p.value)")]
fn rule_with_a_runtime_error_is_not_satisfied(#[case] text: &str) {
    assert!(!is_met(&rule(text)));
}

/// CEL specifies that an error has no effect if another operand decides the result.
#[test]
fn ignores_error_if_the_other_operand_determines_the_result() {
    assert!(is_met(&rule(
        "properties.exists(p, p.value.packageName == 'harbor')"
    )));
    assert!(is_met(&rule("1 / 0 == 1 || true")));
    assert!(is_met(&rule("!(1 / 0 == 1 && false)")));
}

#[test]
fn number_is_accepted_as_version() {
    assert!(is_met(&rule("semver_compare(4.14, '4.14.0') == 0")));
    assert!(is_met(&rule("semver_compare(4, 4u) == 0")));
}

/// The maps of the interpreter have a random order, so the test repeats each rule.
#[test]
fn keys_of_a_map_are_listed_in_sorted_order() {
    let keys = "properties.filter(p, p.type == 'tide')[0].value.map(k, k)";
    let literal = "{'c': 1, 'a': 2, 'b': 3}.filter(k, true)";
    for _ in 0..20 {
        assert!(is_met(&rule(&format!(
            "{keys} == ['high', 'low', 'names']"
        ))));
        assert!(is_met(&rule(&format!("{literal} == ['a', 'b', 'c']"))));
    }
}

#[rstest]
#[case::no_cel("properties.exists(p", "the rule is not CEL: ")]
#[case::nothing("", "the rule is not CEL: ")]
#[case::a_number("1 + 1", "the rule must be true or false")]
#[case::a_list("properties", "the rule must be true or false")]
#[case::a_dynamic_value("properties[0].value", "the rule must be true or false")]
#[case::a_mapped_list("properties.map(p, true)", "the rule must be true or false")]
#[case::one_arm("true ? 1 : false", "the rule must be true or false")]
#[case::another_variable(
    "env.HOME == 'a'",
    "the rule uses \"env\", but only \"properties\" exists"
)]
#[case::a_name_out_of_scope(
    "properties.exists(p, true) && p.type == 'a'",
    "the rule uses \"p\", but only \"properties\" exists"
)]
#[case::the_clock(
    "timestamp('2026-01-01T00:00:00Z') > now()",
    "the rule calls \"timestamp\", which is not available in rules"
)]
#[case::an_unknown_method(
    "properties.shuffle()",
    "the rule calls \"shuffle\", which is not available in rules"
)]
#[case::a_message("google.protobuf.BoolValue{value: true}", "a rule knows no messages")]
#[case::optional_syntax("properties[?0].hasValue()", "the rule is not CEL: ")]
fn rejects_invalid_rule(#[case] text: &str, #[case] expected: &str) {
    let flaw = flaw(&rule(text));
    assert!(flaw.starts_with(expected), "{flaw}");
    assert!(!is_met(&rule(text)));
}

#[test]
fn rule_may_be_any_boolean_expression() {
    for text in [
        "true",
        "has(properties[0].type)",
        "properties[0].type == 'a' ? true : 1 < 2",
        "properties.exists_one(p, p.type == 'flag')",
        "properties.filter(p, p.type == 'flag').map(p, p.value) == ['yellow']",
        "string(1) == '1' && int('1') == 1 && double(1) == 1.0 && type(1) == int",
        "'flag' in properties.map(p, p.type)",
    ] {
        assert!(is_met(&rule(text)), "{text}");
    }
}

#[test]
fn constraint_keeps_the_original_text_of_its_rule() {
    let text = rule(" true  || false ");
    assert_same!(
        portolan_core_catalog::Constraint::parse(&text).text(),
        text.as_str()
    );
}
