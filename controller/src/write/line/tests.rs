use kube::core::Status;
use rstest::rstest;
use serde_json::{Value, json};

use super::About::{Known, New};
use super::WriteFailure::{Changed, Lost, Refused};
use super::{About, WriteFailure, refusal};

const PATCHED: &str = "the server rejected our request due to an error in our request";

fn caused(field: &str) -> Value {
    let causes = [json!({"reason": "FieldValueInvalid", "message": "no", "field": field})];
    json!({"kind": "Subscription", "name": "hull", "causes": causes})
}

#[rstest]
#[case::one_that_is_there_already(New, 409, json!({"kind": "subscriptions"}), Changed)]
#[case::one_that_was_changed(Known, 409, json!({"kind": "subscriptions"}), Changed)]
#[case::one_that_is_gone(Known, 404, json!({"kind": "subscriptions"}), Changed)]
#[case::the_namespace_of_a_new_one_is_missing(New, 404, json!({"kind": "namespaces"}), Refused)]
#[case::a_patch_that_does_not_fit(Known, 422, json!({}), Changed)]
#[case::a_patch_that_does_not_fit_and_no_word_more(Known, 422, Value::Null, Changed)]
#[case::an_object_with_another_uid(Known, 422, caused("metadata.uid"), Changed)]
#[case::an_object_that_is_not_valid(Known, 422, caused("spec.channel"), Refused)]
#[case::a_new_object_that_is_not_valid(New, 422, caused("spec.channel"), Refused)]
#[case::a_webhook_or_quota_that_denies(Known, 403, json!({}), Refused)]
#[case::a_request_that_makes_no_sense(Known, 400, json!({}), Refused)]
#[case::nobody_that_is_known(Known, 401, json!({}), Refused)]
#[case::too_many_requests(Known, 429, json!({}), Lost)]
#[case::an_error_of_the_server(Known, 500, json!({}), Lost)]
#[case::a_server_that_is_not_there(New, 503, json!({}), Lost)]
#[case::an_answer_without_a_code(Known, 0, json!({}), Lost)]
fn what_an_answer_means(
    #[case] about: About,
    #[case] code: u16,
    #[case] details: Value,
    #[case] expected: fn(String) -> WriteFailure,
) {
    let status: Status = serde_json::from_value(json!({
        "code": code,
        "message": format!("{PATCHED}."),
        "details": details,
    }))
    .expect("a status");
    assert_eq!(refusal(about, &status), expected(PATCHED.to_owned()));
}
