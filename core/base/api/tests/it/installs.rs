//! Tests of parsed Installs, their errors and their CRD.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube_core::CustomResourceExt as _;
use portolan_api::installs::{
    AccountRef, Approved, Content, Install, Intent, Pending, Permission, PlanRef, Resolved,
    ResolvedApi, ResolvedBundle, Status,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::definition::{each, fields};
use crate::plan_definition::server::complaints;

fn parsed(spec: Value) -> Result<Intent, Vec<String>> {
    Intent::parse(&Install::new("a", spec.into())).map_err(|refusals| refusals.sentences())
}

fn schema(field: &str) -> Value {
    let definition = serde_json::to_value(Install::crd()).expect("JSON");
    let whole = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    whole["properties"][field].clone()
}

fn install() -> Value {
    json!({
        "approval": "Approved",
        "namespaces": [{"from": "default", "to": "harbor"}, {"from": "a", "to": "harbor"}],
        "content": [
            {"type": "Raw", "raw": "kind: ConfigMap"},
            {"type": "Raw", "raw": {"kind": "ConfigMap"}},
            {"type": "ManifestImage", "manifestImage": "registry.example/plum:v1"},
        ],
    })
}

#[test]
fn install_with_every_field_is_parsed() {
    let intent = parsed(install()).expect("an Install");
    assert!(intent.is_approved);
    assert_eq!(intent.mapping.of("default"), "harbor");
    assert_eq!(intent.mapping.of("b"), "b");
    assert_eq!(intent.mapping.target(), Some("harbor"));
    let raw = |manifest| Content::Raw(manifest);
    let image = "registry.example/plum:v1".to_owned();
    let content = [
        raw(json!("kind: ConfigMap")),
        raw(json!({"kind": "ConfigMap"})),
        Content::ManifestImage(image),
    ];
    assert_eq!(intent.content, content);
}

#[test]
fn omitted_fields_mean_unapproved_and_unmapped() {
    let intent = parsed(json!({"content": [{"type": "Raw", "raw": "a"}]})).expect("an Install");
    assert!(!intent.is_approved);
    assert_eq!(intent.mapping.target(), None);
    let two = json!([{"from": "a", "to": "b"}, {"from": "c", "to": "d"}]);
    let two = json!({"content": [{"type": "Raw", "raw": "a"}], "namespaces": two});
    assert_eq!(parsed(two).expect("an Install").mapping.target(), None);
}

#[rstest]
#[case::nothing(json!(null), "spec is missing; list the content to install")]
#[case::no_content(json!({}), "spec.content is missing; write at least one entry")]
#[case::empty(json!({"content": []}), "spec.content is empty; list at least one entry")]
#[case::string_that_is_not_an_allowed_value(
    json!({"approval": "Yes", "content": [{"type": "Raw", "raw": "a"}]}),
    "spec.approval is \"Yes\"; write Approved or Unapproved"
)]
#[case::a_type(
    json!({"content": [{"type": "Image", "raw": "a"}]}),
    "spec.content[0].type is \"Image\"; write ManifestImage or Raw"
)]
#[case::a_field(
    json!({"content": [{"type": "Raw", "raw": "a", "manifest": "b"}]}),
    "spec.content[0].manifest is not a known field; allowed are manifestImage, raw, type"
)]
#[case::no_raw(
    json!({"content": [{"type": "Raw"}]}),
    "spec.content[0].raw is missing; write several manifests as a string, or one manifest as an \
     object"
)]
#[case::a_number(
    json!({"content": [{"type": "Raw", "raw": 1}]}),
    "spec.content[0].raw is neither a string nor an object; write several manifests as a string, \
     or one manifest as an object"
)]
#[case::no_image(
    json!({"content": [{"type": "ManifestImage"}]}),
    "spec.content[0].manifestImage is missing; write an image, such as registry.example/bundle:v1"
)]
#[case::both(
    json!({"content": [{"type": "ManifestImage", "manifestImage": "a", "raw": "b"}]}),
    "spec.content[0].raw belongs to another type of content; remove this field"
)]
#[case::twice(
    json!({
        "content": [{"type": "Raw", "raw": "a"}],
        "namespaces": [{"from": "a", "to": "b"}, {"from": "a", "to": "c"}],
    }),
    "spec.namespaces[1].from names a namespace that another entry already maps; remove one of the entries"
)]
fn reports_invalid_install(#[case] spec: Value, #[case] sentence: &str) {
    assert_eq!(parsed(spec), Err(vec![sentence.to_owned()]));
}

#[test]
fn schema_accepts_every_spec_that_the_parser_accepts() {
    assert_eq!(
        complaints(&schema("spec"), &install()),
        Vec::<String>::new()
    );
    let image = json!({"content": [{"type": "Image", "raw": "a"}]});
    assert!(!complaints(&schema("spec"), &image).is_empty());
    assert!(!complaints(&schema("spec"), &json!({})).is_empty());
}

#[test]
fn status_has_exactly_the_fields_of_its_schema() {
    let set = || ["a".to_owned()].into();
    let time = || Time("2026-01-01T00:00:00Z".parse().expect("a time"));
    let [name, namespace] = ["a", "b"].map(str::to_owned);
    let api = ResolvedApi {
        group: "a.test".to_owned(),
        version: "v1".to_owned(),
        kind: "A".to_owned(),
        plural: "as".to_owned(),
    };
    let status = Status {
        observed_generation: Some(1),
        conditions: vec![Condition {
            type_: "Ready".to_owned(),
            status: "True".to_owned(),
            reason: "Installed".to_owned(),
            message: String::new(),
            observed_generation: Some(1),
            last_transition_time: time(),
        }],
        service_account_ref: Some(AccountRef {
            name: name.clone(),
            namespace: namespace.clone(),
        }),
        resolved: vec![Resolved {
            type_: "ManifestImage".to_owned(),
            manifest_image: "a@sha256:0".to_owned(),
            digest: "sha256:0".to_owned(),
            objects: 1,
            bundle: Some(ResolvedBundle {
                name: "a.v1".to_owned(),
                version: "1.0.0".to_owned(),
                display_name: "A".to_owned(),
                description: "It is one.".to_owned(),
                provides: vec![api.clone()],
                requires: vec![api],
            }),
        }],
        pending: Some(Pending {
            digest: "sha256:0".to_owned(),
            permissions: vec![Permission {
                api_groups: set(),
                resources: set(),
                resource_names: set(),
                non_resource_urls: set(),
                verbs: set(),
                namespaces: set(),
                subjects: set(),
                role: "Role a".to_owned(),
            }],
        }),
        approved: Some(Approved {
            generation: 1,
            since: time(),
        }),
        plan: Some(PlanRef { name, namespace }),
    };
    let status = json!(status);
    let schema = schema("status");
    assert_eq!(complaints(&schema, &status), Vec::<String>::new());
    let declared = each(&schema, "").into_iter();
    let declared: BTreeSet<_> = declared
        .filter(|(_, schema)| schema.get("properties").or(schema.get("items")).is_none())
        .map(|(path, _)| path)
        .collect();
    let mut written = BTreeSet::new();
    fields(&status, "", &mut written);
    assert_eq!(declared, written);
}
