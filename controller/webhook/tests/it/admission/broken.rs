//! Tests with random changes in valid requests.

use fastrand::Rng;
use portolan_webhook::admission::{Absent, Kind, Request, references, review};
use serde_json::{Value, json};

use crate::admission::creation;

const WRONG: [&str; 6] = [
    "null",
    "7",
    "\"a\"",
    "[]",
    "[{\"a\": []}]",
    "{\"a\": {\"b\": 1}}",
];

/// Returns requests that create objects of several kinds. The specs have fields of many types.
fn seeds() -> Vec<Value> {
    let specs = [
        (
            Kind::OperatorPolicy,
            json!({
                "remediationAction": "enforce", "allowedCSVs": ["ferry.v1.0.0"],
                "severity": "low", "complianceType": "musthave",
                "subscription": {"name": "ferry", "namespace": "harbor", "config": {"env": [{}]}},
                "operatorGroup": {"name": "all", "namespace": "harbor"},
                "removalBehavior": {"subscriptions": "Delete"},
            }),
        ),
        (
            Kind::Operator,
            json!({
                "packageName": "ferry", "version": "1.0 || 2.0", "channels": ["a"],
                "catalogSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
                "serviceAccount": {"name": "a", "namespace": "b"},
            }),
        ),
        (
            Kind::Policy,
            json!({
                "schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0", "timeZone": "UTC"}],
                "opaPolicy": "allow if { some a in [1, 2]; a > 1 }",
            }),
        ),
        (
            Kind::PolicyBinding,
            json!({
                "subjects": [{"kind": "Operator", "name": "*"}],
                "policyRef": [{"kind": "Policy", "name": "a"}],
            }),
        ),
        (
            Kind::InstallPlan,
            json!({
                "serviceAccountName": "a", "lifecycle": {"onDrift": "Seal"},
                "stages": [{
                    "name": "all", "ready": [{"kind": "Job", "cel": "object.a == 1"}],
                    "resources": [{"manifest": {
                        "apiVersion": "v1", "kind": "Secret", "data": {"a": "YQ=="},
                        "metadata": {"name": "a", "labels": {"b": "c"}},
                    }}],
                    "jobs": [{"name": "a", "template": {"spec": {"template": {"spec": {}}}}}],
                }],
                "transformations": [{"from": [{"kind": "Job", "name": "a"}], "order": "After"}],
            }),
        ),
    ];
    specs.map(|(kind, spec)| creation(kind, &spec)).into()
}

/// Replaces one random value in the request by one of [`WRONG`].
fn break_one(value: &mut Value, rng: &mut Rng) {
    let inner = match value {
        Value::Array(items) if !items.is_empty() => {
            let place = rng.usize(..items.len());
            Some(&mut items[place])
        }
        Value::Object(fields) if !fields.is_empty() => {
            let place = rng.usize(..fields.len());
            fields.values_mut().nth(place)
        }
        _ => None,
    };
    match inner {
        Some(inner) if rng.u8(..8) > 0 => break_one(inner, rng),
        Some(_) | None => {
            *value = serde_json::from_str(rng.choice(WRONG).expect("one")).expect("JSON")
        }
    }
}

/// Reviews bytes. If they are a request, the response must be valid.
fn asked(bytes: &[u8]) {
    if let Ok(request) = Request::parse(bytes) {
        let absent = Absent(references(&request));
        let response = review(&request, &absent);
        let allowed = &response.to_json()["response"]["allowed"];
        assert_eq!(*allowed, response.is_allowed());
    }
}

#[test]
fn any_value_in_any_field_gets_a_response() {
    let mut rng = Rng::with_seed(7);
    for seed in seeds() {
        for _ in 0..400 {
            let mut broken = seed.clone();
            for _ in 0..=rng.usize(..3) {
                break_one(&mut broken, &mut rng);
            }
            asked(broken.to_string().as_bytes());
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut rng = Rng::with_seed(7);
    for seed in seeds() {
        let text = seed.to_string().into_bytes();
        for _ in 0..300 {
            let mut bytes = text.clone();
            for _ in 0..=rng.usize(..4) {
                let place = rng.usize(..bytes.len());
                match rng.u8(..3) {
                    0 => bytes[place] = rng.u8(..),
                    1 => bytes.truncate(place.max(1)),
                    _ => bytes.insert(place, rng.u8(..)),
                }
            }
            asked(&bytes);
        }
    }
    for bytes in [&b""[..], b"{}", b"[]", b"{\"request\": null}", b"\xff\xfe"] {
        assert!(Request::parse(bytes).is_err());
    }
}

#[test]
fn deeply_nested_request_is_rejected() {
    let deep = format!("{{\"request\": {}", "[".repeat(100_000));
    assert!(Request::parse(deep.as_bytes()).is_err());
}
