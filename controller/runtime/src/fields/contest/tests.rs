use std::time::{Duration, Instant};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use portolan_api::Contest;
use rstest::rstest;
use serde_json::{Value, json};

use super::{ContestedObject, Contests, Live, fields, path, readable};

fn hull() -> ContestedObject {
    ContestedObject {
        namespace: Some("fleet".to_owned()),
        kind: "Subscription",
        name: "hull".to_owned(),
    }
}

fn managed(manager: &str, second: u32) -> ManagedFieldsEntry {
    let entry = json!({
        "manager": manager,
        "operation": "Update",
        "time": format!("2026-01-02T03:04:{second:02}Z"),
        "fieldsV1": {"f:spec": {"f:channel": {}}},
    });
    serde_json::from_value(entry).expect("an entry")
}

/// Returns the contests after a sequence of writes. At each of these minutes, the channel had this
/// value, and `stable` was written.
fn story(minutes: &[(u64, &str)], start: Instant) -> Contests {
    let mut contests = Contests::default();
    let manifest = json!({"spec": {"channel": "stable", "source": "fleet"}});
    for (minute, channel) in minutes {
        let live = json!({"spec": {"channel": channel, "source": "fleet"}});
        let managed = [
            managed("kubectl-edit", 1),
            managed("argocd", 9),
            managed("portolan", 30),
        ];
        let live = Live {
            fields: &live,
            managed: &managed,
            manager: "portolan",
        };
        let now = start + Duration::from_secs(minute * 60);
        contests.wrote(&hull(), fields(&manifest), Some(live), now);
    }
    contests
}

fn channel() -> Vec<Contest> {
    vec![Contest {
        kind: "Subscription",
        name: "hull".to_owned(),
        field: "spec.channel".to_owned(),
        manager: "argocd".to_owned(),
    }]
}

#[rstest]
#[case::the_first_write_is_no_contest(&[(0, "beta"), (1, "beta"), (2, "beta")], 2, vec![])]
#[case::three_times_back_are(
    &[(0, "beta"), (1, "beta"), (2, "beta"), (3, "beta")], 3, channel()
)]
#[case::contest_lasts_ten_minutes(
    &[(0, "beta"), (1, "beta"), (2, "beta"), (3, "beta")], 12, channel()
)]
#[case::contest_ends_after_ten_minutes_without_a_write(
    &[(0, "beta"), (1, "beta"), (2, "beta"), (3, "beta")], 13, vec![]
)]
#[case::equal_field_was_not_reverted(
    &[(0, "beta"), (1, "stable"), (2, "stable"), (3, "stable"), (4, "beta")], 4, vec![]
)]
#[case::three_reverts_in_a_long_time_are_no_contest(
    &[(0, "beta"), (6, "beta"), (12, "beta"), (18, "beta"), (24, "beta")], 24, vec![]
)]
#[case::count_starts_again_after_a_contest(
    &[(0, "beta"), (1, "beta"), (2, "beta"), (3, "beta"), (13, "beta"), (14, "beta")], 14, vec![]
)]
fn detects_a_contested_field(
    #[case] minutes: &[(u64, &str)],
    #[case] minute: u64,
    #[case] expected: Vec<Contest>,
) {
    let start = Instant::now();
    let now = start + Duration::from_secs(minute * 60);
    assert_eq!(story(minutes, start).contests("fleet", now), expected);
}

#[test]
fn different_value_restarts_the_contest() {
    let start = Instant::now();
    let mut contests = story(&[(0, "beta"), (1, "beta"), (2, "beta")], start);
    let live = json!({"spec": {"channel": "beta"}});
    let live = Live {
        fields: &live,
        managed: &[],
        manager: "portolan",
    };
    for channel in ["fast", "stable"] {
        let manifest = json!({"spec": {"channel": channel}});
        contests.wrote(&hull(), fields(&manifest), Some(live), start);
    }
    assert_eq!(contests.contests("fleet", start), vec![]);
}

#[test]
fn contest_belongs_to_its_namespace_and_expires() {
    let start = Instant::now();
    let contests = story(&[(0, "a"), (1, "a"), (2, "a"), (3, "a")], start);
    assert_eq!(contests.contests("port", start), vec![]);
    let end = start + Duration::from_secs(13 * 60);
    assert_eq!(contests.until("fleet", start), Some(end));
}

#[test]
fn deleted_object_has_no_contest() {
    let start = Instant::now();
    let mut contests = story(&[(0, "a"), (1, "a"), (2, "a"), (3, "a")], start);
    contests.forget(&hull());
    assert_eq!(contests.contests("fleet", start), vec![]);
}

#[test]
fn fields_of_a_manifest_omit_its_identity() {
    let manifest = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "hull", "namespace": "fleet", "uid": "u", "labels": {"a.b/c": ""}},
        "spec": {"channel": "stable", "list": [1]},
    });
    let expected: Vec<(String, Option<Value>)> = vec![
        ("metadata.labels[a.b/c]".to_owned(), Some(json!(""))),
        ("spec.channel".to_owned(), Some(json!("stable"))),
        ("spec.list".to_owned(), Some(json!([1]))),
    ];
    let found = fields(&manifest).into_iter();
    let found: Vec<_> = found
        .map(|(path, value)| (readable(&path), value))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn json_pointer_is_parsed_to_a_path() {
    assert_eq!(
        path("/metadata/labels/a~1b~0c"),
        ["metadata", "labels", "a/b~c"]
    );
}
