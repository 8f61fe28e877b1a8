use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::*;

const NAME: &str = "portolan-webhook";

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// Returns a CA bundle that is valid until the end of this year.
fn bundle(year: i32) -> String {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::default();
    params.not_after = date_time_ymd(year + 1, 1, 1);
    let certificate = params.self_signed(&key).expect("a certificate");
    STANDARD.encode(certificate.pem())
}

/// Returns the facts about a webhook with this client configuration. `ready` contains the readiness
/// of each endpoint.
fn found(config: &Value, ready: &[Option<bool>]) -> WebhookFacts {
    let configuration = json!({
        "metadata": {"name": NAME},
        "webhooks": [{
            "name": "a.b.c", "clientConfig": config, "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }],
    });
    let configuration = serde_json::from_value(configuration).expect("a configuration");
    let mut found = WebhookFacts::of(Some(configuration));
    let slices = ready.iter().map(|ready| {
        let endpoint = json!({"addresses": ["10.0.0.1"], "conditions": {"ready": ready}});
        let slice = json!({"addressType": "IPv4", "endpoints": [endpoint], "metadata": {}});
        serde_json::from_value(slice).expect("a slice")
    });
    found.slices = slices.collect();
    found
}

fn called(ca_bundle: &str) -> Value {
    json!({"service": {"namespace": "portolan", "name": NAME}, "caBundle": ca_bundle})
}

fn presence(found: WebhookFacts) -> Presence {
    found.judged(NAME, time("2027-06-01T00:00:00Z")).presence
}

#[rstest]
#[case::one_endpoint_is_ready(&[Some(false), Some(true)])]
#[case::readiness_of_the_endpoint_is_unknown(&[None])]
fn webhook_with_usable_endpoint_is_available(#[case] ready: &[Option<bool>]) {
    let judged = found(&called(&bundle(2029)), ready).judged(NAME, time("2027-06-01T00:00:00Z"));
    let reported = (judged.presence, judged.next);
    assert_eq!(
        reported,
        (Presence::Here, Some(time("2030-01-01T00:00:00Z")))
    );
}

#[rstest]
#[case::no_endpoint(&[], &bundle(2029), "Service portolan/portolan-webhook has no ready endpoint")]
#[case::no_ready_endpoint(&[Some(false)], &bundle(2029), "Service portolan/portolan-webhook has no ready endpoint")]
#[case::empty_ca_bundle(&[None], "", "caBundle of ValidatingWebhookConfiguration portolan-webhook has no certificate")]
#[case::invalid_ca_bundle(&[None], "bm9uZQ==", "caBundle of ValidatingWebhookConfiguration portolan-webhook has no certificate")]
#[case::expired_ca_bundle(
    &[None], &bundle(2026),
    "caBundle of ValidatingWebhookConfiguration portolan-webhook has expired on 2027-01-01T00:00:00Z; "
)]
fn reports_why_webhook_is_unavailable(
    #[case] ready: &[Option<bool>],
    #[case] ca_bundle: &str,
    #[case] why: &str,
) {
    let Presence::Away(reported) = presence(found(&called(ca_bundle), ready)) else {
        panic!("it is there");
    };
    let begin = "objects are written without validation by the webhook, and only the conditions of \
        the objects show errors: ";
    let reported = reported.strip_prefix(begin).expect("the beginning");
    assert!(reported.starts_with(why), "{reported}");
}

#[test]
fn webhook_without_a_configuration_is_not_installed() {
    assert_eq!(presence(WebhookFacts::of(None)), Presence::NotInstalled);
}

/// Portolan does not manage such a webhook.
#[test]
fn webhook_called_by_url_is_present() {
    let found = found(&json!({"url": "https://127.0.0.1:8443/review"}), &[]);
    assert_eq!(presence(found), Presence::Here);
}
