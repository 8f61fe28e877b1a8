//! Tests that parsing a rule needs no thread, and that evaluating a rule needs a thread. This test
//! is a separate program, because it prevents the program from creating threads.

use jiff::Timestamp;
use portolan_core_rules::rego::{Failure, Rule, Unjudged};
use portolan_kit::without_room;
use serde_json::json;

const RIGHT: &str = "allow if input.a == 1";
const WRONG: &str = "allow if {\n  x := := 1\n}";

fn judged(rule: &Rule) -> Result<bool, Unjudged> {
    let ruling = rule.judge(&json!({"a": 1}), Timestamp::UNIX_EPOCH);
    ruling.map(|ruling| ruling.allows)
}

#[test]
fn rules_are_parsed_without_starting_a_thread() {
    let (right, wrong, asked) = without_room(|| {
        let right = Rule::parse(RIGHT).expect("a rule");
        let asked = judged(&right);
        (right, Rule::parse(WRONG), asked)
    });
    let wrong = wrong.expect_err("a fault").to_string();
    assert_eq!(wrong, "line 2, column 8: expecting expression");
    assert!(
        matches!(asked, Err(Unjudged::Failed(Failure::NoThread(_)))),
        "{asked:?}"
    );
    assert_eq!(judged(&right), Ok(true), "threads can be created again");
}
