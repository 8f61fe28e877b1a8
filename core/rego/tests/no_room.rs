//! What could not be read says nothing about the text. One test, in a program of its own: all of that has no
//! room.

use jiff::Timestamp;
use portolan_core_rego::{Failure, LONGEST, Rule, Unjudged};
use portolan_kit::without_room;
use serde_json::json;

const RIGHT: &str = "allow if input.a == 1";
const WRONG: &str = "allow if {\n  x := := 1\n}";

fn judged(rule: &Rule) -> Result<bool, Unjudged> {
    let ruling = rule.judge(&json!({"a": 1}), Timestamp::UNIX_EPOCH);
    ruling.map(|ruling| ruling.allows)
}

#[test]
fn what_could_not_be_read_is_not_refused_and_is_read_when_it_is_asked() {
    let long = " ".repeat(LONGEST + 1);
    let (right, wrong, asked) = without_room(|| {
        // What its length alone tells is known in any case.
        Rule::parse(&long).expect_err("it is too long");
        let right = Rule::parse(RIGHT).expect("nobody knows that it is none");
        let wrong = Rule::parse(WRONG).expect("nobody knows that it is none");
        let asked = judged(&right);
        (right, wrong, asked)
    });
    let why = right.unread().expect("a failure").clone();
    assert!(matches!(why, Failure::NoThread(_)), "{why}");
    assert_eq!(wrong.unread(), Some(&why));
    assert_eq!(asked, Err(Unjudged::Failed(why)));

    assert_eq!(judged(&right), Ok(true));
    let refused = judged(&wrong).expect_err("it is no rule").to_string();
    assert_eq!(
        refused,
        "is refused: line 2, column 8: expecting expression"
    );
    assert_eq!(Rule::parse(RIGHT).expect("a rule").unread(), None);
}
