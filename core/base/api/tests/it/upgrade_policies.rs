//! Tests of parsed Policies and PolicyBindings, their errors and their CRDs.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube_core::CustomResourceExt as _;
use portolan_api::policy::{
    Binding, BindingStatus, Intent, NamedObject, Policy, PolicyBinding, PolicyStatus, Reference,
    Subject, SubjectKind, WindowStatus,
};
use portolan_core_rules::schedule::State;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::definition::{each, fields};
use crate::plan_definition::server::complaints;

const PAGE: &str = include_str!("../../../../../docs/policy.md");
const RULE: &str = "default allow := false; allow if { weekend := {\"Sunday\", \"Saturday\"}; \
                    weekend[time.weekday(time.now_ns())] }";

fn parsed(spec: Value) -> Result<Intent, Vec<String>> {
    Intent::parse(&Policy::new("a", spec.into())).map_err(|refusals| refusals.sentences())
}

fn bound(spec: Value) -> Result<Binding, Vec<String>> {
    Binding::parse(&PolicyBinding::new("a", spec.into())).map_err(|refusals| refusals.sentences())
}

fn schema(definition: &impl serde::Serialize, field: &str) -> Value {
    let definition = serde_json::to_value(definition).expect("JSON");
    let whole = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    whole["properties"][field].clone()
}

fn policy() -> Value {
    json!({
        "schedule": [{"start": "01 00 * * 6", "end": "59 23 * * 0", "timeZone": "Europe/Berlin"}],
        "opaPolicy": RULE,
    })
}

fn binding() -> Value {
    json!({
        "subjects": [
            {"apiGroup": "operators.operatorframework.io", "kind": "operator", "name": "*"},
            {"kind": "Operator", "name": "ferry"},
            {
                "apiGroup": "policy.open-cluster-management.io", "kind": "operatorPolicy",
                "namespace": "managed", "name": "sloop",
            },
            {"kind": "OPERATORPOLICY", "name": "*"},
        ],
        "policyRef": [
            {"apiGroup": "operators.operatorframework.io", "kind": "policy", "name": "install-on-weekends"},
            {"name": "calm"},
        ],
    })
}

/// A binding with a missing object is broken. The approval service and the console use the same
/// decision.
#[test]
fn binding_lists_missing_objects_but_no_wildcards() {
    let binding = bound(binding()).expect("a binding");
    let all: Vec<_> = binding.missing(|_| false).collect();
    let operator = |kind, namespace, name| NamedObject::Operator {
        kind,
        namespace,
        name,
    };
    let ferry = operator(SubjectKind::Operator, "", "ferry");
    let sloop = operator(SubjectKind::OperatorPolicy, "managed", "sloop");
    let policies = ["calm", "install-on-weekends"].map(NamedObject::Policy);
    assert_eq!(all, [ferry, sloop, policies[0], policies[1]]);
    let only: Vec<_> = binding.missing(|it| it != sloop).collect();
    assert_eq!(only, [sloop]);
    assert_eq!(binding.missing(|_| true).count(), 0);
}

#[test]
fn upgrade_policy_with_every_field_is_parsed() {
    let intent = parsed(policy()).expect("a Policy");
    let schedules = intent.schedules.expect("schedules");
    assert_eq!(schedules.len(), 1);
    let saturday = "2026-11-27T23:01:00Z".parse().expect("a time");
    let closes = "2026-11-29T22:59:00Z".parse().ok();
    assert_eq!(schedules[0].state(saturday), State::Open { closes });
    assert_eq!(intent.rule.expect("a rule").as_str(), RULE);
}

#[test]
fn omitted_time_zone_is_utc() {
    let spec = json!({"schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0"}]});
    let schedules = parsed(spec).expect("a Policy").schedules;
    assert_eq!(schedules.expect("schedules")[0].zone().name(), "UTC");
}

#[rstest]
#[case::nothing(
    json!(null),
    &["spec is missing; write windows as schedule, or a rule as opaPolicy"]
)]
#[case::neither(json!({}), &["spec is empty; write windows as schedule, or a rule as opaPolicy"])]
#[case::an_unknown_field(
    json!({"schedules": []}),
    &["spec.schedules is not a known field; did you mean \"schedule\"?",
      "spec is empty; write windows as schedule, or a rule as opaPolicy"]
)]
#[case::no_schedule(
    json!({"schedule": []}),
    &["spec.schedule is empty, so it never allows a change; write a start and an end"]
)]
#[case::no_end(
    json!({"schedule": [{"start": "0 0 * * *"}]}),
    &["spec.schedule[0].end is missing; write when each window closes, such as \"59 23 * * 0\""]
)]
#[case::lines_and_a_zone(
    json!({"schedule": [{"start": "0 24 * * *", "end": "0 0 31 2 *", "timeZone": "Berlin"}]}),
    &["spec.schedule[0].start has an invalid hour, \"24\"; write *, a number from 0 to 23, a range such as 0-23, or \
       either */N or a range with a step",
      "spec.schedule[0].end has a day that never exists; write a day that the month has",
      "spec.schedule[0].timeZone is \"Berlin\", which is not a time zone; did you mean \
       \"Europe/Berlin\"?"]
)]
#[case::start_and_end_are_the_same(
    json!({"schedule": [{"start": "0 0 * * 0", "end": "0 0 * * SUN"}]}),
    &["spec.schedule[0].end has the same times as the start, so each window would end when the \
     next begins; write another end, or omit the schedule to allow all times"]
)]
#[case::an_invalid_rule(
    json!({"opaPolicy": "allow if {\n  x := := 1\n}"}),
    &["spec.opaPolicy is refused: line 2, column 8: expecting expression"]
)]
#[case::a_number(
    json!({"opaPolicy": 1}),
    &["spec.opaPolicy is a number, but must be a text; put it in quotes"]
)]
fn invalid_field_of_an_upgrade_policy_is_reported(#[case] spec: Value, #[case] sentences: &[&str]) {
    let sentences = sentences
        .iter()
        .map(|sentence| (*sentence).to_owned())
        .collect();
    assert_eq!(parsed(spec), Err(sentences));
}

#[test]
fn binding_with_every_field_is_parsed() {
    let subjects = [
        Subject::All {
            kind: SubjectKind::Operator,
            namespace: None,
        },
        Subject::One {
            kind: SubjectKind::Operator,
            namespace: String::new(),
            name: "ferry".to_owned(),
        },
        Subject::One {
            kind: SubjectKind::OperatorPolicy,
            namespace: "managed".to_owned(),
            name: "sloop".to_owned(),
        },
        Subject::All {
            kind: SubjectKind::OperatorPolicy,
            namespace: None,
        },
    ];
    let expected = Binding {
        subjects: subjects.into(),
        policies: ["calm".to_owned(), "install-on-weekends".to_owned()].into(),
    };
    assert_eq!(bound(binding()), Ok(expected));
}

#[rstest]
#[case::nothing(json!(null), &[
    "spec is missing; write subjects and policyRef"
])]
#[case::neither(json!({}), &[
    "spec.subjects is missing; write the operators that the Policies apply to",
    "spec.policyRef is missing; write the Policies that must allow a change",
])]
#[case::no_subjects(json!({"subjects": [], "policyRef": [{"name": "a"}]}), &[
    "spec.subjects is empty; write the operators that the Policies apply to"
])]
#[case::another_kind(json!({"subjects": [{"kind": "Pod", "name": "a"}], "policyRef": [{"name": "a"}]}), &[
    "spec.subjects[0].kind is \"Pod\"; write Operator or OperatorPolicy"
])]
#[case::another_group(
    json!({"subjects": [{"apiGroup": "operators.coreos.com", "kind": "Operator", "name": "a"}],
           "policyRef": [{"apiGroup": "policy", "kind": "Rule", "name": "a"}]}),
    &["spec.subjects[0].apiGroup is \"operators.coreos.com\"; write operators.operatorframework.io",
      "spec.policyRef[0].kind is \"Rule\"; write Policy",
      "spec.policyRef[0].apiGroup is \"policy\"; write operators.operatorframework.io"]
)]
#[case::a_namespace_too_much(
    json!({"subjects": [{"kind": "Operator", "namespace": "a", "name": "a"}], "policyRef": [{"name": "a"}]}),
    &["spec.subjects[0].namespace is not allowed; an Operator is cluster-scoped"]
)]
#[case::a_namespace_too_few(
    json!({"subjects": [{"kind": "OperatorPolicy", "name": "a"}], "policyRef": [{"name": "a"}]}),
    &["spec.subjects[0].namespace is missing; write the namespace of the OperatorPolicy"]
)]
#[case::all_policies(
    json!({"subjects": [{"kind": "Operator", "name": "a"}], "policyRef": [{"name": "*"}]}),
    &["spec.policyRef[0].name is \"*\", which cannot be a Policy; write at most 253 lower-case \
       letters, digits, hyphens and dots, where each part between dots starts and ends with a \
       letter or digit"]
)]
fn invalid_field_of_a_binding_is_reported(#[case] spec: Value, #[case] sentences: &[&str]) {
    let sentences = sentences
        .iter()
        .map(|sentence| (*sentence).to_owned())
        .collect();
    assert_eq!(bound(spec), Err(sentences));
}

/// `kubectl get policy` must still mean the kind of Open Cluster Management, whose resource is
/// `policies`.
#[rstest]
#[case::policy(
    serde_json::to_value(Policy::crd()).expect("JSON"),
    json!({"kind": "Policy", "plural": "upgradepolicies", "singular": "upgradepolicy"})
)]
#[case::binding(
    serde_json::to_value(PolicyBinding::crd()).expect("JSON"),
    json!({"kind": "PolicyBinding", "plural": "upgradepolicybindings", "singular": "upgradepolicybinding"})
)]
fn kinds_have_the_expected_names(#[case] definition: Value, #[case] names: Value) {
    let spec = &definition["spec"];
    assert_eq!(spec["group"], json!("operators.operatorframework.io"));
    assert_eq!(spec["scope"], json!("Cluster"));
    assert_eq!(spec["names"], names);
    assert_eq!(spec["versions"][0]["name"], json!("v1alpha1"));
    assert_eq!(spec["versions"][0]["subresources"], json!({"status": {}}));
}

/// The schema accepts everything that the parser accepts. If a pattern or a CEL rule can express a
/// check of the parser, the schema also rejects what the parser rejects.
#[test]
fn policy_schema_accepts_every_spec_that_the_parser_accepts() {
    let schema_of_policy = schema(&Policy::crd(), "spec");
    let takes = |spec: &Value| complaints(&schema_of_policy, spec).is_empty();
    let line = |start: &str| json!({"schedule": [{"start": start, "end": "0 1 * * *"}]});
    for spec in [
        policy(),
        json!({"opaPolicy": RULE}),
        line(" 0,5  */2 * JAN-Mar 1-5/2 "),
    ] {
        assert!(takes(&spec) && parsed(spec.clone()).is_ok(), "{spec}");
    }
    for spec in [
        json!({}),
        json!({"schedule": []}),
        json!({"schedule": [{"start": "0 0 * * *"}]}),
        line("0 0 * *"),
        line("@daily"),
        line("0 0 * * 5#2"),
        json!({"schedule": [{"start": "0 0 * * *", "end": "0 1 * * *", "timeZone": "../a"}]}),
        json!({"opaPolicy": format!("allow := true{}", " ".repeat(20_000))}),
    ] {
        assert!(!takes(&spec) && parsed(spec.clone()).is_err(), "{spec}");
    }
}

#[test]
fn binding_schema_accepts_every_spec_that_the_parser_accepts() {
    let schema = schema(&PolicyBinding::crd(), "spec");
    let takes = |spec: &Value| complaints(&schema, spec).is_empty();
    assert_eq!(complaints(&schema, &binding()), Vec::<String>::new());
    for (list, entry) in [
        ("subjects", json!({"kind": "Pod", "name": "a"})),
        ("subjects", json!({"kind": "Operator"})),
        (
            "subjects",
            json!({"kind": "Operator", "name": "a", "namespace": "b"}),
        ),
        ("subjects", json!({"kind": "OperatorPolicy", "name": "a"})),
        (
            "subjects",
            json!({"apiGroup": "policy.open-cluster-management.io", "kind": "Operator", "name": "a"}),
        ),
        ("policyRef", json!({"kind": "Rule", "name": "a"})),
        ("policyRef", json!({"name": "*"})),
    ] {
        let mut spec = binding();
        spec[list] = json!([entry]);
        assert!(!takes(&spec) && bound(spec.clone()).is_err(), "{spec}");
    }
}

fn conditions() -> Vec<Condition> {
    vec![Condition {
        type_: "Accepted".to_owned(),
        status: "True".to_owned(),
        reason: "Accepted".to_owned(),
        message: "m".to_owned(),
        observed_generation: Some(1),
        last_transition_time: time(),
    }]
}

fn time() -> Time {
    Time("2026-01-01T00:00:00Z".parse().expect("a time"))
}

fn statuses() -> [(Value, Value); 2] {
    let reference = Reference {
        kind: "OperatorPolicy".to_owned(),
        namespace: "a".to_owned(),
        name: "b".to_owned(),
    };
    let policy = PolicyStatus {
        observed_generation: Some(1),
        conditions: conditions(),
        windows: vec![WindowStatus {
            opens: time(),
            closes: Some(time()),
        }],
        bindings: vec!["a".to_owned()],
    };
    let binding = BindingStatus {
        observed_generation: Some(1),
        conditions: conditions(),
        operator_count: Some(1),
        operators: vec![reference.clone()],
        missing: vec![reference],
    };
    let json = |status: &dyn Fn() -> serde_json::Result<Value>| status().expect("JSON");
    [
        (
            json(&|| serde_json::to_value(&policy)),
            schema(&Policy::crd(), "status"),
        ),
        (
            json(&|| serde_json::to_value(&binding)),
            schema(&PolicyBinding::crd(), "status"),
        ),
    ]
}

#[test]
fn schemas_contain_every_status_field() {
    for (value, schema) in statuses() {
        assert_eq!(complaints(&schema, &value), Vec::<String>::new());
        let known: BTreeSet<_> = each(&schema, "").into_iter().map(|(at, _)| at).collect();
        let mut all = BTreeSet::new();
        fields(&value, "", &mut all);
        let unknown: Vec<_> = all.difference(&known).collect();
        assert_eq!(unknown, Vec::<&String>::new());
    }
}

/// Parses the YAML blocks of the docs page. The first blocks are the examples of the design.
#[test]
fn page_has_valid_examples_and_every_field() {
    let blocks = PAGE.split("```yaml\n").skip(1);
    let blocks: Vec<_> = blocks.filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 3);
    for block in blocks {
        let json: Value = serde_saphyr::from_str(block).expect("YAML");
        if json["kind"] == "Policy" {
            let policy: Policy = serde_json::from_value(json).expect("a Policy");
            Intent::parse(&policy).expect("a valid Policy");
        } else {
            let binding: PolicyBinding = serde_json::from_value(json).expect("a PolicyBinding");
            Binding::parse(&binding).expect("a valid PolicyBinding");
        }
    }
    for field in [
        "schedule",
        "schedule[].start",
        "schedule[].end",
        "schedule[].timeZone",
        "opaPolicy",
        "subjects",
        "subjects[].apiGroup",
        "subjects[].kind",
        "subjects[].name",
        "subjects[].namespace",
        "policyRef",
        "policyRef[].apiGroup",
        "policyRef[].kind",
        "policyRef[].name",
    ] {
        assert!(PAGE.contains(&format!("| `{field}` |")), "{field}");
    }
    assert_eq!(
        portolan_api::with_policy_conditions(PAGE).as_deref(),
        Some(PAGE)
    );
}

/// kubectl displays a future time as `<invalid>` in a column of type `date`.
#[test]
fn only_past_times_are_columns_of_type_date() {
    for definition in [Policy::crd(), PolicyBinding::crd()] {
        let versions = definition.spec.versions.into_iter();
        let columns = versions.flat_map(|it| it.additional_printer_columns.unwrap_or_default());
        let dates = columns.filter(|column| column.type_ == "date");
        let paths: Vec<_> = dates.map(|column| column.json_path).collect();
        assert!(
            paths
                .iter()
                .all(|path| path == ".metadata.creationTimestamp"),
            "{paths:?}"
        );
    }
}
