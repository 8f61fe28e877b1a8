use kube::core::Status;
use rstest::rstest;
use serde_json::{Value, json};

use super::About::{Known, New};
use super::WriteFailure::{Changed, Lost, Refused};
use super::{About, Deed, Line, WriteFailure, refusal};
use crate::metrics::Metrics;
use portolan_runtime::lease::Fence;

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

/// Such as an InstallPlan that is not as it was reviewed.
#[rstest]
#[case::a_patch_that_does_not_fit(json!({}))]
#[case::a_patch_that_does_not_fit_and_no_word_more(Value::Null)]
#[case::an_object_with_another_uid(caused("metadata.uid"))]
fn what_somebody_changed_meanwhile_is_no_refusal(#[case] details: Value) {
    let status = json!({"code": 422, "message": format!("{PATCHED}."), "details": details});
    let status: Status = serde_json::from_value(status).expect("a status");
    let changed = Changed("somebody changed it meanwhile".to_owned());
    assert_eq!(refusal(Known, &status), changed);
}

/// Whoever writes is counted, and also that he may not.
#[tokio::test]
async fn no_write_goes_uncounted() {
    let nowhere = kube::Config::new("http://127.0.0.1:1".parse().expect("a URL"));
    let client = kube::Client::try_from(nowhere).expect("a client");
    let (metrics, registry) = Metrics::new();
    let fence = Fence::open();
    let line = Line::new(client, fence.clone()).counting(metrics.writes());
    let told = Deed("tell", "OperatorPolicy");
    let conflict = kube::Error::Api(Box::new(Status::failure("no", "Conflict").with_code(409)));
    for answer in [Ok(()), Err(conflict)] {
        let _ = line.write(told, Known, async { answer }).await;
    }
    fence.shut();
    let _ = line
        .write(Deed("create", "Event"), New, async { Ok(()) })
        .await;
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry).expect("a text");
    let counted = text
        .lines()
        .filter(|line| line.starts_with("portolan_controller_writes_total"));
    let mut counted: Vec<_> = counted.collect();
    counted.sort_unstable();
    let name = "portolan_controller_writes_total";
    assert_eq!(
        counted,
        [
            format!("{name}{{kind=\"Event\",verb=\"create\",result=\"lost\"}} 1"),
            format!("{name}{{kind=\"OperatorPolicy\",verb=\"tell\",result=\"changed\"}} 1"),
            format!("{name}{{kind=\"OperatorPolicy\",verb=\"tell\",result=\"done\"}} 1"),
        ]
    );
}
