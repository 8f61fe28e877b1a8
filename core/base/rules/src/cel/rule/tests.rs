use rstest::rstest;
use serde_json::json;

use super::*;

fn dialect() -> Dialect {
    Dialect::new("self", Numbers::Integers)
}

fn asked(rule: &str, json: serde_json::Value) -> Result<bool, String> {
    let dialect = dialect();
    let rule = Rule::parse(&dialect, rule).expect("a rule");
    let value = Value::of(json, dialect.numbers());
    rule.holds_for(&dialect, value)
        .map_err(|why| why.to_string())
}

#[rstest]
#[case::a_field("self.status.phase == 'Sails'", true)]
#[case::another_value("self.status.phase == 'Sinks'", false)]
#[case::a_field_that_may_be_missing("has(self.status.crew) && self.status.crew > 3", false)]
#[case::integers("self.status.ready + 1 == self.spec.replicas", true)]
#[case::an_integer_and_a_fraction("self.status.load < 1 && self.status.ready > 1.5", true)]
#[case::a_condition(
    "self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
    true
)]
#[case::all("self.status.conditions.all(c, c.status == 'True')", false)]
#[case::a_map(
    "self.metadata.labels.exists(key, key == 'a/b') && self.metadata.labels['a/b'] == 'c'",
    true
)]
#[case::a_flag("self.status.sailing == true", true)]
fn cel_rule_has_the_expected_result(#[case] rule: &str, #[case] holds: bool) {
    let ship = json!({
        "metadata": {"labels": {"a/b": "c"}},
        "spec": {"replicas": 3},
        "status": {
            "phase": "Sails", "ready": 2, "load": 0.5, "sailing": true,
            "conditions": [{"type": "Ready", "status": "True"}, {"type": "Moored", "status": "False"}],
        },
    });
    assert_eq!(asked(rule, ship), Ok(holds));
}

#[rstest]
#[case::no_field("self.status.phase == 'Sails'", "there is no field \"status\"")]
#[case::an_index(
    "self.list[3] == 1",
    "an index is out of range, or a number is too large"
)]
#[case::zero("1 / self.zero == 1", "it divides by zero")]
#[case::a_large_number(
    "self.large + self.large > 0",
    "an index is out of range, or a number is too large"
)]
#[case::types("self.list < 3", "a value has another type than the rule expects")]
#[case::no_map(
    "self.zero.crew == 1",
    "a value has another type than the rule expects"
)]
fn evaluation_error_is_reported(#[case] rule: &str, #[case] expected: &str) {
    let value = json!({"list": [1], "zero": 0, "large": i64::MAX});
    assert_eq!(asked(rule, value), Err(expected.to_owned()));
}

#[rstest]
#[case::nothing("", "the rule is not CEL: ")]
#[case::no_cel("self.status.phase = 'Sails'", "the rule is not CEL: ")]
#[case::another_name(
    "object.status == 1",
    "the rule uses \"object\", but only \"self\" exists"
)]
#[case::another_function(
    "self.name.matches('a+')",
    "the rule calls \"matches\", which is not available in rules"
)]
#[case::no_claim("self.status.replicas", "the rule must be true or false")]
#[case::a_number("size(self.status)", "the rule must be true or false")]
#[case::loops(
    "self.a.all(a, self.a.all(b, self.a.all(c, self.a.all(d, a == b && c == d))))",
    "the rule would take too long: it iterates over nested lists"
)]
fn rejects_invalid_rule(#[case] rule: &str, #[case] expected: &str) {
    let refused = Rule::parse(&dialect(), rule).expect_err("no rule");
    assert!(refused.starts_with(expected), "{refused}");
}

#[rstest]
#[case::long(format!("self.a == '{}'", "x".repeat(5000)))]
#[case::deep(format!("{}true{}", "(".repeat(5000), ")".repeat(5000)))]
#[case::deep_not(format!("{}true", "!".repeat(3000)))]
#[case::wide(format!("true{}", " || self.a".repeat(400)))]
fn hostile_rule_does_not_crash(#[case] rule: String) {
    // The parser may accept or reject the text, but it must be fast and must not crash.
    drop(Rule::parse(&dialect(), &rule));
}

#[test]
fn too_large_value_is_not_evaluated() {
    let list: Vec<_> = (0..100_000).collect();
    let rule = "self.a.all(a, self.a.exists(b, a == b))";
    let expected = Unevaluated::TooLong.to_string();
    assert_eq!(asked(rule, json!({"a": list})), Err(expected));
    assert_eq!(asked(rule, json!({"a": [1, 2]})), Ok(true));
}

#[test]
fn rules_with_equal_text_are_equal() {
    let parse = |text| Rule::parse(&dialect(), text).expect("a rule");
    assert_eq!(parse("self.a == 1"), parse("self.a == 1").clone());
    assert_ne!(parse("self.a == 1"), parse("self.a == 2"));
    assert_eq!(parse("self.a == 1").text(), "self.a == 1");
}
