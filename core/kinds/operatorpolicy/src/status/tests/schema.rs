//! Tests that the API server accepts every rendered status.

use kube_core::CustomResourceExt;
use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::kinds::SUBSCRIPTION;
use crate::tests::kit;

/// The size limit for a status. etcd accepts objects of 1.5 times this size, so the other parts of
/// the policy also fit.
const MOST: usize = 1 << 20;

/// Returns the errors that an API server would report for a status, based on the schema of the CRD.
fn refused(status: &OperatorPolicyStatus) -> Vec<String> {
    let crd = serde_json::to_value(OperatorPolicy::crd()).expect("JSON");
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let status = serde_json::to_value(status).expect("JSON");
    let mut faults = Vec::new();
    compare(
        &schema["properties"]["status"],
        &status,
        "status",
        &mut faults,
    );
    let kinds: Vec<_> = status["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|each| each["type"].to_string())
        .collect();
    let mut distinct = kinds.clone();
    distinct.sort();
    distinct.dedup();
    if distinct.len() < kinds.len() {
        faults.push(format!("status.conditions: one type twice: {kinds:?}"));
    }
    faults
}

fn compare(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().into_iter().flatten();
            let required = required.filter_map(Value::as_str);
            let missing = required.filter(|name| !fields.contains_key(*name));
            faults.extend(missing.map(|name| format!("{at}.{name} is missing")));
            for (name, value) in fields {
                let below = &schema["properties"][name];
                compare(below, value, &format!("{at}.{name}"), faults);
            }
        }
        Value::Array(items) => {
            for item in items {
                compare(&schema["items"], item, &format!("{at}[]"), faults);
            }
        }
        Value::String(text) => {
            let fault = text_fault(schema, text);
            faults.extend(fault.map(|why| format!("{at} {why}: {text:?}")));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text_fault(schema: &Value, text: &str) -> Option<String> {
    let length = text.chars().count();
    let bound = |name: &str| {
        schema[name]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok())
    };
    if bound("maxLength").is_some_and(|most| length > most) {
        return Some(format!("has {length} characters"));
    }
    if bound("minLength").is_some_and(|least| length < least) {
        return Some("is empty".to_owned());
    }
    if let Some(condition_words) = schema["enum"].as_array()
        && !condition_words.iter().any(|word| word == text)
    {
        return Some("is no such word".to_owned());
    }
    let pattern = schema["pattern"].as_str()?;
    let fits = Regex::new(pattern).expect("a pattern").is_match(text);
    (!fits).then(|| format!("does not match {pattern}"))
}

/// Generates a type or a reason, including values that OLM never writes.
fn condition_words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z]{1,12}",
        "[-A-Za-z0-9_,:./ ]{0,12}",
        "\\PC{0,8}",
        Just("CatalogSourcesUnhealthy".to_owned()),
        Just("ResolutionFailed".to_owned()),
        Just("example.com/Mood".to_owned()),
        Just("a b".to_owned()),
        Just("Not-A-Reason".to_owned()),
        Just("Ends:".to_owned()),
        Just("A\n".to_owned()),
        (300_usize..1100).prop_map(|length| "a".repeat(length)),
    ]
}

fn conditions() -> impl Strategy<Value = Vec<Value>> {
    let one = (
        condition_words(),
        condition_words(),
        condition_words(),
        0_usize..3,
    )
        .prop_map(|(kind, status, reason, size)| {
            let message = "é".repeat([0, 40, 20_000][size]);
            json!({"type": kind, "status": status, "reason": reason, "message": message})
        });
    prop::collection::vec(one, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn status_is_valid_for_any_condition_of_a_subscription(
        conditions in conditions(),
        reason in condition_words(),
    ) {
        let name = "etcd.v1.0.0";
        let status = json!({"installedCSV": name, "currentCSV": name, "conditions": conditions});
        let csv = kit::csv(name, json!({"status": {"phase": "Failed", "reason": reason}}));
        let stage = kit::stage(kit::design(json!({})))
            .object(kit::group("g", json!({})))
            .object(kit::subscription(json!({"status": status})))
            .object(csv);
        let desired = stage.decide();
        let update = first(&desired.report, &stage.policy());
        prop_assert_eq!(refused(&update.status), Vec::<String>::new());
        let size = serde_json::to_vec(&update.status).expect("JSON").len();
        prop_assert!(size < MOST, "{size} bytes");
    }
}

fn olm(kind: &str, reason: &str) -> portolan_core_olm::Condition {
    portolan_core_olm::Condition {
        r#type: kind.to_owned(),
        status: "True".to_owned(),
        reason: reason.to_owned(),
        ..portolan_core_olm::Condition::default()
    }
}

/// Returns the types and reasons that a status copies from these conditions.
fn taken(olm: Vec<portolan_core_olm::Condition>) -> Vec<(String, String)> {
    let mut report = all_well();
    report.olm = olm;
    let update = first(&report, &design());
    assert_eq!(refused(&update.status), Vec::<String>::new());
    let conditions = update.status.conditions.into_iter();
    let foreign = conditions.filter(|each| ConditionType::parse(&each.type_).is_none());
    foreign.map(|each| (each.type_, each.reason)).collect()
}

#[rstest]
#[case::is_valid_is_copied("InstallPlanPending", "RequiresApproval", Some("RequiresApproval"))]
#[case::has_a_type_with_a_domain_is_copied("a-b.example/Mood", "A_b:c", Some("A_b:c"))]
#[case::has_a_reason_with_a_blank("InstallPlanPending", "a b", Some("Unknown"))]
#[case::has_a_reason_with_a_hyphen("InstallPlanPending", "Not-So", Some("Unknown"))]
#[case::has_a_type_with_a_blank("Install Plan", "A", None)]
#[case::has_a_type_that_ends_with_a_hyphen("Plan-", "A", None)]
#[case::has_an_empty_type("", "A", None)]
fn copies_only_valid_conditions(
    #[case] kind: &str,
    #[case] reason: &str,
    #[case] wanted: Option<&str>,
) {
    let wanted: Vec<_> = wanted
        .into_iter()
        .map(|reason| (kind.to_owned(), reason.to_owned()))
        .collect();
    assert_eq!(taken(vec![olm(kind, reason)]), wanted);
}

#[rstest]
#[case::maximum_length(316, 1024, Some(1024))]
#[case::reason_is_too_long(316, 1025, Some("Unknown".len()))]
#[case::type_is_too_long(317, 1, None)]
fn limits_length_of_copied_condition(
    #[case] kind: usize,
    #[case] reason: usize,
    #[case] wanted: Option<usize>,
) {
    let taken = taken(vec![olm(&"a".repeat(kind), &"b".repeat(reason))]);
    let lengths: Vec<_> = taken.iter().map(|(_, reason)| reason.len()).collect();
    assert_eq!(lengths, Vec::from_iter(wanted));
}

#[test]
fn truncated_conditions_keep_known_types_of_olm() {
    let mut many: Vec<_> = (0..60).map(|it| olm(&format!("A{it:02}"), "A")).collect();
    many.push(olm("ResolutionFailed", "A"));
    let taken = taken(many);
    assert_eq!(taken.len(), 20);
    assert!(taken.iter().any(|(kind, _)| kind == "ResolutionFailed"));
}

/// If OLM reports its own reason for a failed resolution, a condition of the policy contains this
/// reason.
#[test]
fn failed_resolution_with_invalid_reason_gives_valid_status() {
    let failed = json!({"status": {"conditions": [{
        "type": "ResolutionFailed",
        "status": "True",
        "reason": "somebody's word",
        "message": "it failed",
    }]}});
    let stage = kit::stage(kit::established(json!({})))
        .object(kit::group("g", json!({})))
        .object(kit::subscription(failed));
    let mut marked = stage;
    for object in marked
        .objects
        .iter_mut()
        .filter(|it| it["kind"] == SUBSCRIPTION.1)
    {
        object["metadata"]["labels"] = json!({portolan_api::MANAGED: ""});
        object["metadata"]["annotations"] =
            json!({portolan_api::MANAGED: "local-cluster.etcd-policy"});
    }
    let update = first(&marked.decide().report, &marked.policy());
    assert_eq!(refused(&update.status), Vec::<String>::new());
    let conditions = update.status.conditions.iter();
    let mut conditions = conditions.filter(|each| each.type_ == "SubscriptionCompliant");
    let condition = conditions
        .next()
        .map(|each| (each.reason.as_str(), each.message.as_str()));
    assert_eq!(condition, Some(("Unknown", "it failed")));
}
