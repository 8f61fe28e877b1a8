use portolan_kit::world;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::{
    Constraint, PackageRequirement, PodTemplate, PodTemplateSpec, Subscription, TemplateContainer,
    read_value,
};

fn csv(text: Value) -> ClusterServiceVersion {
    let (csv, faults) = read_value(text).expect("a ClusterServiceVersion");
    assert_eq!(faults, []);
    csv
}

fn api(name: &str) -> Api {
    let mut parts = name.split('/');
    let mut next = || parts.next().unwrap_or_default();
    operator::api(next(), next(), next()).expect("an API")
}

/// Returns an operator that owns two kinds and requires two others.
fn ferry() -> Value {
    json!({
        "metadata": {"name": "ferry.v1.2.0", "namespace": "harbor"},
        "spec": {
            "version": "1.2.0",
            "customresourcedefinitions": {
                "owned": [{"name": "ferries.demo.example", "version": "v1", "kind": "Ferry"}],
                "required": [{"name": "piers.demo.example", "version": "v1", "kind": "Pier"}],
            },
            "apiservicedefinitions": {
                "owned": [{"group": "tides.example", "version": "v1", "kind": "Tide"}],
                "required": [{"group": "moon.example", "version": "v1", "kind": "Moon"}],
            },
        },
    })
}

fn annotated(properties: &str) -> Value {
    let mut ferry = ferry();
    ferry["metadata"]["annotations"] = json!({"operatorframework.io/properties": properties});
    ferry
}

#[test]
fn operator_without_properties_is_read_from_its_spec() {
    let operator = csv(ferry()).operator().expect("an operator");
    assert_eq!(
        operator,
        Operator {
            name: "ferry.v1.2.0".to_owned(),
            version: "1.2.0".to_owned(),
            package: String::new(),
            provides: ["demo.example/v1/Ferry", "tides.example/v1/Tide"]
                .map(api)
                .into(),
            requires: Requirements {
                apis: ["demo.example/v1/Pier", "moon.example/v1/Moon"]
                    .map(api)
                    .into(),
                ..Default::default()
            },
            properties: vec![
                operator::property("olm.gvk", &api("demo.example/v1/Ferry")),
                operator::property("olm.gvk", &api("tides.example/v1/Tide")),
                operator::property("olm.gvk.required", &api("demo.example/v1/Pier")),
                operator::property("olm.gvk.required", &api("moon.example/v1/Moon")),
            ],
        }
    );
}

#[test]
fn package_and_apis_of_a_csv_are_read_from_its_properties() {
    let properties = json!({"properties": [
        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.2.0"}},
        {"type": "olm.gvk", "value": {"group": "demo.example", "version": "v2", "kind": "Ferry"}},
        {"type": "olm.gvk.required",
         "value": {"group": "sea.example", "version": "v1", "kind": "Buoy"}},
        {"type": "olm.package.required",
         "value": {"packageName": "rope", "versionRange": ">=1.0.0"}},
        {"type": "olm.constraint", "value": {"not": {}, "all": 1}},
        {"type": "somebody.else", "value": 7},
    ]});
    let operator = csv(annotated(&properties.to_string())).operator();
    let operator = operator.expect("an operator");
    assert_eq!(operator.package, "ferry");
    let mut kinds = operator.properties.iter().map(|property| &*property.kind);
    assert_eq!(kinds.next_back(), Some("somebody.else"));
    let provided = [
        "demo.example/v1/Ferry",
        "demo.example/v2/Ferry",
        "tides.example/v1/Tide",
    ];
    assert_eq!(operator.provides, provided.map(api).into());
    assert_eq!(
        operator.requires,
        Requirements {
            apis: [api("sea.example/v1/Buoy")].into(),
            packages: vec![PackageRequirement {
                package: "rope".parse().expect("a package"),
                text: ">=1.0.0".into(),
                range: ">=1.0.0".parse().ok(),
            }],
            constraints: vec![Constraint::parse(r#"{"all":1,"not":{}}"#).into()],
        }
    );
}

#[rstest]
#[case::no_json("{", "metadata.annotations[operatorframework.io/properties]: EOF")]
#[case::value(
    r#"{"properties": [{"type": "olm.gvk", "value": 7}]}"#,
    "metadata.annotations[operatorframework.io/properties].properties[0].value: invalid type"
)]
fn reports_invalid_properties(#[case] text: &str, #[case] said: &str) {
    let fault = csv(annotated(text)).operator().expect_err("a fault");
    assert!(fault.to_string().starts_with(said), "{fault}");
}

#[rstest]
#[case::in_its_own_namespace(json!({"status": {"phase": "Succeeded"}}), false)]
#[case::by_its_label(json!({"metadata": {"labels": {"olm.copiedFrom": "harbor"}}}), true)]
#[case::by_its_reason(json!({"status": {"reason": "Copied"}}), true)]
fn detects_copied_csv(#[case] text: Value, #[case] is_copied: bool) {
    assert_eq!(csv(text).is_copied(), is_copied);
}

#[test]
fn installed_csv_of_a_subscription_is_read() {
    let world = world().catalog_source("shop", "a:1");
    let world = world
        .subscription("ferry", "stable")
        .installed("ferry.v1.2.0");
    let ferry = world.objects().last().expect("a Subscription").clone();
    let (ferry, faults) = read_value::<Subscription>(ferry).expect("a Subscription");
    assert_eq!(faults, []);
    let Subscription { spec, status, .. } = ferry;
    assert_eq!(
        (&*spec.package, &*spec.channel, &*spec.source),
        ("ferry", "stable", "shop")
    );
    assert_eq!(
        (&*spec.source_namespace, &*status.installed_csv),
        ("default", "ferry.v1.2.0")
    );
}

#[test]
fn reads_status_and_spec_that_affect_health() {
    let world = world()
        .csv("ferry.v1.2.0", "Pending")
        .because("RequirementsNotMet", "one or more are missing")
        .running(&["ferry", "ferry-webhook"])
        .modes(&["OwnNamespace"])
        .replacing("ferry.v1.1.0")
        .owning(&["ferries.demo.example/v1/Ferry"])
        .requirement("ServiceAccount", "ferry", "Present", "fine")
        .edit(|csv| {
            csv["status"]["requirementStatus"][0]["dependents"] =
                json!([{"kind": "PolicyRule", "status": "NotSatisfied", "message": "rule"}]);
            csv["status"]["lastTransitionTime"] = json!("2026-01-01T00:00:00Z");
        });
    let ferry = csv(world.objects()[0].clone());
    let expected = ClusterServiceVersionStatus {
        phase: CsvPhase::Pending,
        reason: "RequirementsNotMet".into(),
        message: "one or more are missing".into(),
        last_transition_time: serde_json::from_value(json!("2026-01-01T00:00:00Z")).ok(),
        conditions: Vec::new(),
        requirements: vec![Requirement {
            group: String::new(),
            version: "v1".into(),
            kind: "ServiceAccount".into(),
            name: "ferry".into(),
            status: "Present".into(),
            message: "fine".into(),
            dependents: vec![Dependent {
                kind: "PolicyRule".into(),
                status: "NotSatisfied".into(),
                message: "rule".into(),
            }],
        }],
        certs_last_updated: None,
    };
    assert_eq!(ferry.status, expected);
    let container = TemplateContainer {
        name: "operator".into(),
        image: "registry.example/operator:v1".into(),
    };
    let template = PodTemplate {
        spec: PodTemplateSpec {
            init_containers: Vec::new(),
            containers: vec![container],
        },
    };
    let wanted = |name: &str| WantedDeployment {
        name: name.into(),
        spec: WantedDeploymentSpec {
            replicas: Some(1),
            template: template.clone(),
        },
    };
    assert_eq!(
        ferry.deployments(),
        [wanted("ferry"), wanted("ferry-webhook")]
    );
    let modes = ferry.spec.install_modes.iter();
    let supported: Vec<_> = modes.filter(|mode| mode.supported).collect();
    assert_eq!(supported.len(), 1);
    assert_eq!(supported[0].r#type, InstallModeType::OwnNamespace);
    assert_eq!(ferry.spec.replaces, "ferry.v1.1.0");
    assert_eq!(
        ferry.spec.custom_resources.owned[0].name,
        "ferries.demo.example"
    );
}

#[test]
fn served_api_has_the_name_of_its_api_service() {
    let ferry = csv(ferry());
    let served = &ferry.spec.served;
    assert_eq!(served.owned[0].api_service(), "v1.tides.example");
    assert_eq!(served.required[0].api_service(), "v1.moon.example");
}

#[rstest]
#[case::by_its_properties(
    json!({"annotations": {"operatorframework.io/properties":
        r#"{"properties": [{"type": "olm.package", "value": {"packageName": "ferry"}}]}"#},
        "labels": {"operators.coreos.com/other.harbor": ""}}),
    Some("ferry")
)]
#[case::by_its_label(json!({"labels": {"operators.coreos.com/ferry.harbor": ""}}), Some("ferry"))]
#[case::by_its_label_if_properties_are_invalid(
    json!({"annotations": {"operatorframework.io/properties": "{"},
        "labels": {"operators.coreos.com/ferry.harbor": ""}}),
    Some("ferry")
)]
#[case::by_a_label_that_was_cut(
    json!({"labels": {"operators.coreos.com/a-ferry-with-a-name-that-is-very-long-and-travels-on-and-on.har": ""}}),
    Some("a-ferry-with-a-name-that-is-very-long-and-travels-on-and-on")
)]
#[case::not_by_a_label_of_another_namespace(
    json!({"labels": {"operators.coreos.com/ferry.har": ""}}),
    None
)]
#[case::by_nothing(json!({}), None)]
fn package_of_a_csv_is_found_in_its_metadata(
    #[case] mut metadata: Value,
    #[case] package: Option<&str>,
) {
    metadata["namespace"] = json!("harbor");
    let csv = csv(json!({"metadata": metadata}));
    assert_eq!(csv.package().as_deref(), package);
}

#[test]
fn copied_csv_has_only_the_namespace_of_its_original() {
    let copy = json!({
        "metadata": {"name": "ferry.v1.2.0", "namespace": "tenant",
                     "labels": {"olm.copiedFrom": "harbor"}},
        "spec": {"version": ["whatever"]},
    });
    let (copy, faults) = read_value::<CopiedCsv>(copy).expect("a copy");
    assert_eq!(faults, []);
    assert_eq!(copy.copied_from(), Some("harbor"));
    assert_eq!(CopiedCsv::default().copied_from(), None);
}
