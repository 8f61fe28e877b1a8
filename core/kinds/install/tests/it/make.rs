//! Tests of plans that `plan make` builds from manifests.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use portolan_api::plan::{Disposition, InstallPlan, Intent, ResourceManifest, Stored};
use portolan_core_install::{
    Contents, Flaw, Made, Members, ObjectRef, PLAN_NAME, Peer, Predecessors, Recipe, SECRET_KEY,
    SecretContent, Succession, canonical, description, digest, make, opened,
};
use portolan_core_olm::read_value;
use rstest::rstest;
use serde_json::{Value, json};

use crate::kit::{config_map, with};

pub(crate) fn recipe() -> Recipe {
    Recipe {
        name: "ferry".to_owned(),
        namespace: Some("harbor".to_owned()),
        service_account: "installer".to_owned(),
        predecessors: Predecessors::None,
        on_plan_deletion: None,
        collisions: None,
        is_split: false,
        heeds_annotations: true,
    }
}

pub(crate) fn made(manifests: &[Value]) -> Made {
    make(manifests, &recipe()).unwrap_or_else(|flaws| panic!("a plan must come of it: {flaws:?}"))
}

pub(crate) fn flaws(manifests: &[Value], recipe: &Recipe) -> Vec<Flaw> {
    make(manifests, recipe).expect_err("there must be flaws")
}

pub(crate) fn object(api_version: &str, kind: &str, name: &str) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})
}

fn secret(name: &str, password: &str) -> Value {
    let mut secret = object("v1", "Secret", name);
    secret["metadata"]["namespace"] = json!("harbor");
    secret["stringData"] = json!({"password": password});
    secret
}

pub(crate) fn definition(group: &str, kind: &str) -> Value {
    let name = format!("{}s.{group}", kind.to_lowercase());
    with(
        object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &name),
        "/spec",
        json!({
            "group": group, "scope": "Namespaced",
            "names": {"kind": kind, "plural": format!("{}s", kind.to_lowercase())},
            "versions": [{"name": "v1", "served": true, "storage": true}],
        }),
    )
}

fn plan(made: &Made) -> InstallPlan {
    let (plan, _) = read_value(made.plan.clone()).expect("a plan");
    plan
}

pub(crate) fn name(made: &Made) -> &str {
    made.plan["metadata"]["name"].as_str().expect("a name")
}

/// Returns the stages of a plan, each with the names of its objects.
pub(crate) fn stages(made: &Made) -> Vec<String> {
    let stages = made.plan["spec"]["stages"].as_array().expect("stages");
    let stages = stages.iter().map(|stage| {
        let resources = stage["resources"].as_array().expect("resources");
        let names = resources.iter().map(|resource| {
            let name = &resource["manifest"]["metadata"]["name"];
            name.as_str().unwrap_or("(beside)").to_owned()
        });
        let names: Vec<_> = names.collect();
        let wait = stage["waitFor"]
            .as_str()
            .map(|wait| format!(" until {wait}"));
        let name = stage["name"].as_str().expect("a name");
        format!("{name}{}: {}", wait.unwrap_or_default(), names.join(", "))
    });
    stages.collect()
}

/// Returns the members that the controller reads from the plan and from the objects beside it.
pub(crate) fn members(made: &Made) -> Members {
    let mut contents = Contents::default();
    for object in &made.beside {
        let name = object["metadata"]["name"]
            .as_str()
            .expect("a name")
            .to_owned();
        if object["kind"] == "Secret" {
            let data = object["data"][SECRET_KEY].as_str().expect("data");
            let content = SecretContent {
                is_immutable: object["immutable"] == true,
                manifest: Some(STANDARD.decode(data).expect("base64")),
            };
            contents.secrets.insert(name, Ok(Some(content)));
        } else {
            let manifest: ResourceManifest =
                serde_json::from_value(object.clone()).expect("a ResourceManifest");
            contents.resource_manifests.insert(name, Some(manifest));
        }
    }
    let intent = Intent::parse(&plan(made)).expect("a plan");
    Members::read(&intent, &ObjectRef::default(), &contents).expect("members")
}

#[test]
fn stages_follow_the_dependencies_of_objects() {
    let all = [
        object("ferry.example/v1", "Ship", "ours"),
        object("cert-manager.io/v1", "Certificate", "theirs"),
        object("metrics.example/v1", "Gauge", "served"),
        object("v1", "Namespace", "harbor"),
        object("apps/v1", "Deployment", "deployment"),
        object(
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
            "webhook",
        ),
        object("v1", "ServiceAccount", "account"),
        object("rbac.authorization.k8s.io/v1", "RoleBinding", "binding"),
        object("v1", "Service", "service"),
        object("v1", "ConfigMap", "settings"),
        definition("ferry.example", "Ship"),
        with(
            object(
                "apiregistration.k8s.io/v1",
                "APIService",
                "v1.metrics.example",
            ),
            "/spec",
            json!({"group": "metrics.example", "version": "v1"}),
        ),
    ];
    let expected = [
        "definitions: harbor, ships.ferry.example",
        "settings until Applied: theirs, account, binding, settings",
        "workloads: deployment, service",
        "registrations: webhook, v1.metrics.example",
        "custom-resources: ours, served",
    ];
    assert_eq!(stages(&made(&all)), expected);
}

#[test]
fn plan_name_is_derived_from_its_immutable_fields() {
    let all = [config_map("a"), config_map("b")];
    let usual = made(&all);
    let (start, digits) = name(&usual).rsplit_once('-').expect("a digest");
    assert_eq!((start, digits.len()), ("ferry", 8));
    assert_eq!(usual.plan["metadata"]["labels"][PLAN_NAME.name()], "ferry");
    let of = |recipe: Recipe| make(&all, &recipe).expect("a plan");
    let same = [
        Recipe {
            predecessors: Predecessors::Named(vec!["ferry-1".to_owned()]),
            ..recipe()
        },
        Recipe {
            predecessors: Predecessors::OfSameName,
            ..recipe()
        },
        Recipe {
            on_plan_deletion: Some(Disposition::Delete),
            ..recipe()
        },
    ];
    for recipe in same {
        assert_eq!(name(&of(recipe)), name(&usual));
    }
    let other = [
        Recipe {
            service_account: "other".to_owned(),
            ..recipe()
        },
        Recipe {
            is_split: true,
            ..recipe()
        },
    ];
    for recipe in other {
        assert_ne!(name(&of(recipe)), name(&usual));
    }
    assert_ne!(name(&made(&all[..1])), name(&usual));
    assert_ne!(
        name(&made(&[config_map("b"), config_map("a")])),
        name(&usual)
    );
}

#[test]
fn ignores_null_timestamp_and_status_of_generated_manifests() {
    let plain = config_map("a");
    let left = with(plain.clone(), "/metadata/creationTimestamp", Value::Null);
    let left = with(left, "/status", json!({"loadBalancer": {}}));
    assert_eq!(made(&[left]), made(&[plain]));
}

#[test]
fn manifests_of_secrets_are_stored_in_secrets() {
    let all = [config_map("a"), secret("door", "sesame")];
    let made = made(&all);
    let kinds: Vec<_> = made.objects().map(|object| &object["kind"]).collect();
    assert_eq!(kinds, ["Secret", "InstallPlan"]);
    let encoded = STANDARD.encode("sesame");
    assert!(!made.plan.to_string().contains(&encoded), "{}", made.plan);
    let found = members(&made);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].manifest["data"]["password"], json!(encoded));
}

#[rstest]
#[case::small(&[100, 100], 0)]
#[case::one_large_manifest_is_enough(&[100_000, 700_000, 300_000], 1)]
#[case::two(&[500_000, 600_000, 700_000], 2)]
fn large_manifests_are_stored_beside_the_plan(#[case] sizes: &[usize], #[case] beside: usize) {
    let all: Vec<_> = sizes
        .iter()
        .enumerate()
        .map(|(at, size)| large(at, *size))
        .collect();
    let made = made(&all);
    assert_eq!(made.beside.len(), beside);
    assert!(canonical(&made.plan).len() < 1 << 20);
    let found = members(&made);
    let manifests: Vec<_> = found.iter().map(|member| &member.manifest).collect();
    assert_eq!(manifests, all.iter().collect::<Vec<_>>());
}

fn large(at: usize, size: usize) -> Value {
    with(
        config_map(&format!("a{at}")),
        "/data/key",
        json!("a".repeat(size)),
    )
}

#[test]
fn large_manifest_is_stored_compressed() {
    let all = [large(0, 1_000_000)];
    let made = made(&all);
    assert!(made.beside[0]["spec"]["compressed"].is_string());
    assert_eq!(members(&made)[0].manifest, all[0]);
}

/// Random letters are hard to compress, so the manifest stays large.
#[test]
fn manifest_above_the_size_limit_is_reported_with_sizes() {
    let mut random = fastrand::Rng::with_seed(1);
    let text: String = (0..1_000_000).map(|_| random.alphanumeric()).collect();
    let all = [
        config_map("a"),
        with(config_map("b"), "/data/key", json!(text)),
    ];
    let flaws = flaws(&all, &recipe());
    assert_eq!(flaws.len(), 1);
    assert_eq!(flaws[0].manifest, Some(1));
    let start = "ConfigMap harbor/b has ";
    assert!(flaws[0].sentence.starts_with(start), "{flaws:?}");
    assert!(
        flaws[0].sentence.contains("at most 921600 bytes;"),
        "{flaws:?}"
    );
}

#[test]
fn split_plan_stores_each_manifest_separately() {
    let all = [config_map("a"), secret("door", "sesame")];
    let split = Recipe {
        is_split: true,
        ..recipe()
    };
    let first = make(&all, &split).expect("a plan");
    assert_eq!(first.beside.len(), 2);
    assert_eq!(members(&first).digest(), members(&made(&all)).digest());
    // Both versions contain this object with the same manifest, so it is stored only once.
    let next = [config_map("b"), all[1].clone(), all[0].clone()];
    let next = make(&next, &split).expect("a plan");
    assert!(
        first
            .beside
            .iter()
            .all(|object| next.beside.contains(object))
    );
}

#[test]
fn make_reports_all_faults_together() {
    let bad = Recipe {
        name: "Ferry".to_owned(),
        namespace: None,
        ..recipe()
    };
    let all = [
        with(config_map("a"), "/metadata/uid", json!("u-1")),
        config_map("b"),
        config_map("b"),
        object("v1", "ConfigMap", "c"),
        with(
            object("v1", "Namespace", "d"),
            "/metadata/namespace",
            json!("harbor"),
        ),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": "e-"}}),
        object("kustomize.config.k8s.io/v1beta1", "Kustomization", "f"),
    ];
    let told: Vec<_> = flaws(&all, &bad)
        .into_iter()
        .map(|Flaw { manifest, sentence }| {
            let start = sentence.split(['(', ';', ':']).next().unwrap_or_default();
            let place = manifest.map_or_else(|| "-".to_owned(), |place| place.to_string());
            format!("{place} {start}")
        })
        .collect();
    let expected = [
        r#"- "Ferry" cannot be the name of a plan"#,
        "0 ConfigMap harbor/a has uid in its metadata, which only the API server writes",
        "2 ConfigMap harbor/b is already listed",
        "3 ConfigMap c has no namespace",
        "4 Namespace harbor/d has a namespace, but Namespace is cluster-scoped",
        "5 the manifest has metadata.generateName, which creates another object each time",
        "6 the file is a kustomization",
    ];
    assert_eq!(told, expected);
}

#[test]
fn no_plan_is_made_without_manifests() {
    let sentence = "no manifests found; name files that contain manifests".to_owned();
    let manifest = None;
    assert_eq!(flaws(&[], &recipe()), [Flaw { manifest, sentence }]);
}

#[rstest]
#[case::built_in_kind(object("v1", "ConfigMap", "a"), Some("harbor"))]
#[case::kind_of_a_crd_in_the_plan(object("ferry.example/v1", "Ship", "a"), Some("harbor"))]
#[case::unknown_kind(object("cert-manager.io/v1", "Issuer", "a"), None)]
#[case::cluster_scoped_kind(object("v1", "PersistentVolume", "a"), None)]
#[case::another_namespace(
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}),
    Some("b")
)]
fn namespaced_objects_get_the_namespace_of_the_plan(
    #[case] manifest: Value,
    #[case] namespace: Option<&str>,
) {
    let made = made(&[definition("ferry.example", "Ship"), manifest]);
    let found = members(&made);
    let member = found.iter().find(|member| member.identity.name == "a");
    let found = member.and_then(|member| member.identity.namespace.as_deref());
    assert_eq!(found, namespace);
}

#[rstest]
#[case::no_names(Predecessors::None, Value::Null)]
#[case::one_name(
    Predecessors::Named(vec!["ferry-1".to_owned()]),
    json!([{"name": "ferry-1"}])
)]
#[case::several_names(
    Predecessors::Named(["pilot-1", "ferry-1", "pilot-1"].map(str::to_owned).into()),
    json!([{"name": "ferry-1"}, {"name": "pilot-1"}])
)]
#[case::all_plans(
    Predecessors::OfSameName,
    json!([
        {"name": "ferry"},
        {"labelSelector": {"matchLabels": {"plans.portolan.dev/name": "ferry"}}},
    ])
)]
#[case::another_plan_that_was_read(
    Predecessors::Read(Box::new(InstallPlan::new("ferry-1", Value::Null.into()))),
    json!([{"name": "ferry-1"}])
)]
fn plan_replaces_the_named_plans(#[case] predecessors: Predecessors, #[case] replaces: Value) {
    let recipe = Recipe {
        predecessors,
        ..recipe()
    };
    let made = make(&[config_map("a")], &recipe).expect("a plan");
    assert_eq!(made.plan["spec"]["replaces"], replaces);
}

/// The names in `replaces` do not change either.
#[test]
fn unchanged_plan_is_created_identically() {
    let all = [config_map("a")];
    let first = Recipe {
        predecessors: Predecessors::Named(vec!["ferry-1".to_owned()]),
        ..recipe()
    };
    let before = make(&all, &first).expect("a plan");
    let again = Recipe {
        predecessors: Predecessors::Read(Box::new(plan(&before))),
        ..recipe()
    };
    assert_eq!(make(&all, &again).as_ref(), Ok(&before));
    let itself = Recipe {
        predecessors: Predecessors::Named(vec![name(&before).to_owned()]),
        ..recipe()
    };
    let sentence = format!(
        "{} already contains these manifests, so no new plan is needed",
        name(&before)
    );
    let manifest = None;
    assert_eq!(flaws(&all, &itself), [Flaw { manifest, sentence }]);
}

/// The new plan replaces existing plans by their label, and deleted plans by their name without the
/// digest. It takes over the objects that the deleted plan left behind.
#[test]
fn pruned_plans_are_replaced_without_knowing_their_names() {
    let safe = Recipe {
        predecessors: Predecessors::OfSameName,
        ..recipe()
    };
    let peer = |manifest: &str, uid: &str, second: i64| {
        let made = make(&[config_map(manifest)], &safe).expect("a plan");
        let mut plan = plan(&made);
        plan.metadata.uid = Some(uid.to_owned());
        Peer {
            created: jiff::Timestamp::from_second(second).expect("a time"),
            ..Peer::of(&plan)
        }
    };
    let all = [
        peer("a", "u-a", 1),
        peer("b", "u-b", 2),
        peer("c", "u-c", 3),
    ];
    let names =
        |peers: &[Peer]| -> Vec<String> { peers.iter().map(|peer| peer.uid.clone()).collect() };
    let newest = Succession::of("u-c", &all);
    assert_eq!(names(&newest.predecessors), ["u-b", "u-a"]);
    assert_eq!(Succession::of("u-a", &all).predecessors, []);
    assert_eq!(newest.rival, None);
    let alone = Succession::of("u-c", &all[2..]);
    assert_eq!(alone.missing, ["ferry".to_owned()].into());
}

/// Clients can use this label to select the objects that belong to a plan.
#[test]
fn objects_stored_beside_a_plan_are_found_by_label() {
    let made = made(&[secret("door", "sesame")]);
    let labels: BTreeMap<_, _> = [(PLAN_NAME.name(), "ferry")].into();
    for object in made.objects() {
        assert_eq!(object["metadata"]["labels"], json!(labels));
        assert_eq!(object["metadata"]["namespace"], "harbor");
    }
}

#[rstest]
#[case::uncompressed(1000, "manifest")]
#[case::compressed(1_000_000, "compressed")]
fn description_of_a_plan_is_named_after_its_content(#[case] size: usize, #[case] field: &str) {
    let manifest = large(0, size);
    let one = |manifest: &Value| description((Some("ns"), "ferry"), manifest).expect("it");
    let stored = one(&manifest);
    assert_eq!(stored, one(&manifest));
    assert_ne!(
        stored["metadata"]["name"],
        one(&large(1, size))["metadata"]["name"]
    );
    assert_eq!(stored["metadata"]["namespace"], "ns");
    assert!(stored["spec"][field].is_string() || stored["spec"][field].is_object());
    let found: ResourceManifest = serde_json::from_value(stored).expect("a ResourceManifest");
    let found = Stored::parse(&found).expect("a valid one");
    assert_eq!(found.digest, digest(&manifest));
    assert_eq!(opened(found.body), Ok(manifest));
}
