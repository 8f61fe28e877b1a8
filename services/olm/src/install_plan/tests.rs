use portolan_kit::{World, world};
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::read_value;

fn read(world: &World) -> InstallPlan {
    let object = world.objects().last().expect("an InstallPlan").clone();
    let (plan, faults) = read_value::<InstallPlan>(object).expect("an InstallPlan");
    assert_eq!(faults, []);
    plan
}

#[test]
fn a_plan_is_read_without_its_manifests() {
    let world = world().plan("install-1", &["ferry.v1.2.0"]).edit(|plan| {
        plan["status"]["bundleLookups"] = json!([{
            "identifier": "ferry.v1.2.0",
            "path": "registry.example/ferry:v1.2.0",
            "replaces": "ferry.v1.1.0",
            "catalogSourceRef": {"namespace": "olm", "name": "shop"},
            "properties": "{}",
        }]);
    });
    let plan = read(&world);
    let spec = InstallPlanSpec {
        csvs: vec!["ferry.v1.2.0".into()],
        approval: Approval::Manual,
        approved: false,
    };
    assert_eq!(plan.spec, spec);
    let step = Step {
        resolving: "ferry.v1.2.0".into(),
        status: StepStatus::Unknown,
        resource: StepResource {
            kind: "ClusterServiceVersion".into(),
            name: "ferry.v1.2.0".into(),
            source_name: "shop".into(),
        },
    };
    assert!(!step.is_done());
    let lookup = BundleLookup {
        identifier: "ferry.v1.2.0".into(),
        path: "registry.example/ferry:v1.2.0".into(),
        replaces: "ferry.v1.1.0".into(),
        catalog_source_ref: Some(CatalogSourceRef {
            namespace: "olm".into(),
            name: "shop".into(),
        }),
        properties: "{}".into(),
    };
    let status = InstallPlanStatus {
        phase: InstallPlanPhase::RequiresApproval,
        steps: vec![step],
        bundle_lookups: vec![lookup],
        ..InstallPlanStatus::default()
    };
    assert_eq!(plan.status, status);
}

#[rstest]
#[case::installing(world().plan("p", &["a.v1.0.0"]).installing(), InstallPlanPhase::Installing)]
#[case::complete(world().plan("p", &["a.v1.0.0"]).complete(), InstallPlanPhase::Complete)]
#[case::failed(world().plan("p", &["a.v1.0.0"]).failed("no"), InstallPlanPhase::Failed)]
fn how_far_it_has_come_is_told(#[case] world: World, #[case] phase: InstallPlanPhase) {
    let plan = read(&world);
    let is_complete = phase == InstallPlanPhase::Complete;
    assert_eq!(plan.status.phase, phase);
    assert_eq!(plan.status.steps[0].is_done(), is_complete);
    assert!(plan.spec.approved);
}
