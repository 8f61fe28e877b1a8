//! Tests of the conditions in a status: random sequences of reconciles are compared with a model.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::plan::{ConditionType, Reason};
use portolan_api::status::{
    ConditionTypes, Conditions, Reconcile, UndatedCondition, Undecided, explain, find, is_false,
    is_true, others, read,
};
use portolan_api::{components, installs, operator, policy};
use portolan_core_olm::State;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use similar_asserts::assert_eq;

type Rule = Undecided<Reason>;

/// The decision of a reconcile about one condition: the condition if it is set, and the rule of the
/// kind if it is not set.
type Decided = (Option<UndatedCondition<Reason>>, Rule);

fn conditions() -> impl Strategy<Value = UndatedCondition<Reason>> {
    let states = select(vec![State::Yes, State::NotYet, State::No]);
    let reasons = select(Reason::ALL);
    let parts = (states, reasons, "[a-c]{0,2}( |\n)?[a-c]{0,2}");
    parts.prop_map(|(state, reason, message)| UndatedCondition::of(state, reason, message))
}

fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Undecided::Kept),
        Just(Undecided::Removed),
        conditions().prop_map(Undecided::KeptOr),
        conditions().prop_map(Undecided::Set),
    ]
}

/// Generates a sequence of reconciles. Each reconcile has a decision about each type, in order.
fn reconciles() -> impl Strategy<Value = Vec<Vec<Decided>>> {
    let one = (proptest::option::of(conditions()), rules());
    vec(vec(one, ConditionType::ALL.len()), 1..8)
}

fn at(second: usize) -> Time {
    let text = format!("2026-01-01T00:00:{second:02}Z");
    serde_json::from_value(json!(text)).expect("a time")
}

/// An expected condition. The number of a reconcile is also its time in seconds.
#[derive(Debug, Clone, PartialEq)]
struct Expected {
    status: &'static str,
    reason: String,
    message: String,
    /// The number of the reconcile that set the condition.
    set_by: usize,
    /// The number of the reconcile that last changed the status.
    since: usize,
}

/// The expected conditions, by type.
type Model = BTreeMap<ConditionType, Expected>;

/// Applies a decision to the expected conditions.
fn expect(model: &mut Model, type_: ConditionType, (set, rule): &Decided, round: usize) {
    let new = match (set, rule) {
        (Some(new), _) | (None, Undecided::Set(new)) => new,
        (None, Undecided::KeptOr(new)) if !model.contains_key(&type_) => new,
        (None, Undecided::KeptOr(_) | Undecided::Kept) => return,
        (None, Undecided::Removed) => {
            model.remove(&type_);
            return;
        }
    };
    let status = type_.status(new.state);
    let same = model.get(&type_).filter(|old| old.status == status);
    let words: Vec<_> = new.message.split_whitespace().collect();
    let expected = Expected {
        status,
        reason: new.reason.to_string(),
        message: words.join(" "),
        set_by: round,
        since: same.map_or(round, |old| old.since),
    };
    model.insert(type_, expected);
}

fn assert_expected(model: &Model, after: &[Condition]) {
    let types: Vec<_> = after.iter().filter_map(ConditionType::of).collect();
    assert_eq!(types, model.keys().copied().collect::<Vec<_>>());
    for (type_, expected) in model {
        let condition = find(after, *type_).expect("a condition");
        assert_eq!(condition.status, expected.status);
        assert_eq!(condition.reason, expected.reason);
        assert_eq!(condition.message, expected.message);
        assert_eq!(condition.observed_generation, generation(expected.set_by));
        assert_eq!(condition.last_transition_time, at(expected.since));
        assert_eq!(is_true(after, *type_), expected.status == "True");
        assert_eq!(is_false(after, *type_), expected.status == "False");
    }
}

fn generation(round: usize) -> Option<i64> {
    i64::try_from(round).ok()
}

proptest! {
    #[test]
    fn conditions_match_the_model_after_random_reconciles(
        reconciles in reconciles(),
    ) {
        let (mut model, mut before) = (Model::new(), Vec::new());
        for (round, decisions) in reconciles.iter().enumerate() {
            let by_type = ConditionType::ALL.iter().copied().zip(decisions);
            let by_type: BTreeMap<_, _> = by_type.collect();
            let mut decided = Conditions::default();
            for (type_, decision) in &by_type {
                decided = decided.with(*type_, decision.0.clone());
                expect(&mut model, *type_, decision, round);
            }
            let generation = generation(round);
            let reconcile = Reconcile { before: &before, generation, now: at(round) };
            let after = decided.render(&reconcile, |type_| by_type[&type_].1.clone());
            assert_expected(&model, &after);
            before = after;
        }
    }
}

#[test]
fn long_message_becomes_one_line_of_limited_length() {
    let long = format!("a\n  b {}", "c".repeat(40_000));
    let reconcile = Reconcile {
        before: &[],
        generation: None,
        now: at(0),
    };
    let condition = UndatedCondition::no(Reason::SpecInvalid, long);
    let condition = reconcile.dated(ConditionType::Valid, condition);
    assert!(condition.message.starts_with("a b c"));
    assert_eq!(condition.message.len(), 32_003);
}

#[test]
fn changed_message_of_a_condition_keeps_its_status_and_times() {
    let mut conditions = read(&json!([
        {
            "type": "Applied", "status": "False", "reason": "Applying", "message": "stage 1",
            "observedGeneration": 3, "lastTransitionTime": "2026-01-01T00:00:00Z",
        },
        "not a condition",
        {
            "type": "Theirs", "status": "True", "reason": "Healthy", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        },
    ]));
    let types: Vec<_> = others::<ConditionType>(&conditions)
        .map(|it| it.type_.as_str())
        .collect();
    assert_eq!(types, ["Theirs"]);
    let before = conditions.clone();
    explain(
        &mut conditions,
        ConditionType::Valid,
        None,
        "no such condition".to_owned(),
    );
    assert_eq!(conditions, before);
    let reason = Some(Reason::WriteRejected);
    explain(
        &mut conditions,
        ConditionType::Applied,
        reason,
        "refused".to_owned(),
    );
    let mut expected = before;
    expected[0].reason = "WriteRejected".to_owned();
    expected[0].message = "refused".to_owned();
    assert_eq!(conditions, expected);
    explain(
        &mut conditions,
        ConditionType::Applied,
        None,
        "refused again".to_owned(),
    );
    assert_eq!(conditions[0].reason, "WriteRejected");
}

#[test]
fn every_kind_returns_only_its_own_condition_types() {
    fn all<T: ConditionTypes>() {
        for type_ in T::ALL {
            let conditions = read(&json!([{
                "type": type_.as_str(), "status": "True", "reason": "Healthy", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }]));
            assert!(T::of(&conditions[0]) == Some(*type_));
            assert!(is_true(&conditions, *type_));
            assert_eq!(others::<T>(&conditions).count(), 0);
        }
    }
    all::<ConditionType>();
    all::<operator::ConditionType>();
    all::<installs::ConditionType>();
    all::<components::ConditionType>();
    all::<policy::ConditionType>();
    all::<portolan_api::ConditionType>();
}
