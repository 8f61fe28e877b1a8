use portolan_kit::{World, world};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::{SubscriptionSpec, read_value};

fn read(world: &World) -> InstallPlan {
    let object = world.objects().last().expect("an InstallPlan").clone();
    let (plan, faults) = read_value::<InstallPlan>(object).expect("an InstallPlan");
    assert_eq!(faults, []);
    plan
}

fn ferry() -> Properties {
    Properties {
        package: "ferry".into(),
        version: "1.2.0".into(),
        ..Properties::default()
    }
}

fn stated(properties: Properties) -> Stated {
    Some(Ok(Box::new(properties)))
}

#[test]
fn reads_plan_with_properties_of_its_bundles() {
    let world = world().plan("install-1", &["ferry.v1.2.0"]).described();
    let world = world.lookup("ferry.v1.2.0", &[]).edit(|plan| {
        plan["spec"]["generation"] = json!(7);
        plan["status"]["bundleLookups"][0]["replaces"] = json!("ferry.v1.1.0");
    });
    let plan = read(&world);
    let spec = InstallPlanSpec {
        csvs: vec!["ferry.v1.2.0".into()],
        approval: Approval::Manual,
        approved: false,
        generation: Some(7),
    };
    assert_eq!(plan.spec, spec);
    let bundle = PlannedBundle {
        replaces: String::new(),
        properties: stated(ferry()),
    };
    let step = Step {
        resolving: "ferry.v1.2.0".into(),
        status: StepStatus::Unknown,
        resource: StepResource {
            group: "operators.coreos.com".into(),
            kind: "ClusterServiceVersion".into(),
            name: "ferry.v1.2.0".into(),
            source_name: "shop".into(),
            source_namespace: "olm".into(),
            manifest: StepManifest::Bundle(Box::new(bundle)),
        },
    };
    assert!(!step.is_done());
    let lookup = BundleLookup {
        identifier: "ferry.v1.2.0".into(),
        path: "registry.example/ferry.v1.2.0".into(),
        replaces: "ferry.v1.1.0".into(),
        catalog_source_ref: Some(CatalogSourceRef {
            namespace: "olm".into(),
            name: "shop".into(),
        }),
        properties: stated(ferry()),
        conditions: Vec::new(),
    };
    let status = InstallPlanStatus {
        phase: InstallPlanPhase::RequiresApproval,
        steps: vec![step],
        bundle_lookups: vec![lookup],
        ..InstallPlanStatus::default()
    };
    assert_eq!(plan.status, status);
}

/// Returns the stored part of a manifest in a step for an object of this kind.
fn kept(kind: &str, manifest: &str) -> StepManifest {
    let world = world().plan("p", &[]).step("b", kind, "n", &Value::Null);
    let world = world.edit(|plan| {
        plan["status"]["plan"][0]["resource"]["manifest"] = json!(manifest);
    });
    let mut plan = read(&world);
    plan.status.steps.remove(0).resource.manifest
}

fn bundle(replaces: &str, properties: Stated) -> StepManifest {
    StepManifest::Bundle(Box::new(PlannedBundle {
        replaces: replaces.into(),
        properties,
    }))
}

const CSV: &str = "ClusterServiceVersion";
const FERRY: &str = concat!(
    r#"{\"properties\": [{\"type\": \"olm.package\", "#,
    r#"\"value\": {\"packageName\": \"ferry\", \"version\": \"1.2.0\"}}]}"#
);

#[rstest]
#[case::a_bundle_with_nothing(CSV, r#"{"kind": "ClusterServiceVersion"}"#.into(), bundle("", None))]
#[case::a_bundle_whose_fields_are_null(
    CSV,
    r#"{"kind": "ClusterServiceVersion", "metadata": {"annotations": null}, "spec": null}"#.into(),
    bundle("", None)
)]
#[case::a_bundle_that_replaces(
    CSV,
    format!(r#"{{"spec": {{"replaces": "a", "version": 7}}, "kind": "{CSV}",
        "metadata": {{"annotations": {{"operatorframework.io/properties": "{FERRY}", "x": 1}}}}}}"#),
    bundle("a", stated(ferry()))
)]
#[case::where_it_was_unpacked(
    CSV,
    format!(r#"{{"kind": "ConfigMap", "name": "4c", "namespace": "olm",
        "catalogSourceName": "shop", "catalogSourceNamespace": "olm",
        "replaces": "a", "properties": "{FERRY}"}}"#),
    bundle("a", stated(ferry()))
)]
#[case::invalid_properties(
    CSV,
    r#"{"kind": "ConfigMap", "properties": "{\"properties\": 7}"}"#.into(),
    bundle("", Some(Err(ReadFault {
        field: ".".into(),
        why: "invalid type: integer `7`, expected a sequence at line 1 column 16".into(),
    })))
)]
#[case::a_service(
    "Service", r#"{"kind": "Service", "spec": {"name": 7}}"#.into(), StepManifest::Unread
)]
#[case::another_object_that_makes_no_sense("Service", "{".into(), StepManifest::Unread)]
#[case::no_text(CSV, String::new(), StepManifest::Unread)]
#[case::a_bundle_of_another_kind(
    CSV,
    r#"{"kind": "Subscription"}"#.into(),
    StepManifest::Unreadable(r#"it is of kind "Subscription""#.into())
)]
#[case::a_bundle_that_is_no_json(
    CSV,
    "{".into(),
    StepManifest::Unreadable("EOF while parsing an object at line 1 column 1".into())
)]
#[case::a_bundle_with_a_number_for_a_name(
    CSV,
    format!(r#"{{"kind": "{CSV}", "spec": {{"replaces": 7}}}}"#),
    StepManifest::Unreadable(
        "invalid type: integer `7`, expected a string at line 1 column 56".into()
    )
)]
fn needed_fields_of_a_step_manifest_are_kept(
    #[case] kind: &str,
    #[case] manifest: String,
    #[case] expected: StepManifest,
) {
    assert_eq!(kept(kind, &manifest), expected);
}

#[test]
fn package_of_a_subscription_step_is_read() {
    let world = world()
        .plan("p", &[])
        .subscribing("rope.v1.0.0", "rope", "stable");
    let resource = read(&world).status.steps.remove(0).resource;
    let spec = SubscriptionSpec {
        package: "rope".into(),
        channel: "stable".into(),
        source: "shop".into(),
        source_namespace: "olm".into(),
        starting_csv: "rope.v1.0.0".into(),
        install_plan_approval: Approval::Automatic,
        config: None,
    };
    assert_eq!(
        resource.manifest,
        StepManifest::Subscription(Box::new(spec))
    );
}

#[rstest]
#[case::not_unpacked("BundleLookupPending", "True", true)]
#[case::not_taken_over("BundleLookupNotPersisted", "True", true)]
#[case::unpacked("BundleLookupPending", "False", false)]
#[case::failed("BundleLookupFailed", "True", false)]
fn lookup_condition_determines_whether_a_bundle_is_pending(
    #[case] kind: &str,
    #[case] status: &str,
    #[case] is_pending: bool,
) {
    let world = world()
        .plan("p", &[])
        .lookup("ferry.v1.2.0", &[])
        .edit(|plan| {
            let condition = json!([{"type": kind, "status": status}]);
            plan["status"]["bundleLookups"][0]["conditions"] = condition;
        });
    let plan = read(&world);
    assert_eq!(plan.status.bundle_lookups[0].is_pending(), is_pending);
}

/// Reads an InstallPlan of the largest size that an API server stores: a bundle, a large
/// description, and many kinds.
#[test]
fn large_plan_is_kept_in_little_memory() {
    let filler = "x".repeat(30_000);
    let definition = json!({"kind": "CustomResourceDefinition", "spec": filler});
    let world = (0..46).fold(
        world().plan("p", &["ferry.v1.2.0"]).described(),
        |world, number| {
            let (kind, name) = (
                "CustomResourceDefinition",
                format!("kind-{number}.demo.example"),
            );
            world.step("ferry.v1.2.0", kind, &name, &definition)
        },
    );
    let description = json!({"type": "somebody.else", "value": filler});
    let world = world.lookup("ferry.v1.2.0", &[description]);
    let text = world.objects().last().expect("a plan").to_string();
    assert!(text.len() > 1_400_000, "{}", text.len());
    let (plan, _) = crate::read::<InstallPlan>(&text).expect("an InstallPlan");
    let told = format!("{plan:?}");
    assert!(!told.contains(&filler), "a manifest is kept");
    let kept: usize = plan.status.steps.iter().map(weight).sum();
    assert!(kept < 20_000, "{kept} bytes are kept");
    println!("{kept} bytes of {} are kept", text.len());
}

/// Returns the memory size of a step, without its manifest.
fn weight(step: &Step) -> usize {
    let StepResource {
        group,
        kind,
        name,
        source_name,
        source_namespace,
        manifest: _,
    } = &step.resource;
    let texts = [
        &step.resolving,
        group,
        kind,
        name,
        source_name,
        source_namespace,
    ];
    size_of::<Step>() + texts.map(String::capacity).iter().sum::<usize>()
}

#[rstest]
#[case::installing(world().plan("p", &["a.v1.0.0"]).installing(), InstallPlanPhase::Installing)]
#[case::complete(world().plan("p", &["a.v1.0.0"]).complete(), InstallPlanPhase::Complete)]
#[case::failed(world().plan("p", &["a.v1.0.0"]).failed("no"), InstallPlanPhase::Failed)]
fn phase_of_an_install_plan_is_read(#[case] world: World, #[case] phase: InstallPlanPhase) {
    let plan = read(&world);
    let is_complete = phase == InstallPlanPhase::Complete;
    assert_eq!(plan.status.phase, phase);
    assert_eq!(plan.status.steps[0].is_done(), is_complete);
    assert!(plan.spec.approved);
}
