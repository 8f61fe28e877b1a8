use portolan_core_approval::{BundleIdentity, Need};
use portolan_core_names::{Version, VersionRange};
use portolan_core_olm::{Api, read_value};
use portolan_kit::{World, world};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::*;

fn read(world: &World) -> Plan {
    let object = world.objects().last().expect("an InstallPlan").clone();
    let (read, faults) = read_value::<InstallPlan>(object).expect("an InstallPlan");
    assert_eq!(faults, []);
    plan(&read)
}

fn package(name: &str) -> PackageName {
    PackageName::parse(name).expect("a package")
}

fn identity_of(name: &str, version: &str) -> BundleIdentity {
    BundleIdentity {
        package: package(name),
        version: Version::parse(version).ok(),
        provides: [].into(),
        needs: Vec::new(),
    }
}

fn planned(name: &str, identity: Option<Result<BundleIdentity, String>>) -> Bundle {
    Bundle {
        name: name.into(),
        source: Source::Step,
        replaces: String::new(),
        catalog: "olm/shop".into(),
        identity,
        is_pending: false,
    }
}

fn made(bundle: &str, kind: &str, name: &str) -> Step {
    Step {
        bundle: bundle.into(),
        kind: kind.into(),
        name: name.into(),
        package: None,
    }
}

#[test]
fn plan_lists_its_bundles_and_steps() {
    let api = json!({"group": "sea.example", "version": "v1", "kind": "Buoy"});
    let rope = json!({"packageName": "rope", "versionRange": ">=1.0.0"});
    let properties = [
        json!({"type": "olm.gvk", "value": api}),
        json!({"type": "olm.package.required", "value": rope}),
        json!({"type": "olm.constraint", "value": {"package": rope}}),
    ];
    let world = world()
        .plan("install-1", &["a.v1.0.0"])
        .described()
        .lookup("a.v1.0.0", &properties)
        .step("a.v1.0.0", "Service", "a", &json!({"kind": "Service"}))
        .subscribing("rope.v1.0.0", "rope", "stable")
        .stamped("uid-1", "7");
    let world = world.edit(|plan| {
        plan["status"]["bundleLookups"][0]["replaces"] = json!("a.v0.9.0");
        plan["status"]["bundleLookups"][0]["conditions"] =
            json!([{"type": "BundleLookupPending", "status": "True"}]);
    });
    let rope = Need::Package(
        package("rope"),
        VersionRange::parse(">=1.0.0").expect("a range"),
    );
    let buoy = Api {
        group: "sea.example".into(),
        version: "v1".into(),
        kind: "Buoy".into(),
    };
    let expected = Plan {
        name: "install-1".into(),
        uid: Some("uid-1".into()),
        resource_version: Some("7".into()),
        generation: Some(1),
        phase: "RequiresApproval".into(),
        is_approved: false,
        is_manual: true,
        csvs: vec!["a.v1.0.0".into()],
        bundles: vec![
            Bundle {
                source: Source::Lookup,
                replaces: "a.v0.9.0".into(),
                is_pending: true,
                identity: Some(Ok(BundleIdentity {
                    provides: [buoy].into(),
                    needs: vec![rope.clone(), rope],
                    ..identity_of("a", "1.0.0")
                })),
                ..planned("a.v1.0.0", None)
            },
            planned("a.v1.0.0", Some(Ok(identity_of("a", "1.0.0")))),
        ],
        steps: vec![
            made("a.v1.0.0", "ClusterServiceVersion", "a.v1.0.0"),
            made("a.v1.0.0", "Service", "a"),
            Step {
                package: Some(package("rope")),
                ..made("rope.v1.0.0", "Subscription", "rope-stable-shop-olm")
            },
        ],
    };
    assert_eq!(read(&world), expected);
}

/// Returns the identity of the bundle in a step whose ClusterServiceVersion has these properties.
fn step_identity(manifest: &Value) -> Option<Result<BundleIdentity, String>> {
    let world = world().plan("p", &["a.v1.0.0"]).edit(|plan| {
        plan["status"]["plan"][0]["resource"]["manifest"] = json!(manifest.to_string());
    });
    read(&world).bundles.remove(0).identity
}

fn pointer(properties: &str) -> Value {
    json!({"kind": "ConfigMap", "name": "4c", "namespace": "olm", "properties": properties})
}

fn of_package(name: &str) -> String {
    let value = json!({"packageName": name, "version": "one"});
    json!({"properties": [{"type": "olm.package", "value": value}]}).to_string()
}

#[rstest]
#[case::that_it_has_a_version_of_no_form(
    pointer(&of_package("a")), Some(Ok(identity_of("a", "")))
)]
#[case::nothing_without_properties(pointer(""), None)]
#[case::nothing_without_a_package(pointer(r#"{"properties": []}"#), None)]
#[case::that_its_package_is_no_name(
    pointer(&of_package("a b")),
    Some(Err(PackageName::parse("a b").expect_err("no name").to_string()))
)]
#[case::invalid_properties(
    pointer("{"),
    Some(Err(
        "its properties cannot be read: EOF while parsing an object at line 1 column 1".into()
    ))
)]
#[case::invalid_manifest(
    json!({"kind": "Service"}),
    Some(Err("its manifest cannot be read: it is of kind \"Service\"".into()))
)]
fn parses_the_identity_of_a_step(
    #[case] manifest: Value,
    #[case] expected: Option<Result<BundleIdentity, String>>,
) {
    assert_eq!(step_identity(&manifest), expected);
}

#[test]
fn kinds_of_other_groups_are_neither_bundles_nor_subscriptions() {
    let world = world()
        .plan("p", &["a.v1.0.0"])
        .subscribing("a.v1.0.0", "rope", "stable")
        .edit(|plan| {
            for step in plan["status"]["plan"].as_array_mut().expect("steps") {
                step["resource"]["group"] = json!("other.example");
            }
        });
    let plan = read(&world);
    assert_eq!(plan.bundles, []);
    assert_eq!(plan.steps[1].package, None);
}
