//! Tests which Operator belongs to a Subscription.

use std::collections::BTreeMap;

use portolan_core_components::{Association, Stored, Subscription, associated_with};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

fn subscription() -> Subscription {
    Subscription {
        package: "plum.test".to_owned(),
        channel: "stable".to_owned(),
        catalog: "my-ns/community".to_owned(),
        ..Subscription::default()
    }
}

fn spec(channel: &str) -> Value {
    json!({"updates": {"type": "CatalogSource", "catalogSource": {
        "package": "plum.test", "channel": channel, "ref": {"name": "community", "namespace": "my-ns"},
    }}})
}

fn operators(name: &str, channel: &str) -> BTreeMap<String, Stored> {
    let stored = Stored {
        spec: spec(channel).as_object().cloned(),
        status: None,
    };
    [(name.to_owned(), stored)].into()
}

#[rstest]
#[case::with_the_same_package(operators("mine", "stable"), Association::With("mine".to_owned()))]
#[case::with_another_package(
    operators("plum-test", "beta"), Association::Taken("plum-test".to_owned())
)]
fn uses_an_existing_operator_only_if_the_package_matches(
    #[case] operators: BTreeMap<String, Stored>,
    #[case] expected: Association,
) {
    assert_eq!(
        associated_with(&subscription(), false, &operators),
        expected
    );
}

#[test]
fn creates_operator_if_none_names_the_package() {
    let made = associated_with(&subscription(), true, &operators("mine", "beta"));
    let Association::Made { name, operator } = made else {
        panic!("{made:?}");
    };
    let mut expected = spec("stable");
    expected["updates"]["catalogSource"]["approval"] = json!("Manual");
    assert_eq!(name, "plum-test");
    assert_eq!(operator["spec"], expected);
    let stored = Stored {
        spec: operator["spec"].as_object().cloned(),
        status: None,
    };
    let there = [(name.clone(), stored)].into();
    let again = associated_with(&subscription(), true, &there);
    assert_eq!(
        again,
        Association::With(name),
        "the Operator is created only once"
    );
}
