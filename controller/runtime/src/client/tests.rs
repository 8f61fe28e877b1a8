use kube::core::Status;
use portolan_kit::Proxy;
use prometheus_client::registry::Registry;
use rstest::rstest;
use serde_json::{Value, json};

use super::About::{Known, New};
use super::WriteFailure::{Changed, Lost, Refused};
use super::{About, FencedClient, User, WriteFailure, refusal};
use crate::lease::Fence;
use crate::metrics::Writes;
use crate::write::Write;

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

fn event() -> Write {
    let manifest = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "told", "namespace": "harbor"},
    });
    Write::create(manifest).expect("a write")
}

/// A client before an API server that answers with this code once, and then not at all.
async fn client(code: u16, fence: &Fence, writes: &Writes) -> (Proxy, FencedClient) {
    let proxy = Proxy::before("http://127.0.0.1:1").await;
    proxy.answer("/", code, usize::MAX);
    let config = kube::Config::new(proxy.url().parse().expect("a URL"));
    let client = kube::Client::try_from(config).expect("a client");
    (
        proxy,
        FencedClient::new(client, fence.clone(), writes.clone()),
    )
}

/// Whoever writes is counted, and also that he may not.
#[tokio::test]
async fn no_write_goes_uncounted_but_for_dry_runs() {
    let writes = Writes::of(&["Event"]);
    let fence = Fence::open();
    for code in [409, 403] {
        let (_proxy, client) = client(code, &fence, &writes).await;
        client.write(&event()).await.expect_err("a refusal");
        let dry = client.dry_run().write(&event()).await;
        dry.expect_err("a refusal");
    }
    fence.shut();
    let (proxy, client) = client(403, &fence, &writes).await;
    client.write(&event()).await.expect_err("a fence");
    assert_eq!(proxy.requests().len(), 0);
    let mut registry = Registry::default();
    writes.register(&mut registry, "portolan_controller", "policies");
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry).expect("a text");
    let name = "portolan_controller_writes_total";
    let counted = text.lines().filter(|line| line.starts_with(name));
    let mut counted: Vec<_> = counted.collect();
    counted.sort_unstable();
    let line =
        |result: &str| format!("{name}{{kind=\"Event\",verb=\"create\",result=\"{result}\"}} 1");
    assert_eq!(counted, ["changed", "lost", "refused"].map(line));
}

#[test]
fn a_service_account_is_in_the_groups_of_all_service_accounts() {
    let expected = User {
        name: "system:serviceaccount:harbor:installer".to_owned(),
        groups: vec![
            "system:serviceaccounts".to_owned(),
            "system:serviceaccounts:harbor".to_owned(),
            "system:authenticated".to_owned(),
        ],
    };
    assert_eq!(User::service_account("harbor", "installer"), expected);
}
