//! Tests of parsed InstallPlans and their errors.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use portolan_api::plan::{
    ABANDON, Body, Collisions, Disposition, InstallPlan, Intent, Job, Lifecycle, MemberState,
    Moment, OnDeletion, OnDrift, OnFound, OnImmutable, Order, Phase, ReadyRule, Replaces, Resource,
    ResourceManifest, Selection, Selector, Source, Stage, Status, Stored, Target, Transformation,
    WaitFor,
};
use portolan_core_rules::cel::{Dialect, Numbers, Rule};
use rstest::rstest;
use serde_json::{Map, Value, json};
use similar_asserts::assert_eq;

fn refused(spec: Value) -> Vec<String> {
    let plan = InstallPlan::new("a", spec.into());
    let refusals = Intent::parse(&plan).expect_err("refusals");
    refusals.sentences()
}

fn manifest() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbor"}})
}

/// Returns a spec with one stage, to which `change` is applied.
fn spec(change: impl FnOnce(&mut Value)) -> Value {
    let mut stage = json!({"name": "one", "resources": [{"manifest": manifest()}]});
    change(&mut stage);
    json!({"serviceAccountName": "installer", "stages": [stage]})
}

fn replacing(plans: Value) -> Value {
    json!({"serviceAccountName": "a", "stages": spec(|_| {})["stages"], "replaces": plans})
}

#[test]
fn plan_without_optional_fields_has_defaults() {
    let plan = InstallPlan::new("a", spec(|_| {}).into());
    let resources = vec![Resource {
        source: Source::Inline(manifest()),
        lifecycle: Lifecycle::default(),
    }];
    let expected = Intent {
        service_account: "installer".to_owned(),
        is_suspended: false,
        collisions: Collisions::Refuse,
        on_plan_deletion: Disposition::Keep,
        on_drift: OnDrift::Report,
        on_deletion: OnDeletion::Report,
        on_found: OnFound::Keep,
        abandon_after_seconds: None,
        replaces: Vec::new(),
        stages: vec![Stage {
            name: "one".to_owned(),
            order: Order::InOrder,
            resources,
            wait_for: WaitFor::Ready,
            ready: Vec::new(),
            jobs: Vec::new(),
            deadline_seconds: 600,
        }],
        transformations: Vec::new(),
    };
    assert_eq!(Intent::parse(&plan), Ok(expected));
}

#[test]
fn plan_with_every_field_is_parsed() {
    let spec = json!({
        "serviceAccountName": "installer", "suspend": true, "collisions": "IfUnowned",
        "lifecycle": {"onPlanDeletion": "Delete", "onDrift": "Seal", "onDeletion": "Recreate",
            "onFound": "Own"},
        "abandonAfterSeconds": 0,
        "transformations": [{
            "from": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "allNamespaces": true}],
            "to": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "namespace": "b"}],
            "order": "Before", "max": 3,
        }],
        "replaces": [{"name": "b"}, {"labelSelector": {"matchLabels": {"app": "ferry"}}}],
        "stages": [{
            "name": "two", "order": "Any", "waitFor": "Applied", "deadlineSeconds": 0,
            "jobs": [{"name": "migrate", "template": {}, "retries": 2}],
            "ready": [{"kind": "Ship.ferry.example", "cel": "self.a == 1"}],
            "resources": [
                {"ref": {"name": "a.b"}, "lifecycle": {
                    "onPlanDeletion": "Keep", "onRemoval": "Delete", "onDrift": "Revert",
                    "onDeletion": "Report", "onImmutable": "Recreate", "ignore": ["/spec/replicas"],
                }},
                {"ref": {"secret": "c"}, "lifecycle": {}},
            ],
        }],
    });
    let plan = InstallPlan::new("a", spec.into());
    let resources = [
        Resource {
            source: Source::ResourceManifest("a.b".to_owned()),
            lifecycle: Lifecycle {
                on_plan_deletion: Some(Disposition::Keep),
                on_removal: Some(Disposition::Delete),
                on_drift: Some(OnDrift::Revert),
                on_deletion: Some(OnDeletion::Report),
                on_immutable: OnImmutable::Recreate,
                ignore: vec!["/spec/replicas".to_owned()],
            },
        },
        Resource {
            source: Source::Secret("c".to_owned()),
            lifecycle: Lifecycle::default(),
        },
    ];
    let expected = Intent {
        service_account: "installer".to_owned(),
        is_suspended: true,
        collisions: Collisions::IfUnowned,
        on_plan_deletion: Disposition::Delete,
        on_drift: OnDrift::Seal,
        on_deletion: OnDeletion::Recreate,
        on_found: OnFound::Own,
        abandon_after_seconds: Some(0),
        replaces: vec![
            Replaces::Name("b".to_owned()),
            Replaces::Labels(LabelSelector {
                match_labels: Some([("app".to_owned(), "ferry".to_owned())].into()),
                match_expressions: None,
            }),
        ],
        stages: vec![Stage {
            name: "two".to_owned(),
            order: Order::Any,
            resources: resources.into(),
            wait_for: WaitFor::Applied,
            ready: vec![ReadyRule {
                kind: "Ship".to_owned(),
                group: "ferry.example".to_owned(),
                rule: Rule::parse(&Dialect::new("self", Numbers::Integers), "self.a == 1")
                    .expect("a rule"),
            }],
            jobs: vec![Job {
                name: "migrate".to_owned(),
                template: Map::new(),
                retries: 2,
            }],
            deadline_seconds: 0,
        }],
        transformations: vec![Transformation {
            from: vec![Selection {
                api_version: "v1".to_owned(),
                kind: "ConfigMap".to_owned(),
                by: Selector::Name("a".to_owned()),
                namespace: None,
            }],
            to: vec![Target {
                api_version: "v1".to_owned(),
                kind: "ConfigMap".to_owned(),
                namespace: Some("b".to_owned()),
                name: "c".to_owned(),
            }],
            order: Moment::Before,
            max: 3,
        }],
    };
    assert_eq!(Intent::parse(&plan), Ok(expected));
}

#[rstest]
#[case::nothing(Value::Null, "spec is missing; write the manifests to apply")]
#[case::no_account(
    json!({"stages": spec(|_| {})["stages"]}),
    "spec.serviceAccountName is missing; write the ServiceAccount that applies the manifests"
)]
#[case::no_stages(
    json!({"serviceAccountName": "a"}),
    "spec.stages is missing; write at least one stage with resources"
)]
#[case::an_empty_list_of_stages(
    json!({"serviceAccountName": "a", "stages": []}),
    "spec.stages is empty; write at least one stage with resources"
)]
#[case::a_field_that_is_not_known(
    json!({"serviceAccountName": "a", "stages": spec(|_| {})["stages"], "collision": "Adopt"}),
    "spec.collision is not a known field; did you mean \"collisions\"?"
)]
#[case::an_unnamed_stage(
    spec(|stage| stage["name"] = Value::Null),
    "spec.stages[0].name is missing; write a name, such as definitions"
)]
#[case::an_empty_stage(
    spec(|stage| stage["resources"] = json!([])),
    "spec.stages[0].resources is empty; write at least one resource or Job, or remove the stage"
)]
#[case::string_that_is_not_an_allowed_value(
    spec(|stage| stage["waitFor"] = json!("ready")),
    "spec.stages[0].waitFor is \"ready\"; write Applied or Ready"
)]
#[case::a_deadline_before_the_beginning(
    spec(|stage| stage["deadlineSeconds"] = json!(-1)),
    "spec.stages[0].deadlineSeconds is a number, but must be a whole number from 0 to 4294967295"
)]
#[case::an_end_that_is_not_known(
    json!({"serviceAccountName": "a", "stages": spec(|_| {})["stages"], "lifecycle": {"onPlanDeletion": "Orphan"}}),
    "spec.lifecycle.onPlanDeletion is \"Orphan\"; write Keep or Delete"
)]
#[case::a_field_of_resources_only(
    json!({"serviceAccountName": "a", "stages": spec(|_| {})["stages"], "lifecycle": {"onRemoval": "Keep"}}),
    "spec.lifecycle.onRemoval is not a known field; allowed are onDeletion, onDrift, onFound, \
     onPlanDeletion"
)]
#[case::an_exception_that_is_not_known(
    spec(|stage| stage["resources"][0]["lifecycle"] = json!({"onUpgrade": "Keep"})),
    "spec.stages[0].resources[0].lifecycle.onUpgrade is not a known field; allowed are ignore, \
     onDeletion, onDrift, onImmutable, onPlanDeletion, onRemoval"
)]
#[case::an_end_that_is_a_flag(
    spec(|stage| stage["resources"][0]["lifecycle"] = json!({"onRemoval": true})),
    "spec.stages[0].resources[0].lifecycle.onRemoval is true or false, but must be a text; put \
     it in quotes"
)]
#[case::two_jobs_of_a_name(
    spec(|stage| stage["jobs"] = json!([{"name": "a", "template": {}}, {"name": "a", "template": {}}])),
    "spec.stages[0].jobs[1].name is \"a\", which is the name of an earlier Job; write another name"
)]
#[case::a_job_without_a_template(
    spec(|stage| stage["jobs"] = json!([{"name": "a"}])),
    "spec.stages[0].jobs[0].template is missing; write the template of a Job, with its spec"
)]
#[case::no_kind_of_a_definition(
    spec(|stage| stage["ready"] = json!([{"kind": "Pod", "cel": "true"}])),
    "spec.stages[0].ready[0].kind must be the kind of a CustomResourceDefinition and its group, such as Ship.ferry.example"
)]
#[case::a_kind_that_is_known(
    spec(|stage| stage["ready"] = json!([{"kind": "APIService.apiregistration.k8s.io", "cel": "true"}])),
    "spec.stages[0].ready[0].kind is in group apiregistration.k8s.io, whose kinds have built-in \
     readiness rules; remove this rule"
)]
#[case::two_rules_of_a_kind(
    spec(|stage| stage["ready"] = json!([{"kind": "Ship.a.b", "cel": "true"}, {"kind": "Ship.a.b", "cel": "false"}])),
    "spec.stages[0].ready[1].kind is \"Ship.a.b\", which an earlier readiness rule already names; \
     remove one of the two rules"
)]
#[case::a_rule_of_another_variable(
    spec(|stage| stage["ready"] = json!([{"kind": "Ship.a.b", "cel": "object.a == 1"}])),
    "spec.stages[0].ready[0].cel is no rule: the rule uses \"object\", but only \"self\" exists"
)]
#[case::a_rule_that_is_no_claim(
    spec(|stage| stage["ready"] = json!([{"kind": "Ship.a.b", "cel": "self.status.replicas"}])),
    "spec.stages[0].ready[0].cel is no rule: the rule must be true or false"
)]
#[case::a_rule_without_a_kind(
    spec(|stage| stage["ready"] = json!([{"cel": "true"}])),
    "spec.stages[0].ready[0].kind is missing; write a kind with its group, such as Ship.ferry.example"
)]
#[case::a_field_that_is_no_pointer(
    spec(|stage| stage["resources"][0]["lifecycle"] = json!({"ignore": ["spec.replicas"]})),
    "spec.stages[0].resources[0].lifecycle.ignore[0] must be a JSON pointer to a field of the object, such as /spec/replicas"
)]
#[case::no_time(
    json!({"serviceAccountName": "a", "stages": spec(|_| {})["stages"], "abandonAfterSeconds": "1h"}),
    "spec.abandonAfterSeconds is a text, but must be a whole number from 0 to 4294967295"
)]
#[case::a_plan_that_replaces_itself(
    replacing(json!([{"name": "b"}, {"name": "a"}])),
    "spec.replaces names the plan itself; name the previous plan, or remove the field"
)]
#[case::a_plan_that_replaces_all(
    replacing(json!([{"labelSelector": {}}])),
    "spec.replaces[0].labelSelector selects all plans; write matchLabels or matchExpressions"
)]
#[case::replaced_plan_with_both_name_and_label_selector(
    replacing(json!([{"name": "b", "labelSelector": {"matchLabels": {"a": "b"}}}])),
    "spec.replaces[0] must have either the name of an InstallPlan or a labelSelector"
)]
#[case::an_invalid_selector(
    replacing(json!([{"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}])),
    "spec.replaces[0].labelSelector.matchExpressions[0].operator is \"Is\"; write In, NotIn, Exists or DoesNotExist"
)]
#[case::more_than_anybody_replaces(
    replacing(vec![json!({"name": "b"}); 21].into()),
    "spec.replaces has 21 entries; at most 20 are allowed"
)]
#[case::neither_manifest_nor_ref(
    spec(|stage| stage["resources"] = json!([{}])),
    "spec.stages[0].resources[0] has neither a manifest nor a ref; write one of the two fields"
)]
#[case::both(
    spec(|stage| stage["resources"] = json!([{"manifest": {}, "ref": {"name": "a"}}])),
    "spec.stages[0].resources[0] has both a manifest and a ref; remove one of the two fields"
)]
#[case::a_ref_to_nothing(
    spec(|stage| stage["resources"] = json!([{"ref": {}}])),
    "spec.stages[0].resources[0].ref must have either the name of a ResourceManifest or a secret"
)]
fn reports_invalid_plan(#[case] spec: Value, #[case] expected: &str) {
    assert_eq!(refused(spec), [expected]);
}

#[test]
fn all_errors_of_a_plan_are_reported_together() {
    let stage = json!({"name": "one", "resources": [{"manifest": "text"}, {"ref": {"name": "A"}}]});
    let spec = json!({"suspend": "no", "stages": [stage, {"name": "one", "resources": [{"manifest": {}}]}]});
    let fields: Vec<_> = refused(spec)
        .iter()
        .map(|sentence| sentence.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    let expected = [
        "spec.serviceAccountName",
        "spec.suspend",
        "spec.stages[0].resources[0].manifest",
        "spec.stages[0].resources[1].ref.name",
        "spec.stages[1].name",
    ];
    assert_eq!(fields, expected);
}

#[test]
fn rejects_plan_with_too_many_resources() {
    let spec = spec(|stage| stage["resources"] = vec![json!({"manifest": {}}); 10_001].into());
    let expected = "spec.stages has 10001 resources; at most 10000 are allowed";
    assert_eq!(refused(spec), [expected]);
}

#[rstest]
#[case::not_hexadecimal(format!("sha256:{}", "g".repeat(64)))]
#[case::too_short("sha256:00".to_owned())]
#[case::of_another_kind("md5:00".to_owned())]
fn resource_manifest_without_a_digest_is_rejected(#[case] digest: String) {
    let spec = json!({"digest": digest, "manifest": {}});
    let refusals = Stored::parse(&ResourceManifest::new("a", spec.into())).expect_err("a refusal");
    let sentence =
        "spec.digest is not a digest; write sha256: and 64 lower-case hexadecimal digits";
    assert_eq!(refusals.sentences(), [sentence]);
}

#[test]
fn resource_manifest_is_parsed_plain_or_compressed() {
    let digest = format!("sha256:{}", "0".repeat(64));
    let of = |mut spec: Value| {
        spec["digest"] = json!(digest);
        Stored::parse(&ResourceManifest::new("a", spec.into()))
    };
    let stored = |body| {
        Ok(Stored {
            digest: digest.clone(),
            body,
        })
    };
    assert_eq!(
        of(json!({"compressed": "H4s="})),
        stored(Body::Compressed("H4s=".to_owned()))
    );
    assert_eq!(
        of(json!({"manifest": {}})),
        stored(Body::Plain(serde_json::Map::new()))
    );
    let both = of(json!({"manifest": {}, "compressed": ""})).expect_err("a refusal");
    assert_eq!(
        both.sentences(),
        ["spec must have either manifest or compressed"]
    );
}

#[rstest]
#[case::by_its_name(json!({"name": "old"}), true)]
#[case::by_another_name(json!({"name": "ol"}), false)]
#[case::by_its_labels(json!({"labelSelector": {"matchLabels": {"app": "ferry"}}}), true)]
#[case::by_more_labels(json!({"labelSelector": {"matchLabels": {"app": "ferry", "x": "y"}}}), false)]
#[case::by_a_missing_label(
    json!({"labelSelector": {"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}}),
    true
)]
fn parses_references_to_replaced_plans(#[case] entry: Value, #[case] expected: bool) {
    let plan = InstallPlan::new("a", replacing(json!([entry])).into());
    let replaces = Intent::parse(&plan).expect("an Intent").replaces;
    let labels = [("app".to_owned(), "ferry".to_owned())].into();
    assert_eq!(replaces[0].matches("old", &labels), expected);
}

#[rstest]
#[case::without_the_annotation(None, false)]
#[case::if_the_annotation_is_true(Some("true"), true)]
#[case::if_the_annotation_is_empty(Some(""), true)]
#[case::if_the_annotation_is_false(Some("false"), false)]
fn annotation_abandons_the_plan(#[case] value: Option<&str>, #[case] expected: bool) {
    let mut plan = InstallPlan::new("a", spec(|_| {}).into());
    let annotation = value.map(|value| (ABANDON.to_owned(), value.to_owned()));
    plan.metadata.annotations = Some(annotation.into_iter().collect());
    assert_eq!(plan.is_abandoned(), expected);
}

#[test]
fn unknown_enum_values_of_a_status_are_accepted() {
    let status: Status = serde_json::from_value(json!({
        "phase": "Sinking",
        "members": [{"stage": "a", "index": 0, "object": "b", "state": "Adrift", "message": ""}],
        "record": {"digest": "", "found": {"0": "u"}},
    }))
    .expect("a status");
    assert_eq!(status.phase, Some(Phase::Unknown));
    assert_eq!(status.members[0].state, MemberState::Unknown);
    let known = serde_json::to_value(Phase::Ready).expect("JSON");
    assert_eq!(known, json!("Ready"));
}

#[test]
fn reads_the_earlier_name_of_the_phase_superseded() {
    let earlier = json!("Resting"); // Earlier versions of Portolan wrote it.
    let phase: Phase = serde_json::from_value(earlier).expect("a phase");
    assert_eq!(phase, Phase::Superseded);
    assert_eq!(json!(phase), json!("Superseded"));
}
