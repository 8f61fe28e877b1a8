use portolan_api::FINALIZER;
use rstest::rstest;
use serde_json::{Value, json};

use super::{Sight, field, hold, release};

#[test]
fn a_patch_fits_one_version_of_one_object() {
    let sight = Sight {
        uid: "u-1",
        version: "7",
    };
    let patch = sight.patch(vec![field("/spec/approved", Some(&json!(true)))]);
    let expected = json!([
        {"op": "test", "path": "/metadata/uid", "value": "u-1"},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "add", "path": "/spec/approved", "value": true},
    ]);
    assert_eq!(patch, expected);
}

#[rstest]
#[case::into_an_empty_list(
    &[], Some(json!({"op": "add", "path": "/metadata/finalizers", "value": [FINALIZER]}))
)]
#[case::behind_those_of_others(
    &["a/b"], Some(json!({"op": "add", "path": "/metadata/finalizers/-", "value": FINALIZER}))
)]
#[case::once(&["a/b", FINALIZER], None)]
fn a_policy_is_held(#[case] there: &[&str], #[case] expected: Option<Value>) {
    let there: Vec<_> = there.iter().map(|each| (*each).to_owned()).collect();
    assert_eq!(hold(&there), expected);
}

#[rstest]
#[case::where_it_is_not_held(&["a/b"], None)]
#[case::and_others_hold_it_still(
    &["a/b", FINALIZER, "c/d"],
    Some(vec![
        json!({"op": "test", "path": "/metadata/finalizers/1", "value": FINALIZER}),
        json!({"op": "remove", "path": "/metadata/finalizers/1"}),
    ])
)]
fn a_policy_is_let_go(#[case] there: &[&str], #[case] expected: Option<Vec<Value>>) {
    let there: Vec<_> = there.iter().map(|each| (*each).to_owned()).collect();
    assert_eq!(release(&there), expected);
}
