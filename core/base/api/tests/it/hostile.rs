//! Tests of policies with random or malicious content.

use portolan_api::{Claim, Form, Intent, OperatorPolicy};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use crate::policies::{manifest, names};

/// Generates any JSON, with texts that are meaningful in some fields.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("*".to_owned()),
        Just("{{ x }}".to_owned()),
        Just("enforce".to_owned()),
        Just("etcd@>=1.0.0".to_owned()),
        Just("Delete".to_owned()),
        Just(String::new()),
        ".{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("name".to_owned()),
        Just("selector".to_owned()),
        Just("namespaces".to_owned()),
        Just("allowedCSVs".to_owned()),
        ".{0,8}",
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        let fields = prop::collection::vec((name.clone(), inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Generates the spec of a valid policy.
fn any_spec() -> impl Strategy<Value = Value> {
    prop::sample::select(names()).prop_map(|name| manifest(&name).spec.as_json().clone())
}

/// Collects the JSON pointers of all values in a value. A parent comes before its children.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            places(value, &format!("{at}/{name}"), all);
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| places(value, &format!("{at}/{index}"), all)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn replaced(mut spec: Value, at: &Index, value: Value) -> Value {
    let mut all = Vec::new();
    places(&spec, "", &mut all);
    let at: &String = at.get(&all);
    let place = spec.pointer_mut(at).expect("a place");
    *place = value;
    spec
}

fn policy(spec: Value) -> OperatorPolicy {
    OperatorPolicy {
        spec: spec.into(),
        ..OperatorPolicy::default()
    }
}

/// The objects in a spec whose fields are all known. An unknown field makes the policy invalid.
const CLOSED: &[&str] = &[
    "",
    "/subscription",
    "/subscription/config",
    "/operatorGroup",
    "/operatorGroup/target",
    "/operatorGroup/selector",
    "/removalBehavior",
    "/complianceConfig",
    "/statusConfig",
];

proptest! {
    #[test]
    fn any_spec_is_parsed_deterministically_or_rejected(
        spec in any_spec(),
        changes in prop::collection::vec((any::<Index>(), any_json()), 1..4)
    ) {
        let spec = changes.into_iter().fold(spec, |spec, (at, value)| replaced(spec, &at, value));
        let policy = policy(spec);
        let parsed = Intent::parse(&policy);
        prop_assert_eq!(&parsed, &Intent::parse(&policy.clone()));
        prop_assert_eq!(Claim::of(&policy), Claim::of(&policy.clone()));
        match parsed {
            Ok(intent) => {
                prop_assert!(!intent.consents.is_empty());
                let allowed = &policy.spec.as_json()["allowedCSVs"];
                prop_assert_eq!(intent.form == Form::Design, !allowed.is_null());
            }
            Err(refusals) => {
                prop_assert!(refusals.iter().count() > 0);
                prop_assert!(refusals.iter().all(|refusal| refusal.field.starts_with("spec")));
                prop_assert!(!refusals.to_string().contains(char::is_control));
            }
        }
    }

    #[test]
    fn random_json_is_rejected_or_parsed_as_a_policy(spec in any_json()) {
        prop_assert!(Intent::parse(&policy(spec)).is_err());
    }

    #[test]
    fn every_unknown_field_is_rejected(spec in any_spec(), at in any::<Index>(), name in "[a-z]{1,9}X") {
        let mut closed = CLOSED.to_vec();
        closed.retain(|at| is_object(&spec, at));
        let at: &str = at.get::<&str>(&closed);
        let mut spec = spec.clone();
        spec.pointer_mut(at).expect("an object")[&name] = json!("x");
        let refusals = Intent::parse(&policy(spec)).expect_err("a refused policy");
        let expected = format!("spec{}.{name}", at.replace('/', "."));
        prop_assert!(refusals.iter().any(|refusal| refusal.field == expected), "{}", refusals);
    }
}

fn is_object(spec: &Value, at: &str) -> bool {
    spec.pointer(at).is_some_and(Value::is_object)
}

#[test]
fn result_does_not_depend_on_the_order_of_fields() {
    for name in names() {
        let spec = manifest(&name).spec.as_json().clone();
        let fields = spec.as_object().expect("an object").clone();
        let reversed: Map<_, _> = fields.into_iter().rev().collect();
        let expected = Intent::parse(&policy(spec));
        assert_eq!(Intent::parse(&policy(Value::Object(reversed))), expected);
    }
}

#[test]
fn parses_list_of_many_versions() {
    let versions: Vec<_> = (0..100_000)
        .map(|n| format!("etcdoperator.v0.{n}.0"))
        .collect();
    let policy = policy(json!({
        "complianceType": "musthave",
        "upgradeApproval": "Automatic",
        "subscription": {"name": "etcd"},
        "versions": [versions.join(",")],
    }));
    let intent = Intent::parse(&policy).expect("a valid policy");
    assert_eq!(intent.consents.len(), versions.len());
}
