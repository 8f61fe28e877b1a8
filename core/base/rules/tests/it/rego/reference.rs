//! Compares the results of rules with the results of OPA, which `tests/fixtures/rego/opa.go` wrote.

use portolan_core_rules::rego::{Rule, Unjudged};
use serde::Deserialize;
use serde_json::Value;
use similar_asserts::assert_eq;

#[derive(Deserialize)]
struct Question {
    name: String,
    rego: String,
    at: String,
    input: Value,
}

#[derive(Deserialize)]
struct Answer {
    name: String,
    allow: Option<Value>,
    #[serde(default)]
    error: String,
}

fn read<T: for<'a> Deserialize<'a>>(text: &str) -> T {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn rules_give_the_same_results_as_opa() {
    let questions: Vec<Question> = read(include_str!("../../fixtures/rego/rules.json"));
    let answers: Vec<Answer> = read(include_str!("../../fixtures/rego/answers.json"));
    assert_eq!(questions.len(), answers.len());
    assert!(questions.len() >= 50);
    for (question, answer) in questions.iter().zip(&answers) {
        let Question {
            name,
            rego,
            at,
            input,
        } = question;
        assert_eq!(*name, answer.name);
        let rule = Rule::parse(rego).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let found = rule.judge(input, at.parse().expect("a time"));
        if answer.error.is_empty() {
            let expected = answer.allow == Some(Value::Bool(true));
            assert_eq!(found.map(|ruling| ruling.allows), Ok(expected), "{name}");
        } else {
            assert!(
                matches!(found, Err(Unjudged::Fails(_))),
                "{name}: {found:?}"
            );
        }
    }
}
