use rstest::rstest;
use serde_json::{Value, json};

use super::*;

const SERVICE: fn() -> Value = || json!({"namespace": "harbor", "name": "ferry"});

fn object(fields: Value) -> Value {
    let mut object = json!({"metadata": {"name": "a", "uid": "u", "resourceVersion": "7"}});
    let fields = fields.as_object().expect("fields").clone();
    object.as_object_mut().expect("an object").extend(fields);
    object
}

fn applied(kind: SubjectKind, fields: Value) -> Value {
    let mut manifest = object(fields);
    manifest["apiVersion"] = json!(kind.api_version());
    manifest["kind"] = json!(kind.as_str());
    manifest
}

#[rstest]
#[case::of_an_api_service(
    SubjectKind::ApiService,
    json!({"spec": {"service": SERVICE(), "caBundle": "b2xk"}}),
    json!({"spec": {"caBundle": "bmV3"}}),
)]
#[case::of_a_conversion(
    SubjectKind::CustomResourceDefinition,
    json!({"spec": {"conversion": {"strategy": "Webhook", "webhook": {
        "clientConfig": {"service": SERVICE(), "caBundle": "b2xk"},
    }}}}),
    json!({"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "bmV3"}}}}}),
)]
#[case::of_an_admission_webhook(
    SubjectKind::ValidatingWebhookConfiguration,
    json!({"webhooks": [{"name": "w", "clientConfig": {"service": SERVICE(), "caBundle": "b2xk"}}]}),
    json!({"webhooks": [{"name": "w", "clientConfig": {"caBundle": "bmV3"}}]}),
)]
fn apply_contains_only_the_ca_bundle(
    #[case] kind: SubjectKind,
    #[case] fields: Value,
    #[case] expected: Value,
) {
    let subject = Subject::of(kind, &object(fields));
    let bundles: Vec<_> = subject.sites.iter().map(|site| &*site.ca_bundle).collect();
    assert_eq!(bundles, ["b2xk"]);
    let manifest = subject.manifest("harbor", "bmV3");
    assert_eq!(manifest, applied(kind, expected));
}

#[rstest]
#[case::a_url(
    SubjectKind::MutatingWebhookConfiguration,
    json!({"webhooks": [{"name": "w", "clientConfig": {"url": "https://ferry.test"}}]}),
)]
#[case::an_api_service_that_trusts_anybody(
    SubjectKind::ApiService,
    json!({"spec": {"service": SERVICE(), "insecureSkipTLSVerify": true}}),
)]
#[case::an_api_service_of_the_api_server_itself(SubjectKind::ApiService, json!({"spec": {}}))]
#[case::a_crd_without_conversion(
    SubjectKind::CustomResourceDefinition,
    json!({"spec": {"conversion": {"strategy": "None"}}}),
)]
#[case::an_empty_object(SubjectKind::ValidatingWebhookConfiguration, json!({}))]
fn writes_no_ca_bundle_for_objects_that_need_none(
    #[case] kind: SubjectKind,
    #[case] fields: Value,
) {
    assert_eq!(Subject::of(kind, &object(fields)).sites, []);
}

#[test]
fn ignores_webhooks_of_other_namespaces() {
    let other = json!({"namespace": "other", "name": "ferry"});
    let fields = json!({"webhooks": [
        {"name": "a", "clientConfig": {"service": SERVICE()}},
        {"name": "b", "clientConfig": {"service": other}},
        {"name": "c", "clientConfig": {"url": "https://ferry.test"}},
    ]});
    let kind = SubjectKind::MutatingWebhookConfiguration;
    let subject = Subject::of(kind, &object(fields));
    let expected = json!({"webhooks": [{"name": "a", "clientConfig": {"caBundle": "bmV3"}}]});
    assert_eq!(subject.manifest("harbor", "bmV3"), applied(kind, expected));
}
