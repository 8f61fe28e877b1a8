//! Tests of the manifests of a plan: where they are stored, and which faults they can have.

use portolan_core_install::{Contents, Members, SECRET_KEY, SecretContent, digest};
use portolan_core_olm::State;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::definition;
use crate::kit::{
    canonical_text, config_map, describe, faults, intent, members, packed, plan_identity, stage,
    with,
};

const AT: &str = "spec.stages[0].resources[0]";

#[rstest]
#[case::list(
    json!({"apiVersion": "v1", "kind": "List", "items": []}),
    "spec.stages[0].resources[0] is a List; write each of its items as a resource"
)]
#[case::typed_list(
    json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {}, "items": []}),
    "spec.stages[0].resources[0] is a ConfigMapList; write each of its items as a resource"
)]
#[case::missing_version(
    with(config_map("a"), "/apiVersion", Value::Null),
    "spec.stages[0].resources[0] has no apiVersion; write an API group and version, such as apps/v1"
)]
#[case::version_with_too_many_segments(
    with(config_map("a"), "/apiVersion", json!("a/b/c")),
    "spec.stages[0].resources[0] (ConfigMap.a harbor/a) has an invalid apiVersion, \"a/b/c\"; write \
     group/version"
)]
#[case::missing_kind(
    with(config_map("a"), "/kind", json!("")),
    "spec.stages[0].resources[0] has no kind; write a kind, such as Deployment"
)]
#[case::missing_name(
    with(config_map("a"), "/metadata/name", Value::Null),
    "spec.stages[0].resources[0] has no name; write metadata.name"
)]
#[case::name_with_a_path(
    with(config_map("a"), "/metadata/name", json!("../b")),
    "spec.stages[0].resources[0] (ConfigMap harbor/../b) has the name \"../b\", which is invalid \
     in a URL path"
)]
#[case::generated_name(
    with(config_map("a"), "/metadata/generateName", json!("a-")),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has metadata.generateName, which creates \
     another object each time; set metadata.name"
)]
#[case::object_read_from_a_cluster(
    with(with(config_map("a"), "/metadata/uid", json!("u")), "/metadata/generation", json!(1)),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has generation and uid in its metadata, \
     which only the API server writes; remove them"
)]
#[case::status(
    with(config_map("a"), "/status", json!({"phase": "Active"})),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has a status, which only the controller of \
     the object writes; remove the status"
)]
#[case::owner_reference(
    with(config_map("a"), "/metadata/ownerReferences", json!([{"uid": "u"}])),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has ownerReferences, so the object would be \
     deleted with an object outside of the plan; remove the ownerReferences"
)]
#[case::label_of_plans(
    with(config_map("a"), "/metadata/labels", json!({"plans.portolan.dev/lineage": "u"})),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has plans.portolan.dev/lineage in its \
     labels, which are reserved for InstallPlans; remove these keys"
)]
#[case::plan_itself(
    json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"namespace": "harbor", "name": "plan"},
    }),
    "spec.stages[0].resources[0] (InstallPlan.plans.portolan.dev harbor/plan) is the plan itself; \
     remove this entry"
)]
#[case::too_many_annotations(
    with(config_map("a"), "/metadata/annotations", json!({"a": "x".repeat(262_144)})),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has 262145 bytes of annotations; the \
     maximum is 262144"
)]
#[case::too_much_data(
    with(config_map("a"), "/data", json!({"a": "x".repeat(1_048_576)})),
    "spec.stages[0].resources[0] (ConfigMap harbor/a) has 1048577 bytes of data; the maximum is \
     1048576"
)]
fn invalid_manifest_is_refused(#[case] manifest: Value, #[case] expected: &str) {
    assert_same!(faults(&[manifest]), [expected]);
}

#[rstest]
#[case::maximum_size("x".repeat(1_048_575), true)]
#[case::one_byte_too_large("x".repeat(1_048_576), false)]
fn data_size_limit_is_exact(#[case] value: String, #[case] fits: bool) {
    let manifest = with(config_map("a"), "/data", json!({"a": value}));
    assert_eq!(faults(&[manifest]).is_empty(), fits);
}

#[test]
fn object_size_is_its_stored_size() {
    let large = |bytes: usize| {
        json!({
            "apiVersion": "ferry.example/v1", "kind": "Ship",
            "metadata": {"name": "a"}, "spec": {"cargo": "x".repeat(bytes)},
        })
    };
    let fixed = faults(&[large(1_568_768)]);
    let [sentence] = &fixed[..] else {
        panic!("one fault: {fixed:?}");
    };
    let said = sentence
        .split(' ')
        .find_map(|word| word.parse::<usize>().ok());
    let over = said.expect("the size") - 1_568_768;
    assert_eq!(faults(&[large(1_568_768 - over)]), Vec::<String>::new());
    assert_eq!(faults(&[large(1_568_769 - over)]).len(), 1);
}

/// The API server stores all versions of a CRD as one owned field. Therefore many fields in the
/// schemas do not make the managed fields larger.
#[test]
fn crd_with_many_fields_is_no_larger_than_its_text() {
    let fields = |count: usize| {
        let fields = (0..count).map(|at| (format!("field{at:06}"), json!({"type": "string"})));
        serde_json::Map::from_iter(fields)
    };
    let large = |count: usize| {
        let schema = json!({"openAPIV3Schema": {"properties": fields(count)}});
        let version = json!({"name": "v1", "served": true, "schema": schema});
        with(definition(), "/spec/versions", json!([version]))
    };
    assert_eq!(faults(&[large(48_000)]), Vec::<String>::new());
    assert_eq!(faults(&[large(50_000)]).len(), 1);
}

#[test]
fn all_faults_are_reported_together_with_their_fields() {
    let twice = with(config_map("a"), "/apiVersion", json!("v1"));
    let intent = intent(json!({"stages": [
        stage("one", &[config_map("a"), json!({"kind": "Pod"})]),
        stage("two", &[twice, config_map("b")]),
    ]}));
    let found = Members::read(&intent, &plan_identity(), &Contents::default());
    assert_same!(
        describe(&found.expect_err("faults")),
        [
            "spec.stages[0].resources[1] has no apiVersion; write an API group and version, such \
             as apps/v1",
            "spec.stages[0].resources[1] has no name; write metadata.name",
            "spec.stages[1].resources[0] (ConfigMap harbor/a) is already listed at \
             spec.stages[0].resources[0]; remove one of the two entries",
        ]
    );
}

#[test]
fn object_in_two_versions_counts_as_one_object() {
    let ship = |version: &str| {
        let api_version = format!("ferry.example/{version}");
        json!({"apiVersion": api_version, "kind": "Ship", "metadata": {"name": "a"}})
    };
    assert_eq!(faults(&[ship("v1"), ship("v2")]).len(), 1);
}

#[rstest]
#[case::empty_status(
    with(config_map("a"), "/status", json!({"conditions": [], "names": {"kind": ""}})),
    config_map("a")
)]
#[case::creation_timestamp_of_a_generator(
    with(config_map("a"), "/metadata/creationTimestamp", Value::Null),
    config_map("a")
)]
#[case::string_data_of_a_secret(
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "b"},
        "data": {"a": "MQ==", "b": "MQ=="}, "stringData": {"b": "2", "c": "3"}}),
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "b"},
        "data": {"a": "MQ==", "b": "Mg==", "c": "Mw=="}})
)]
#[case::ca_placeholder_of_a_crd(
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "a"},
        "spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "Cg==", "url": "b"}}}}}),
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "a"},
        "spec": {"conversion": {"webhook": {"clientConfig": {"url": "b"}}}}})
)]
#[case::ca_placeholder_of_a_webhook(
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "a"},
        "webhooks": ["no object", {"clientConfig": {"caBundle": ""}}, {"clientConfig": {"caBundle": "YQ=="}}]}),
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "a"},
        "webhooks": ["no object", {"clientConfig": {}}, {"clientConfig": {"caBundle": "YQ=="}}]})
)]
#[case::already_normal(config_map("a"), config_map("a"))]
fn manifest_is_normalized(#[case] manifest: Value, #[case] expected: Value) {
    let members = members(&intent(json!({"stages": [stage("all", &[manifest])]})));
    assert_same!(json: members[0].manifest, expected);
}

#[test]
fn canonical_bytes_do_not_depend_on_the_order_of_keys() {
    let one: Value =
        serde_json::from_str(r#"{"b": [1, {"d": "é\n", "c": null}], "a": 1.5}"#).expect("JSON");
    assert_eq!(
        canonical_text(&one),
        r#"{"a":1.5,"b":[1,{"c":null,"d":"é\n"}]}"#
    );
    // The expected digest was computed with: printf '{"a":1}' | sha256sum
    assert_eq!(
        digest(&json!({"a": 1})),
        "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    );
}

#[test]
fn plan_members_are_its_manifests_in_stage_order() {
    let of = |stages: Value| members(&intent(json!({"stages": stages}))).digest();
    let (a, b) = (config_map("a"), config_map("b"));
    let one = of(json!([stage("x", &[a.clone(), b.clone()])]));
    assert_eq!(one, of(json!([stage("other", &[a.clone(), b.clone()])])));
    assert_ne!(one, of(json!([stage("x", &[b.clone(), a.clone()])])));
    assert_ne!(one, of(json!([stage("x", &[a]), stage("y", &[b])])));
}

#[test]
fn applied_manifest_has_the_lineage_label() {
    let members = members(&intent(
        json!({"stages": [stage("all", &[config_map("a")])]}),
    ));
    let digest = &members[0].digest;
    let marked = with(
        with(
            config_map("a"),
            "/metadata/labels",
            json!({"plans.portolan.dev/lineage": "u-1"}),
        ),
        "/metadata/annotations",
        json!({"plans.portolan.dev/digest": digest}),
    );
    assert_same!(json: members[0].applied("u-1"), marked);
}

/// Returns the manifest that a resource with this reference gets from the contents.
fn referred(reference: Value, contents: &Contents) -> Result<Value, (State, String)> {
    let stages = json!([{"name": "all", "resources": [{"ref": reference}]}]);
    let intent = intent(json!({"stages": stages}));
    match Members::read(&intent, &plan_identity(), contents) {
        Ok(members) => Ok(members[0].manifest.clone()),
        Err(faults) => Err((faults[0].state, faults[0].to_string())),
    }
}

#[test]
fn resource_manifest_is_unpacked_and_compared_with_its_digest() {
    let mut contents = Contents::default();
    let name = json!({"name": "stored"});
    let not_yet = |what: &str| {
        let sentence = format!("{AT} refers to the ResourceManifest stored, which {what}");
        Err((State::NotYet, sentence))
    };
    assert_eq!(
        referred(name.clone(), &contents),
        not_yet("has not been read yet")
    );
    contents
        .resource_manifests
        .insert("stored".to_owned(), None);
    assert_eq!(referred(name.clone(), &contents), not_yet("does not exist"));

    let stored = packed(&config_map("a"));
    contents
        .resource_manifests
        .insert("stored".to_owned(), Some(stored.clone()));
    assert_eq!(referred(name.clone(), &contents), Ok(config_map("a")));

    let mut spec = stored.spec.as_json().clone();
    spec["digest"] = json!(format!("sha256:{}", "0".repeat(64)));
    let other = portolan_api::plan::ResourceManifest::new("stored", spec.into());
    contents
        .resource_manifests
        .insert("stored".to_owned(), Some(other));
    let (state, sentence) = referred(name, &contents).expect_err("another digest");
    assert_eq!(state, State::No);
    assert!(
        sentence.contains("whose content has the digest sha256:"),
        "{sentence}"
    );
}

#[rstest]
#[case::mutable_secret(false, Some(config_map("a").to_string()), "which is not immutable; create \
                                                the Secret again with immutable: true")]
#[case::missing_key(true, None, "which has no key manifest")]
#[case::invalid_content(true, Some("kind: a".to_owned()), "whose content is no JSON: expected value at line 1 column 1")]
fn invalid_secret_is_refused(
    #[case] is_immutable: bool,
    #[case] text: Option<String>,
    #[case] why: &str,
) {
    assert_eq!(SECRET_KEY, "manifest");
    let mut contents = Contents::default();
    let manifest = text.map(String::into_bytes);
    let secret = SecretContent {
        is_immutable,
        manifest,
    };
    contents.secrets.insert("kept".to_owned(), Ok(Some(secret)));
    let found = referred(json!({"secret": "kept"}), &contents);
    let expected = format!("{AT} refers to the Secret kept, {why}");
    assert_eq!(found, Err((State::No, expected)));
}

#[test]
fn immutable_secret_is_read() {
    let mut contents = Contents::default();
    let manifest = Some(config_map("a").to_string().into_bytes());
    let secret = SecretContent {
        is_immutable: true,
        manifest,
    };
    contents.secrets.insert("kept".to_owned(), Ok(Some(secret)));
    assert_eq!(
        referred(json!({"secret": "kept"}), &contents),
        Ok(config_map("a"))
    );
}

#[rstest]
#[case::integral_float(json!(1.0), "1")]
#[case::negative(json!(-3.0), "-3")]
#[case::negative_zero(json!(-0.0), "0")]
#[case::large(json!(1e20), "100000000000000000000")]
#[case::fraction(json!(1.5), "1.5")]
#[case::integer(json!(u64::MAX), "18446744073709551615")]
fn numbers_are_formatted_as_the_api_server_stores_them(
    #[case] number: Value,
    #[case] expected: &str,
) {
    assert_same!(canonical_text(&number), expected);
}

#[rstest]
#[case::zeros(json!({"replicas": 0, "isReady": false, "conditions": null}), false)]
#[case::number(json!({"replicas": 1}), true)]
#[case::volume_claim(json!({"isReady": true}), true)]
fn empty_status_is_dropped(#[case] status: Value, #[case] is_fault: bool) {
    let mut manifest = config_map("a");
    manifest["status"] = status;
    assert_eq!(!faults(&[manifest]).is_empty(), is_fault);
}

/// A few compressed bytes can unpack to many. Therefore the total size of the manifests beside a
/// plan is limited, and each is read only once.
#[test]
fn too_large_content_is_refused_before_it_is_read() {
    let mut contents = Contents::default();
    let names: Vec<_> = (0..40).map(|number| format!("stored-{number}")).collect();
    for name in &names {
        let large = with(
            config_map(name),
            "/data",
            json!({"text": "a".repeat((1 << 20) - 100)}),
        );
        let stored = Some(packed(&large));
        contents.resource_manifests.insert(name.clone(), stored);
    }
    let refer = |name: &String| json!({"ref": {"name": name}});
    let resources: Vec<_> = names.iter().chain(&names[..1]).map(refer).collect();
    let intent = intent(json!({"stages": [{"name": "all", "resources": resources}]}));
    let found = Members::read(&intent, &plan_identity(), &contents);
    let told = describe(&found.expect_err("faults"));
    assert_same!(
        told,
        [
            "spec.stages[0].resources[31] is too large: together with this object, the content \
             that the plan refers to exceeds 33554432 bytes; split the content into several plans",
            "spec.stages[0].resources[40] refers to the ResourceManifest stored-0, as \
             spec.stages[0].resources[0] does; remove one of the two references",
        ]
    );
}
