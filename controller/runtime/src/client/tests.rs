use kube::core::Status;
use portolan_kit::Proxy;
use prometheus_client::registry::Registry;
use rstest::rstest;
use serde_json::{Value, json};

use super::About::{Known, New};
use super::WriteFailure::{FieldsOwned, Lost, Refused};
use super::{About, FencedClient, FieldConflict, Mismatch, WriteFailure, refusal};
use crate::lease::Fence;
use crate::metrics::{ControllerMetrics, Writes};
use crate::write::Write;

const PATCHED: &str = "the server rejected our request due to an error in our request";

fn caused(field: &str) -> Value {
    let causes = [json!({"reason": "FieldValueInvalid", "message": "no", "field": field})];
    json!({"kind": "Subscription", "name": "hull", "causes": causes})
}

fn exists(sentence: String) -> WriteFailure {
    WriteFailure::Conflict(Mismatch::Exists(sentence))
}

fn gone(sentence: String) -> WriteFailure {
    WriteFailure::Conflict(Mismatch::Gone(sentence))
}

fn changed(sentence: String) -> WriteFailure {
    WriteFailure::Conflict(Mismatch::Changed(sentence))
}

fn expired(sentence: String) -> WriteFailure {
    WriteFailure::Conflict(Mismatch::Expired(sentence))
}

#[rstest]
#[case::object_exists_already(New, 409, json!({"kind": "subscriptions"}), exists)]
#[case::object_was_changed(Known, 409, json!({"kind": "subscriptions"}), changed)]
#[case::object_does_not_exist(Known, 404, json!({"kind": "subscriptions"}), gone)]
#[case::namespace_of_a_new_object_is_missing(New, 404, json!({"kind": "namespaces"}), Refused)]
#[case::invalid_object(Known, 422, caused("spec.channel"), Refused)]
#[case::invalid_new_object(New, 422, caused("spec.channel"), Refused)]
#[case::webhook_or_quota_denies(Known, 403, json!({}), Refused)]
#[case::bad_request(Known, 400, json!({}), Refused)]
#[case::unauthenticated(Known, 401, json!({}), Refused)]
#[case::too_many_requests(Known, 429, json!({}), Lost)]
#[case::server_error(Known, 500, json!({}), Lost)]
#[case::server_is_unavailable(New, 503, json!({}), Lost)]
#[case::response_without_a_code(Known, 0, json!({}), Lost)]
#[case::stale_apply(Known, 409, json!({"kind": "deployments", "name": "hull"}), changed)]
#[case::expired_list(Known, 410, json!({}), expired)]
fn status_code_maps_to_a_write_failure(
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

/// An example is an InstallPlan that has changed since it was reviewed.
#[rstest]
#[case::patch_that_cannot_be_applied(json!({}))]
#[case::patch_that_cannot_be_applied_without_details(Value::Null)]
#[case::object_with_another_uid(caused("metadata.uid"))]
fn concurrent_change_is_a_conflict_and_not_a_rejection(#[case] details: Value) {
    let status = json!({"code": 422, "message": format!("{PATCHED}."), "details": details});
    let status: Status = serde_json::from_value(status).expect("a status");
    let changed = changed("another client changed the object in the meantime".to_owned());
    assert_eq!(refusal(Known, &status), changed);
}

/// The response is copied from an API server of version 1.36.
#[test]
fn unforced_apply_conflict_names_all_managers_and_fields() {
    let cause = |message: &str, field: &str| json!({"reason": "FieldManagerConflict", "message": message, "field": field});
    let message = "Apply failed with 4 conflicts: conflicts with \"kubectl-edit\" using apps/v1:\n- .spec.paused";
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Conflict",
        "details": {"causes": [
            cause("conflict with \"helm\"", ".data.a"),
            cause(
                "conflict with \"kubectl-edit\" using apps/v1 at 2026-11-20T06:07:08Z",
                ".spec.template.spec.containers[name=\"hull\"].image",
            ),
            cause("conflict with \"hpa\" with subresource \"scale\" using apps/v1", ".spec.replicas"),
            cause("conflict with \"a \\\"quoted\\\" one\" using v1", ".data.b"),
        ]},
        "code": 409,
    });
    let status: Status = serde_json::from_value(status).expect("a status");
    let conflict = |manager: &str, subresource: Option<&str>, field: &str| FieldConflict {
        manager: manager.to_owned(),
        subresource: subresource.map(str::to_owned),
        field: field.to_owned(),
    };
    let expected = FieldsOwned(vec![
        conflict("helm", None, ".data.a"),
        conflict(
            "kubectl-edit",
            None,
            ".spec.template.spec.containers[name=\"hull\"].image",
        ),
        conflict("hpa", Some("scale"), ".spec.replicas"),
        conflict("a \"quoted\" one", None, ".data.b"),
    ]);
    assert_eq!(refusal(Known, &status), expected);
    let one = FieldsOwned(vec![conflict("helm", None, ".data.a")]);
    let told = "other field managers own fields to be applied: .data.a of \"helm\"";
    assert_eq!(one.to_string(), told);
}

fn event() -> Write {
    let manifest = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "told", "namespace": "harbor"},
    });
    Write::create(manifest).expect("a write")
}

/// Returns a client of an API server. The API server responds with this code to the first request,
/// and does not respond to later requests.
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

/// Writes are counted by user. Denied writes are counted, too.
#[tokio::test]
async fn all_writes_except_dry_runs_are_counted() {
    let metrics = ControllerMetrics::default();
    let writes = metrics.writes("policies", &["Event"]);
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
    metrics.register(&mut registry);
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry).expect("a text");
    let name = "portolan_controller_writes_total";
    let counted = text.lines().filter(|line| line.starts_with(name));
    let mut counted: Vec<_> = counted.collect();
    counted.sort_unstable();
    let labels = "controller=\"policies\",kind=\"Event\",verb=\"create\"";
    let line = |result: &str| format!("{name}{{{labels},result=\"{result}\"}} 1");
    assert_eq!(counted, ["changed", "lost", "refused"].map(line));
}
