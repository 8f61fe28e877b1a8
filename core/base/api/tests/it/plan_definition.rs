//! Tests of the CRDs of InstallPlan and ResourceManifest.

pub(crate) mod server;

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube_core::CustomResourceExt;
use portolan_api::Flaw;
use portolan_api::plan::{
    Counts, FailingPod, InstallPlan, Intent, JobState, JobStatus, MemberOwner, MemberState,
    MemberStatus, MissingRule, Phase, Record, Repairs, ResourceManifest, StageStatus, Status,
    Stored, Taken, Transformed,
};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::definition::{each, fields};
use server::{changes, complaints, pruned};

fn crd_as_json<K: CustomResourceExt>() -> Value {
    serde_json::to_value(K::crd()).expect("JSON")
}

/// Returns the schema of a field of kind `K`.
fn schema<K: CustomResourceExt>(field: &str) -> Value {
    let crd = crd_as_json::<K>();
    let whole = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    whole["properties"][field].clone()
}

fn manifest() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbor"}})
}

/// Returns a spec that contains every field.
fn spec() -> Value {
    json!({
        "serviceAccountName": "installer", "suspend": false, "collisions": "Refuse",
        "lifecycle": {"onPlanDeletion": "Delete", "onDrift": "Revert", "onDeletion": "Recreate"},
        "abandonAfterSeconds": 3600,
        "replaces": [{"name": "older"}, {"labelSelector": {
            "matchLabels": {"app": "ferry"},
            "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a"]}],
        }}],
        "transformations": [{
            "from": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "b"},
                {"apiVersion": "apps/v1", "kind": "Deployment", "allNamespaces": true,
                    "labelSelector": {"matchLabels": {"app": "ferry"}}},
            ],
            "to": [{"apiVersion": "v1", "kind": "Namespace", "name": "harbor"}],
            "order": "Before", "max": 5,
        }],
        "stages": [
            {
                "name": "one", "order": "InOrder", "waitFor": "Ready", "deadlineSeconds": 60,
                "resources": [
                    {
                        "manifest": manifest(),
                        "lifecycle": {
                            "onPlanDeletion": "Keep", "onRemoval": "Delete", "onDrift": "Seal",
                            "onDeletion": "Report", "onImmutable": "Recreate",
                            "ignore": ["/metadata/labels"],
                        },
                    },
                    {"ref": {"name": "a.b"}},
                ],
                "jobs": [{"name": "migrate", "retries": 2, "template": {"spec": {}}}],
                "ready": [{"kind": "Ship.ferry.example", "cel": "self.status.phase == 'Sailing'"}],
            },
            {"name": "two", "resources": [{"ref": {"secret": "c"}}]},
        ],
    })
}

/// Returns the spec with another value at a pointer. The pointer may also add a field.
fn with(mut spec: Value, at: &str, value: Value) -> Value {
    let (parent, name) = at.rsplit_once('/').expect("a pointer");
    match spec.pointer_mut(parent).expect("a place") {
        Value::Array(items) => items[name.parse::<usize>().expect("an index")] = value,
        place => place[name] = value,
    }
    spec
}

fn stored() -> Value {
    json!({"digest": format!("sha256:{}", "0".repeat(64)), "manifest": manifest()})
}

#[test]
fn kinds_have_the_expected_names() {
    let names = [
        crd_as_json::<InstallPlan>(),
        crd_as_json::<ResourceManifest>(),
    ]
    .map(|crd| {
        assert_eq!(crd["spec"]["scope"], json!("Namespaced"));
        (
            crd["metadata"]["name"].clone(),
            crd["spec"]["names"].clone(),
        )
    });
    let expected = [
        (
            json!("installplans.plans.portolan.dev"),
            json!({
                "kind": "InstallPlan", "plural": "installplans", "singular": "installplan",
                "shortNames": ["pplan"],
            }),
        ),
        (
            json!("resourcemanifests.plans.portolan.dev"),
            json!({
                "kind": "ResourceManifest", "plural": "resourcemanifests",
                "singular": "resourcemanifest", "shortNames": ["pman"],
            }),
        ),
    ];
    assert_eq!(names, expected);
}

/// If two API groups have a kind with the same name, kubectl uses the group that sorts first for a
/// name without a group.
#[test]
fn group_sorts_after_the_group_of_olm() {
    let spec = &crd_as_json::<InstallPlan>()["spec"];
    let group = spec["group"].as_str().expect("a group");
    assert!(group > "operators.coreos.com", "{group}");
    assert_eq!(spec["names"].get("categories"), None);
}

#[test]
fn plan_has_its_own_status_subresource() {
    let version = &crd_as_json::<InstallPlan>()["spec"]["versions"][0];
    assert_eq!(version["subresources"], json!({"status": {}}));
    let version = &crd_as_json::<ResourceManifest>()["spec"]["versions"][0];
    assert_eq!(version.get("subresources"), None);
}

#[rstest]
#[case::of_the_plan(schema::<InstallPlan>("spec"))]
#[case::of_its_status(schema::<InstallPlan>("status"))]
#[case::of_the_manifest(schema::<ResourceManifest>("spec"))]
fn each_field_is_described_and_has_no_default(#[case] schema: Value) {
    for (path, schema) in each(&schema, "") {
        let description = schema["description"].as_str().unwrap_or_default();
        assert!(description.ends_with('.') || path.ends_with("[]"), "{path}");
        assert_eq!(schema.get("default"), None, "{path}");
    }
}

#[rstest]
#[case::of_the_plan(schema::<InstallPlan>("spec"))]
#[case::of_the_manifest(schema::<ResourceManifest>("spec"))]
fn lists_and_texts_are_bounded(#[case] schema: Value) {
    for (path, schema) in each(&schema, "") {
        let bound = match schema["type"].as_str() {
            Some("string") => schema.get("maxLength").or(schema.get("enum")),
            Some("array") => schema.get("maxItems"),
            Some(_) | None => continue,
        };
        assert!(bound.is_some(), "{path} has no bound");
    }
}

/// The parser and the schema have the same fields.
#[rstest]
#[case::spec("", "")]
#[case::stage("/stages/0", "stages[]")]
#[case::transformation("/transformations/0", "transformations[]")]
#[case::from("/transformations/0/from/0", "transformations[].from[]")]
#[case::to("/transformations/0/to/0", "transformations[].to[]")]
#[case::job("/stages/0/jobs/0", "stages[].jobs[]")]
#[case::ready("/stages/0/ready/0", "stages[].ready[]")]
#[case::resource("/stages/0/resources/0", "stages[].resources[]")]
#[case::reference("/stages/0/resources/1/ref", "stages[].resources[].ref")]
#[case::lifecycle("/lifecycle", "lifecycle")]
#[case::exception("/stages/0/resources/0/lifecycle", "stages[].resources[].lifecycle")]
fn parser_accepts_every_field_of_the_schema(#[case] at: &str, #[case] path: &str) {
    let strange = with(spec(), &format!("{at}/?"), json!(1));
    let refusals = Intent::parse(&InstallPlan::new("a", strange.into())).expect_err("refusals");
    let schema = schema::<InstallPlan>("spec");
    let known = known(refusals.iter().map(|it| &it.flaw));
    // A field is added to the CRD when a controller supports it.
    assert_eq!(known, declared(&schema, path));
}

#[test]
fn resource_manifest_parser_accepts_every_field_of_the_schema() {
    let strange = with(stored(), "/?", json!(1)).into();
    let refusals = Stored::parse(&ResourceManifest::new("a", strange)).expect_err("refusals");
    let schema = schema::<ResourceManifest>("spec");
    assert_eq!(
        known(refusals.iter().map(|it| &it.flaw)),
        declared(&schema, "")
    );
}

fn known<'a>(mut flaws: impl Iterator<Item = &'a Flaw>) -> BTreeSet<String> {
    let known = flaws.find_map(|flaw| match flaw {
        Flaw::Unknown { known, .. } => Some(known.iter().map(|name| (*name).to_owned()).collect()),
        _ => None,
    });
    known.expect("an unknown field")
}

fn declared(schema: &Value, path: &str) -> BTreeSet<String> {
    let all = each(schema, "");
    let path = path.trim_start_matches('.');
    let (_, schema) = all
        .iter()
        .find(|(at, _)| at.trim_start_matches('.') == path)
        .expect("a schema");
    let fields = schema["properties"].as_object().expect("fields");
    fields.keys().cloned().collect()
}

/// Returns a status with a value in every field.
fn whole() -> Status {
    let time: Time = serde_json::from_value(json!("2024-05-01T10:00:00Z")).expect("a time");
    Status {
        observed_generation: Some(7),
        phase: Some(Phase::Applying),
        conditions: vec![Condition {
            last_transition_time: time.clone(),
            message: "all is well".to_owned(),
            observed_generation: Some(7),
            reason: "PlanValid".to_owned(),
            status: "True".to_owned(),
            type_: "Valid".to_owned(),
        }],
        stage: Some(StageStatus {
            name: "one".to_owned(),
            index: 0,
            since: Some(time.clone()),
        }),
        counts: Some(Counts {
            members: 3,
            applied: 2,
            ready: 1,
        }),
        members: vec![MemberStatus {
            stage: "one".to_owned(),
            index: 0,
            object: "Namespace harbor".to_owned(),
            state: MemberState::NotReady,
            message: "it is not active".to_owned(),
            pod: Some(FailingPod {
                name: "ferry-0".to_owned(),
                cause: "CrashLooping".to_owned(),
                container: "main".to_owned(),
                reason: "CrashLoopBackOff".to_owned(),
                exit_code: Some(1),
                message: "no wind".to_owned(),
            }),
            owner: Some(MemberOwner {
                group: "plans.portolan.dev".to_owned(),
                kind: "InstallPlan".to_owned(),
                namespace: Some("harbor".to_owned()),
                name: "other".to_owned(),
            }),
            finalizers: vec!["ferry.example/dock".to_owned()],
            failing_webhook: Some("pilot.example".to_owned()),
        }],
        missing_rules: vec![MissingRule {
            namespace: Some("harbor".to_owned()),
            api_groups: vec!["apps".to_owned()],
            resources: vec!["deployments".to_owned()],
            resource_names: vec!["ferry".to_owned()],
            non_resource_urls: vec!["/metrics".to_owned()],
            verbs: vec!["get".to_owned()],
        }],
        more_missing_rules: 1,
        missing_namespaces: vec!["pier".to_owned()],
        missing_namespace_label: Some("plans.portolan.dev/enabled".to_owned()),
        missing_controller_role: Some("portolan-plans-namespace".to_owned()),
        lineage: Some("0b7c".to_owned()),
        merged_lineages: vec!["0b7d".to_owned()],
        predecessors: vec!["0b7c".to_owned()],
        taken_over: vec!["0b7c".to_owned()],
        record: Some(Record {
            digest: "sha256:00".to_owned(),
            found: [("0".to_owned(), "0b7c".to_owned())].into(),
            made: "AQIDBAU=".to_owned(),
            referenced: "e30=".to_owned(),
        }),
        jobs: vec![JobStatus {
            stage: "one".to_owned(),
            name: "migrate".to_owned(),
            run: 1,
            failures: 1,
            job: "plan-migrate-0".to_owned(),
            uid: Some("0b7c".to_owned()),
            state: JobState::Failed,
            ended: Some(time.clone()),
            message: "it failed".to_owned(),
        }],
        transformed: vec![Transformed {
            index: 0,
            objects: vec![Taken {
                group: "apps".to_owned(),
                kind: "Deployment".to_owned(),
                namespace: Some("harbor".to_owned()),
                name: "ferry".to_owned(),
                uid: "0b7c".to_owned(),
            }],
            is_done: true,
        }],
        repairs: [(
            "0".to_owned(),
            Repairs {
                times: 1,
                since: time.clone(),
            },
        )]
        .into(),
        retried: Some("again".to_owned()),
        deletion_blocked_since: Some(time),
    }
}

#[test]
fn the_schema_declares_each_field_of_the_status_and_no_other() {
    let schema = schema::<InstallPlan>("status");
    let declared: BTreeSet<_> = each(&schema, "")
        .into_iter()
        .filter(|(_, schema)| schema.get("properties").or(schema.get("items")).is_none())
        // The keys of this map are the indexes of members, not fields.
        .flat_map(|(path, schema)| match schema.get("additionalProperties") {
            Some(of_member) if of_member["type"] == "object" => {
                let within = each(of_member, &format!("{path}.0"));
                let fields = within.into_iter().filter(|(at, _)| !at.ends_with(".0"));
                fields.map(|(path, _)| path).collect()
            }
            Some(_) => vec![format!("{path}.0")],
            None => vec![path],
        })
        .collect();
    let mut written = BTreeSet::new();
    let status = serde_json::to_value(whole()).expect("JSON");
    fields(&status, "", &mut written);
    assert_eq!(declared, written);
    assert_eq!(complaints(&schema, &status), Vec::<String>::new());
}

/// API servers reject null in fields that are not nullable.
#[test]
fn unknown_status_fields_are_omitted() {
    let little = Status {
        stage: Some(StageStatus::default()),
        ..Status::default()
    };
    let little = serde_json::to_value(little).expect("JSON");
    assert_eq!(little, json!({"stage": {"name": "", "index": 0}}));
}

/// The schema and the parser reject the same values.
#[rstest]
#[case::the_whole("/suspend", &[json!(true)], &[json!("true"), json!(1)])]
#[case::account(
    "/serviceAccountName",
    &[json!("a"), json!("a-b.c0"), json!("a".repeat(253))],
    &[
        json!(""), json!("A"), json!("-a"), json!("a-"), json!("a..b"), json!(".a"), json!("a."),
        json!("a.-b"), json!("a\n"), json!("ä"), json!("a/b"), json!("a".repeat(254)), json!(1),
    ],
)]
#[case::collisions(
    "/collisions",
    &[json!("Refuse"), json!("IfUnowned"), json!("Adopt")],
    &[json!("refuse"), json!(""), json!("IfUnowned "), json!(true)],
)]
#[case::lifecycle("/lifecycle", &[json!({})], &[json!("Delete")])]
#[case::on_plan_deletion(
    "/lifecycle/onPlanDeletion", &[json!("Keep"), json!("Delete")], &[json!("keep"), json!("")]
)]
#[case::on_removal(
    "/stages/0/resources/0/lifecycle/onRemoval", &[json!("Keep")], &[json!("Never"), json!(1)]
)]
#[case::on_drift(
    "/lifecycle/onDrift", &[json!("Report"), json!("Revert"), json!("Seal")], &[json!("Keep")]
)]
#[case::on_deletion("/lifecycle/onDeletion", &[json!("Report")], &[json!("Revert"), json!(true)])]
#[case::on_immutable(
    "/stages/0/resources/0/lifecycle/onImmutable", &[json!("Fail")], &[json!("Replace"), json!({})]
)]
#[case::ignored(
    "/stages/0/resources/0/lifecycle/ignore",
    &[
        json!([]), json!(["/spec/replicas"]), json!(["/metadata/labels/a.b~1c", "/data/a~0b/0"]),
        json!([format!("/{}", "a".repeat(499))]),
    ],
    &[
        json!("/spec"), json!([""]), json!(["/"]), json!(["spec"]), json!(["/spec/"]), json!(["/a//b"]),
        json!(["/a~"]), json!(["/a~2"]), json!([1]), json!([format!("/{}", "a".repeat(500))]),
        json!(vec!["/a"; 51]),
    ],
)]
#[case::abandonment("/abandonAfterSeconds", &[json!(0)], &[json!(-1), json!("1h")])]
#[case::replaces("/replaces", &[json!([])], &[json!({}), json!("older")])]
#[case::a_predecessor(
    "/replaces/0", &[], &[json!({}), json!({"name": "a", "labelSelector": {"matchLabels": {"a": "b"}}})]
)]
#[case::its_name("/replaces/0/name", &[json!("a.b")], &[json!("A"), json!(1)])]
#[case::its_labels(
    "/replaces/1/labelSelector/matchExpressions/0/operator", &[json!("NotIn")], &[json!("Has")]
)]
#[case::stages("/stages", &[], &[json!([]), json!({}), json!("one")])]
#[case::name(
    "/stages/0/name",
    &[json!("a"), json!("0-a"), json!("a".repeat(63))],
    &[
        json!(""), json!("a.b"), json!("A"), json!("a-"), json!("a\n"), json!("a".repeat(64)),
        json!("two"), json!(1),
    ],
)]
#[case::order("/stages/0/order", &[json!("InOrder"), json!("Any")], &[json!("any"), json!("")])]
#[case::wait_for("/stages/0/waitFor", &[json!("Applied"), json!("Ready")], &[json!("ready")])]
#[case::deadline(
    "/stages/0/deadlineSeconds",
    &[json!(0), json!(u32::MAX)],
    &[json!(-1), json!(u64::from(u32::MAX) + 1), json!(1.5), json!("600")],
)]
#[case::transformations("/transformations", &[json!([])], &[json!({}), json!([{}])])]
#[case::moment("/transformations/0/order", &[json!("After")], &[json!("Later")])]
#[case::at_most("/transformations/0/max", &[json!(0), json!(1000)], &[json!(-1), json!(1001)])]
#[case::nothing_taken("/transformations/0/from", &[], &[json!([]), json!("a")])]
#[case::nothing_given("/transformations/0/to", &[], &[json!([]), json!([{}])])]
#[case::a_selection(
    "/transformations/0/from/0",
    &[json!({"apiVersion": "v1", "kind": "A", "name": "a", "allNamespaces": true})],
    &[
        json!({"apiVersion": "v1", "kind": "A", "name": "a"}),
        json!({"apiVersion": "v1", "kind": "A", "name": "a", "allNamespaces": false}),
        json!({"apiVersion": "v1", "kind": "A", "namespace": "a"}),
        json!({"apiVersion": "v1", "kind": "A", "namespace": "a", "allNamespaces": true, "name": "a"}),
        json!({"apiVersion": "v1", "kind": "A", "namespace": "a", "labelSelector": {}}),
        json!({"apiVersion": "v1", "kind": "A", "namespace": "a", "name": ""}),
        json!({"kind": "A", "namespace": "a", "name": "a"}),
    ],
)]
#[case::ready("/stages/0/ready", &[json!([])], &[json!({}), json!([{}]), json!(["Ship"])])]
#[case::ready_kind("/stages/0/ready/0/kind", &[json!("Ship.a.b")], &[json!(""), json!("Ship"), json!("Ship.example"), json!(".a.b"), json!("Ship.A.b"), json!("Sh-p.a.b")])]
#[case::ready_cel("/stages/0/ready/0/cel", &[json!("true")], &[json!(""), json!(1)])]
#[case::jobs("/stages/0/jobs", &[json!([])], &[json!({}), json!([{}]), json!(["migrate"])])]
#[case::job_name("/stages/0/jobs/0/name", &[json!("a-0")], &[json!(""), json!("A"), json!("a.b")])]
#[case::retries("/stages/0/jobs/0/retries", &[json!(0), json!(100)], &[json!(-1), json!(101)])]
#[case::template("/stages/0/jobs/0/template", &[json!({})], &[json!([]), json!("job")])]
#[case::resources("/stages/1/resources", &[], &[json!([]), json!({})])]
#[case::resources_beside_jobs("/stages/0/resources", &[json!([])], &[json!({})])]
#[case::resource(
    "/stages/0/resources/0",
    &[json!({"manifest": {}}), json!({"ref": {"name": "a"}})],
    &[json!({}), json!({"manifest": {}, "ref": {"name": "a"}}), json!("a")],
)]
#[case::manifest(
    "/stages/0/resources/0/manifest",
    &[json!({}), json!({"spec": null, "data": {"a": [null, 1, {"b": 1.5}]}}), json!({"": ""})],
    &[json!("text"), json!([]), json!(1)],
)]
#[case::reference(
    "/stages/0/resources/1/ref",
    &[json!({"name": "a.b"}), json!({"secret": "a.b"})],
    &[json!({}), json!({"name": "a", "secret": "a"}), json!("a")],
)]
#[case::reference_name("/stages/0/resources/1/ref/name", &[json!("a")], &[json!("A"), json!("")])]
#[case::reference_secret("/stages/1/resources/0/ref/secret", &[], &[json!("A"), json!("")])]
fn schema_and_parser_agree(#[case] at: &str, #[case] good: &[Value], #[case] bad: &[Value]) {
    for value in good {
        let spec = with(spec(), at, value.clone());
        assert_eq!(
            verdicts(&spec),
            [Vec::<String>::new(), Vec::new()],
            "{value}"
        );
    }
    for value in bad {
        let [schema, parse] = verdicts(&with(spec(), at, value.clone()));
        assert!(!schema.is_empty(), "the schema takes {value}");
        assert!(!parse.is_empty(), "the parse takes {value}");
    }
}

/// Returns the errors of the schema, and the errors of the parser.
fn verdicts(spec: &Value) -> [Vec<String>; 2] {
    // A schema cannot detect that a plan replaces itself, so the name of the plan differs.
    let parsed = Intent::parse(&InstallPlan::new("itself", spec.clone().into()));
    let refused = parsed.err().map(|refusals| refusals.sentences());
    [
        complaints(&schema::<InstallPlan>("spec"), spec),
        refused.unwrap_or_default(),
    ]
}

#[test]
fn schema_and_parser_limit_stages_and_resources() {
    let stage = |name: usize, resources: usize| {
        let resources = vec![json!({"ref": {"name": "a"}}); resources];
        json!({"name": format!("s{name}"), "resources": resources})
    };
    let plan = |stages: Vec<Value>| json!({"serviceAccountName": "a", "stages": stages});
    for (stages, is_good) in [
        ((0..100).map(|name| stage(name, 1)).collect(), true),
        ((0..101).map(|name| stage(name, 1)).collect(), false),
        (vec![stage(0, 10_000)], true),
        (vec![stage(0, 10_001)], false),
        (vec![stage(0, 5_000), stage(1, 5_000)], true),
        (vec![stage(0, 5_000), stage(1, 5_001)], false),
    ] {
        let [schema, parse] = verdicts(&plan(stages));
        assert_eq!(
            [schema.is_empty(), parse.is_empty()],
            [is_good; 2],
            "{schema:?} {parse:?}"
        );
    }
}

#[rstest]
#[case::digest("/digest", &[], &[json!("sha256:00"), json!("md5:00"), json!(""), json!(1)])]
#[case::manifest("/manifest", &[json!({})], &[json!("text"), json!([])])]
#[case::both("/compressed", &[], &[json!("H4s="), json!(1)])]
fn schema_and_parser_of_resource_manifests_agree(
    #[case] at: &str,
    #[case] good: &[Value],
    #[case] bad: &[Value],
) {
    let values = good.iter().map(|value| (value, true));
    for (value, is_good) in values.chain(bad.iter().map(|value| (value, false))) {
        let spec = with(stored(), at, value.clone());
        let complaints = complaints(&schema::<ResourceManifest>("spec"), &spec);
        let parsed = Stored::parse(&ResourceManifest::new("a", spec.into()));
        assert_eq!(
            [complaints.is_empty(), parsed.is_ok()],
            [is_good; 2],
            "{value}"
        );
    }
}

/// The CEL rules and the parser report the same error message.
#[rstest]
#[case::neither("/stages/0/resources/0", json!({}))]
#[case::both("/stages/0/resources/0", json!({"manifest": {}, "ref": {"name": "a"}}))]
#[case::no_ref("/stages/0/resources/1/ref", json!({}))]
#[case::two_refs("/stages/0/resources/1/ref", json!({"name": "a", "secret": "b"}))]
fn rules_and_parser_report_the_same_message(#[case] at: &str, #[case] value: Value) {
    let [schema, parse] = verdicts(&with(spec(), at, value));
    assert_eq!(schema, parse);
    assert_eq!(parse.len(), 1);
}

#[rstest]
#[case::account(
    "/serviceAccountName",
    json!("other"),
    "spec.serviceAccountName is immutable; create another InstallPlan for the other \
     ServiceAccount"
)]
#[case::the_order_of_a_stage(
    "/stages/0/order",
    json!("Any"),
    "spec.stages is immutable; create another InstallPlan with the other stages"
)]
#[case::the_order_of_stages(
    "/stages",
    json!([spec()["stages"][1], spec()["stages"][0]]),
    "spec.stages is immutable; create another InstallPlan with the other stages"
)]
fn rejects_change_of_immutable_field(
    #[case] at: &str,
    #[case] value: Value,
    #[case] sentence: &str,
) {
    let changed = with(spec(), at, value);
    let schema = schema::<InstallPlan>("spec");
    assert_eq!(changes(&schema, &spec(), &changed), [sentence]);
}

#[rstest]
#[case::nothing("/suspend", json!(false))]
#[case::suspend("/suspend", json!(true))]
#[case::collisions("/collisions", json!("Adopt"))]
#[case::lifecycle("/lifecycle", json!({}))]
#[case::abandonment("/abandonAfterSeconds", json!(0))]
fn accepts_change_of_mutable_field(#[case] at: &str, #[case] value: Value) {
    let changed = with(spec(), at, value);
    let schema = schema::<InstallPlan>("spec");
    assert_eq!(changes(&schema, &spec(), &changed), Vec::<String>::new());
}

#[test]
fn change_of_a_resource_manifest_is_rejected() {
    let schema = schema::<ResourceManifest>("spec");
    let changed = with(stored(), "/manifest", json!({}));
    let sentence = "the spec of a ResourceManifest is immutable; create another ResourceManifest, \
                    and an InstallPlan that refers to it";
    assert_eq!(changes(&schema, &stored(), &changed), [sentence]);
    assert_eq!(changes(&schema, &stored(), &stored()), Vec::<String>::new());
}

/// Generates a value that may be valid in some field of a plan.
fn any_value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!("one"),
        json!("two"),
        json!("A"),
        json!(""),
        json!("Ready"),
        json!("Any"),
        json!("Adopt"),
        json!(0),
        json!(-1),
        json!(true),
        json!([]),
        json!({}),
        json!({"name": "a"}),
        json!({"secret": "a", "name": "b"}),
        json!({"manifest": {}}),
        json!([{"ref": {"name": "a"}}]),
        json!([{"name": "one", "resources": [{"manifest": {}}]}]),
    ])
}

proptest! {
    #[test]
    fn schema_and_parser_agree_on_random_values(
        at in prop::sample::select(places()),
        value in any_value(),
        also in prop::sample::select(places()),
        other in any_value(),
    ) {
        let mut spec = spec();
        for (at, value) in [(at, value), (also, other)] {
            if let Some(place) = spec.pointer_mut(&at) {
                *place = value;
            }
        }
        // An API server drops unknown fields before it stores an object, so the parser never reads
        // them.
        let spec = pruned(&schema::<InstallPlan>("spec"), spec);
        let [schema, parse] = verdicts(&spec);
        prop_assert_eq!(schema.is_empty(), parse.is_empty(), "{} {:?} {:?}", spec, schema, parse);
    }
}

/// Returns the JSON pointers of all values in a spec. Omits values inside manifests, and CEL rules,
/// which a schema cannot compile.
fn places() -> Vec<String> {
    let mut all = Vec::new();
    server::places(&spec(), "", &mut all);
    all.retain(|at| !at.contains("/manifest/") && !at.ends_with("/cel"));
    all
}
