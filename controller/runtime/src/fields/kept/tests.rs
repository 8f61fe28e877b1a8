use std::time::{Duration, Instant};

use portolan_api::PrunedField;
use rstest::rstest;
use serde_json::{Value, json};

use super::Losses;
use crate::fields::contest::{ContestedObject, path};

fn hull() -> ContestedObject {
    ContestedObject {
        namespace: Some("fleet".to_owned()),
        kind: "Subscription",
        name: "hull".to_owned(),
    }
}

/// Writes a config with two fields. The API server stores only `config`. Returns the fields that
/// were not stored.
fn losses(config: Option<Value>, start: Instant) -> (Losses, Vec<PrunedField>) {
    let mut losses = Losses::default();
    let wrote = json!({"env": [], "sails": 2});
    let mut object = json!({"spec": {"channel": "stable"}});
    if let Some(config) = config {
        object["spec"]["config"] = config;
    }
    let field = path("/spec/config");
    let lost = losses.wrote(&hull(), (&field, Some(&wrote)), &object, start);
    (losses, lost.into_iter().collect())
}

fn pruned(kept: Option<Value>) -> Vec<PrunedField> {
    vec![PrunedField {
        kind: "Subscription",
        name: "hull".to_owned(),
        field: "spec.config".to_owned(),
        wrote: json!({"env": [], "sails": 2}),
        kept,
    }]
}

#[rstest]
#[case::all(Some(json!({"env": [], "sails": 2})), vec![])]
#[case::a_part(Some(json!({"env": []})), pruned(Some(json!({"env": []}))))]
#[case::nothing(None, pruned(None))]
fn lists_pruned_fields(#[case] config: Option<Value>, #[case] expected: Vec<PrunedField>) {
    let start = Instant::now();
    let (losses, reported) = losses(config, start);
    assert_eq!(
        (reported, losses.of("fleet", start)),
        (expected.clone(), expected)
    );
    assert_eq!(losses.of("port", start), vec![]);
}

#[test]
fn pruned_field_is_written_again_after_ten_minutes() {
    let start = Instant::now();
    let (losses, _) = losses(None, start);
    let later = start + Duration::from_secs(600);
    assert_eq!(losses.of("fleet", later), vec![]);
}

#[test]
fn rewritten_or_deleted_object_has_no_losses() {
    let start = Instant::now();
    let (mut losses, _) = losses(None, start);
    let field = path("/spec/config");
    let object = json!({"spec": {}});
    losses.wrote(&hull(), (&field, None), &object, start);
    assert_eq!(losses.of("fleet", start), vec![]);

    let (mut losses, _) = self::losses(None, start);
    losses.forget(&hull());
    assert_eq!(losses.of("fleet", start), vec![]);
}
