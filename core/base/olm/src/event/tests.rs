use portolan_kit::world;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::read_value;

#[test]
fn involved_object_of_a_warning_event_is_read() {
    let world = world()
        .deployment("ferry", 0, 1)
        .replica_set("ferry-6f", 1, 1)
        .stamped("r-1", "9")
        .event("FailedCreate", "exceeded quota");
    let object = world.objects()[2].clone();
    let (event, faults) = read_value::<Event>(object).expect("an Event");
    assert_eq!(faults, []);
    let expected = Event {
        metadata: event.metadata.clone(),
        involved_object: InvolvedObject {
            kind: "ReplicaSet".into(),
            namespace: "default".into(),
            name: "ferry-6f".into(),
            uid: "r-1".into(),
            field_path: String::new(),
        },
        r#type: EventType::Warning,
        reason: "FailedCreate".into(),
        message: "exceeded quota".into(),
        count: Some(1),
        first_timestamp: Some("2026-01-01T00:00:00Z".into()),
        last_timestamp: Some("2026-01-01T00:00:00Z".into()),
        event_time: None,
        series: None,
    };
    assert_eq!(event, expected);
}

#[rstest]
#[case::by_an_older_component(json!({"lastTimestamp": "b", "eventTime": null}), "b")]
#[case::event_time_without_a_last_timestamp(json!({"lastTimestamp": null, "eventTime": "a"}), "a")]
#[case::again_and_again(json!({"eventTime": "a", "series": {"lastObservedTime": "c"}}), "c")]
#[case::without_any_time(json!({}), "")]
fn reads_time_of_the_last_occurrence(#[case] event: Value, #[case] seen: &str) {
    let (event, faults) = read_value::<Event>(event).expect("an Event");
    assert_eq!(faults, []);
    assert_eq!(event.last_seen(), seen);
}

#[rstest]
#[case::by_an_older_component(
    json!({"count": 14, "firstTimestamp": "2026-01-01T02:10:00Z"}),
    Some("14 times since 2026-01-01 02:10 UTC")
)]
#[case::by_a_newer_one(
    json!({"eventTime": "2026-01-01T02:10:00.000001Z", "series": {"count": 3}}),
    Some("3 times since 2026-01-01 02:10 UTC")
)]
#[case::without_a_time(json!({"count": 2}), Some("2 times"))]
#[case::once(json!({"count": 1, "firstTimestamp": "2026-01-01T02:10:00Z"}), None)]
#[case::never_counted(json!({}), None)]
fn reads_number_and_period_of_occurrences(#[case] event: Value, #[case] expected: Option<&str>) {
    let (event, faults) = read_value::<Event>(event).expect("an Event");
    assert_eq!(faults, []);
    let repetition = event.repetition().map(|it| it.to_string());
    assert_eq!(repetition.as_deref(), expected);
}
