//! Tests of objects that are rejected, allowed with a warning, or allowed.

use std::collections::BTreeSet;

use portolan_webhook::admission::{Absent, Kind, Reference, Response, references, review};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::admission::{creation, request};

fn answer(question: &Value) -> Response {
    review(&request(question), &Absent::default())
}

/// Returns the errors in the response.
fn refused(question: &Value) -> Vec<String> {
    let response = answer(question);
    let refused = response.refused.iter();
    refused.map(ToString::to_string).collect()
}

/// Returns the spec of an InstallPlan with these manifests.
fn plan(manifests: &[Value]) -> Value {
    let resources = manifests.iter().map(|it| json!({"manifest": it}));
    let resources: Vec<_> = resources.collect();
    json!({
        "serviceAccountName": "installer",
        "stages": [{"name": "all", "resources": resources}],
    })
}

fn a_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "harbor"}})
}

fn binding() -> Value {
    json!({
        "subjects": [
            {"kind": "Operator", "name": "ferry"},
            {"kind": "OperatorPolicy", "name": "rope", "namespace": "harbor"},
            {"kind": "Operator", "name": "*"},
        ],
        "policyRef": [{"kind": "Policy", "name": "weekends"}],
    })
}

/// Returns a valid spec of this kind.
fn sound(kind: Kind) -> Value {
    match kind {
        Kind::OperatorPolicy => json!({
            "remediationAction": "enforce", "allowedCSVs": ["ferry.v1.0.0"],
            "subscription": {"name": "ferry", "namespace": "harbor"},
        }),
        Kind::Operator => json!({"packageName": "ferry", "version": ">=1.0.0 <2.0.0"}),
        Kind::Policy => json!({
            "schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0", "timeZone": "Europe/Berlin"}],
            "opaPolicy": "allow if input.move.to.version == \"1.2.0\"",
        }),
        Kind::PolicyBinding => binding(),
        Kind::InstallPlan => plan(&[a_map("a"), a_map("b")]),
        Kind::Install => json!({"content": [{"type": "Raw", "raw": a_map("a")}]}),
    }
}

#[test]
fn valid_object_is_allowed_without_warnings() {
    for kind in Kind::ALL {
        let question = creation(kind, &sound(kind));
        let expected = Response::allowed(&request(&question));
        assert_eq!(answer(&question), expected, "{kind:?}");
    }
}

#[rstest]
#[case::operator_policy(
    Kind::OperatorPolicy,
    json!({
        "remediationAction": "force", "allowedCSVs": [],
        "subscription": {"name": "ferry", "channels": "stable"},
    }),
    &[
        "spec.remediationAction is \"force\"; write inform, Inform, enforce or Enforce",
        "spec.subscription.channels is not a known field; did you mean \"channel\"?",
        "spec.allowedCSVs",
    ],
)]
#[case::operator(
    Kind::Operator,
    json!({"version": "1.x.y", "settleSeconds": "300", "approval": "manual"}),
    &[
        "spec.packageName is missing; write the package of the operator",
        "spec.version is refused: ",
        "spec.settleSeconds is a text, but must be a whole number from 0 to 4294967295",
        "spec.approval is \"manual\"; write Automatic or Manual",
    ],
)]
#[case::policy(
    Kind::Policy,
    json!({
        "schedule": [{"start": "61 0 * * *", "end": "0 1 * * *", "timeZone": "Mars/Base"}],
        "opaPolicy": "allow if {\n  x := := 1\n}",
    }),
    &[
        "spec.schedule[0].start ",
        "spec.schedule[0].timeZone is \"Mars/Base\", which ",
        "spec.opaPolicy is refused: line 2, column 8: expecting expression",
    ],
)]
#[case::policy_binding(
    Kind::PolicyBinding,
    json!({"subjects": [{"kind": "Operator", "name": "ferry", "namespace": "a"}], "policyRef": []}),
    &[
        "spec.policyRef is empty; write the Policies that must allow a change",
        "spec.subjects[0].namespace is not allowed; an Operator is cluster-scoped",
    ],
)]
#[case::install_plan(
    Kind::InstallPlan,
    json!({"stages": [{"resources": []}], "suspend": "yes"}),
    &[
        "spec.serviceAccountName is missing; write the ServiceAccount that applies the manifests",
        "spec.suspend is a text, but must be true or false",
        "spec.stages[0].name is missing; write a name, such as definitions",
        "spec.stages[0].resources is empty; write at least one resource or Job, or remove the \
         stage",
    ],
)]
#[case::manifests_of_an_install_plan(
    Kind::InstallPlan,
    plan(&[a_map("a"), json!({"kind": "Secret", "metadata": {"generateName": "b-"}}), a_map("a")]),
    &[
        "spec.stages[0].resources[1] has no apiVersion; write an API group and version, such as \
         apps/v1",
        "spec.stages[0].resources[1] has metadata.generateName, which creates another object each time",
        "spec.stages[0].resources[2] (ConfigMap harbor/a) is already listed at \
         spec.stages[0].resources[0]; remove one of the two entries",
    ],
)]
fn all_errors_of_a_spec_are_reported_together(
    #[case] kind: Kind,
    #[case] spec: Value,
    #[case] expected: &[&str],
) {
    let refused = refused(&creation(kind, &spec));
    let is_expected = |(refused, begin): (&String, &&str)| refused.starts_with(*begin);
    let are_expected = refused.iter().zip(expected).all(is_expected);
    assert!(
        refused.len() == expected.len() && are_expected,
        "{refused:#?}"
    );
}

/// Objects to which an InstallPlan refers may be created later.
#[test]
fn references_to_missing_objects_are_allowed() {
    let resources = json!([{"ref": {"name": "later"}}, {"ref": {"secret": "later"}}]);
    let spec = json!({
        "serviceAccountName": "installer", "replaces": [{"name": "nobody"}],
        "stages": [{"name": "all", "resources": resources}],
    });
    assert_eq!(
        refused(&creation(Kind::InstallPlan, &spec)),
        Vec::<String>::new()
    );
}

/// Returns the spec of an OperatorPolicy with this channel.
fn in_channel(channel: &str) -> Value {
    let mut spec = sound(Kind::OperatorPolicy);
    spec["subscription"]["channel"] = json!(channel);
    spec
}

/// The ConfigMap that the template reads may be created later.
#[test]
fn template_is_allowed_and_other_errors_are_rejected() {
    let mut spec = in_channel("{{ fromConfigMap \"a\" \"b\" \"c\" }}");
    let response = answer(&creation(Kind::OperatorPolicy, &spec));
    assert!(
        response.is_allowed() && response.warnings.is_empty(),
        "{response:?}"
    );

    spec["severity"] = json!("enormous");
    let response = answer(&creation(Kind::OperatorPolicy, &spec));
    let refused: Vec<_> = response.refused.iter().map(|it| &*it.field).collect();
    assert_eq!(refused, ["spec.severity"]);
}

/// A later version of Portolan may have the field.
#[test]
fn unknown_input_of_a_rule_is_allowed_with_a_warning() {
    let spec = json!({"opaPolicy": "allow if input.move.to.versoin == \"1.2.0\""});
    let response = answer(&creation(Kind::Policy, &spec));
    assert!(response.is_allowed(), "{response:?}");
    let reported = "spec.opaPolicy: the rule reads input.move.to.versoin, which does not exist; did \
                    you mean input.move.to.version?";
    assert_eq!(response.warnings, [reported]);
}

#[test]
fn hub_template_causes_a_warning() {
    let spec = in_channel("{{hub .ManagedClusterName hub}}");
    let response = answer(&creation(Kind::OperatorPolicy, &spec));
    assert!(response.is_allowed(), "{response:?}");
    let reported = "spec.subscription has a hub template, {{hub … hub}}, which only the hub \
                    cluster can resolve";
    assert_eq!(response.warnings, [reported]);
}

#[rstest]
#[case::unknown_function(
    "{{ nope }}",
    "spec.subscription cannot be resolved: template: tmpl:1: function \"nope\" not defined"
)]
#[case::function_that_always_fails(
    "{{ index (list 1) 3 }}",
    "spec.subscription cannot be resolved: template: tmpl:1:13: executing \"tmpl\" at <index (list 1) 3>: \
     error calling index: index out of range: 3"
)]
#[case::result_is_unknown(
    "{{ printf \"%d channels\" 2 }}",
    "spec.subscription.channel \"2 channels\" is no"
)]
fn invalid_template_is_refused(#[case] channel: &str, #[case] reported: &str) {
    let refused = refused(&creation(Kind::OperatorPolicy, &in_channel(channel)));
    assert!(
        matches!(&refused[..], [only] if only.starts_with(reported)),
        "{refused:#?}"
    );
}

#[test]
fn binding_to_missing_objects_is_allowed_with_a_warning() {
    let question = request(&creation(Kind::PolicyBinding, &binding()));
    let reference = |kind, namespace: &str, name: &str| Reference {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let named = BTreeSet::from([
        reference(Kind::Operator, "", "ferry"),
        reference(Kind::OperatorPolicy, "harbor", "rope"),
        reference(Kind::Policy, "", "weekends"),
    ]);
    assert_eq!(references(&question), named);
    let response = review(&question, &Absent(named));
    let warning = "the PolicyBinding names missing objects: OperatorPolicy harbor/rope, Operator \
                   ferry, Policy weekends; create these objects, or remove them from the \
                   PolicyBinding";
    let expected = Response::allowed(&question).warning(warning);
    assert_eq!(response, expected);
}

/// Returns one request with an invalid object for each kind, after this change of the request.
fn wrong(change: impl Fn(&mut Value)) -> Vec<Value> {
    let questions = Kind::ALL.map(|kind| {
        let mut question = creation(kind, &json!({"nonsense": 1}));
        assert!(!answer(&question).is_allowed());
        change(&mut question["request"]);
        question
    });
    questions.into()
}

#[rstest]
#[case::object_in_deletion(|it: &mut Value| {
    it["operation"] = json!("UPDATE");
    it["oldObject"] = json!({"metadata": {"finalizers": ["a"]}, "spec": {"nonsense": 2}});
    it["object"]["metadata"]["deletionTimestamp"] = json!("2027-01-01T00:00:00Z");
})]
#[case::update_with_an_unchanged_spec(|it: &mut Value| {
    it["operation"] = json!("UPDATE");
    it["oldObject"] = it["object"].clone();
    it["object"]["metadata"]["labels"] = json!({"a": "b"});
})]
#[case::deletion(|it: &mut Value| {
    it["operation"] = json!("DELETE");
    it["oldObject"] = it["object"].take();
})]
#[case::connect(|it: &mut Value| it["operation"] = json!("CONNECT"))]
#[case::status(|it: &mut Value| it["subResource"] = json!("status"))]
#[case::other_kind(|it: &mut Value| it["kind"]["group"] = json!("ferries.example"))]
fn allows_requests_that_must_not_be_blocked(#[case] change: fn(&mut Value)) {
    for question in wrong(change) {
        let expected = Response::allowed(&request(&question));
        assert_eq!(answer(&question), expected);
    }
}

#[test]
fn update_of_the_spec_is_validated() {
    for question in wrong(|it| {
        it["operation"] = json!("UPDATE");
        it["oldObject"] = json!({"metadata": {}, "spec": {"nonsense": 2}});
    }) {
        assert!(!answer(&question).is_allowed());
    }
}

/// The API server may generate the name later.
#[test]
fn object_with_generate_name_is_validated() {
    let mut question = creation(Kind::Operator, &json!({"packageName": "ferry"}));
    question["request"]["name"] = Value::Null;
    question["request"]["object"]["metadata"] = json!({"generateName": "ferry-"});
    assert!(answer(&question).is_allowed());
}

#[test]
fn response_is_a_valid_admission_review() {
    let spec = json!({"packageName": "ferry", "version": "1.0.0", "approve": true});
    let answer = answer(&creation(Kind::Operator, &spec)).to_json();
    let [field, sentence] = [
        "spec.approve",
        "is not a known field; did you mean \"approval\"?",
    ];
    let expected = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "response": {
            "uid": "7", "allowed": false, "warnings": [],
            "status": {
                "status": "Failure", "code": 422, "reason": "Invalid",
                "message": format!("{field} {sentence}"),
                "details": {
                    "group": "operators.operatorframework.io", "kind": "Operator", "name": "ferry",
                    "causes": [
                        {"reason": "FieldValueInvalid", "field": field, "message": sentence},
                    ],
                },
            },
        },
    });
    assert_eq!(answer, expected);
}

#[test]
fn response_lists_a_limited_number_of_causes() {
    let manifests: Vec<_> = (0..500).map(|_| json!({"kind": "Secret"})).collect();
    let response = answer(&creation(Kind::InstallPlan, &plan(&manifests)));
    let all = response.refused.len();
    assert!(all >= 1000, "{all}");
    let status = &response.to_json()["response"]["status"];
    let causes = status["details"]["causes"].as_array().expect("causes");
    assert_eq!(causes.len(), 51);
    assert_eq!(
        causes[50]["message"],
        format!("has {} more errors", all - 50)
    );
}
