//! Tests the form of InstallPlans for bundles that OLM unpacks from images.

use kube::api::DynamicObject;
use portolan_kit::{assert_same, catalog};
use portolan_rig::{Failure, Kind, World};
use serde_json::{Value, json};

use crate::world;

#[tokio::test]
async fn plan_of_images_has_bundle_lookups_and_manifest_references() -> Result<(), Failure> {
    let Some(world) = world("images").await? else {
        return Ok(());
    };
    let offered = catalog("tender: 1.0.0 requires hull >=1.0.0; hull: 1.0.0");
    let offered = offered.installable().by_image();
    let (folder, images) = (offered.temp(), offered.images());
    let _unpacking = world.unpacking(&images);
    let served = world.catalog("fleet", &folder).await?;
    let tender = world.operator("tender");
    tender.subscribe(&served, "stable", None).await?;
    let name = tender.plan("tender.v1.0.0").await?;
    let plans = Kind::InstallPlan.within(world.client(), world.namespace());
    let plan = plans.get(&name).await?;

    let expected = [
        lookup(&world, "hull", json!([])),
        lookup(&world, "tender", json!([needs_hull(), needs_hull()])),
    ];
    assert_same!(json: lookups(&plan), expected);
    assert_same!(steps(&plan), STEPS);
    for step in list(&plan, "/status/plan") {
        if step["resource"]["kind"] == "Subscription" {
            asks(&world, step)
        } else {
            refers(&world, &plan, step)
        }
    }
    tender.approve(&name).await?;
    tender.until_phase("hull.v1.0.0", "Succeeded").await?;
    tender.until_phase("tender.v1.0.0", "Succeeded").await
}

/// For each step of the plan: the bundle, the kind of the object, and the form of the manifest. The
/// steps are sorted by bundle. The first step creates a generated Subscription.
const STEPS: [&str; 11] = [
    "hull.v1.0.0 Subscription: whole",
    "hull.v1.0.0 ClusterServiceVersion: by reference",
    "hull.v1.0.0 CustomResourceDefinition: by reference",
    "hull.v1.0.0 ServiceAccount: by reference",
    "hull.v1.0.0 Role: by reference",
    "hull.v1.0.0 RoleBinding: by reference",
    "tender.v1.0.0 ClusterServiceVersion: by reference",
    "tender.v1.0.0 CustomResourceDefinition: by reference",
    "tender.v1.0.0 ServiceAccount: by reference",
    "tender.v1.0.0 Role: by reference",
    "tender.v1.0.0 RoleBinding: by reference",
];

/// Returns the requirement for hull. OLM writes the dependencies of a bundle twice.
fn needs_hull() -> Value {
    let value = json!({"packageName": "hull", "versionRange": ">=1.0.0"});
    json!({"type": "olm.package.required", "value": value})
}

/// Returns the bundle lookup for the first bundle of a package. It has no conditions, and contains
/// the properties of the bundle.
fn lookup(world: &World, package: &str, needs: Value) -> Value {
    let identity = json!({"packageName": package, "version": "1.0.0"});
    let mut kind = package.to_owned();
    kind[..1].make_ascii_uppercase();
    let api = json!({"group": format!("{package}.example.test"), "kind": kind, "version": "v1"});
    let mut properties = vec![
        json!({"type": "olm.package", "value": identity}),
        json!({"type": "olm.gvk", "value": api}),
    ];
    properties.extend(needs.as_array().into_iter().flatten().cloned());
    json!({
        "catalogSourceRef": {"name": "fleet", "namespace": world.namespace()},
        "identifier": format!("{package}.v1.0.0"),
        "path": format!("registry.example/{package}:v1.0.0"),
        "properties": {"properties": properties},
        "replaces": "",
    })
}

/// Returns the bundle lookups of a plan, sorted by bundle, with parsed properties. OLM lists the
/// lookups in any order.
fn lookups(plan: &DynamicObject) -> Vec<Value> {
    let lookups = list(plan, "/status/bundleLookups").cloned();
    let lookups = lookups.map(|mut lookup| {
        lookup["properties"] = json_in(&lookup["properties"]);
        lookup
    });
    let mut lookups: Vec<_> = lookups.collect();
    lookups.sort_by_key(|lookup| text(&lookup["identifier"]));
    lookups
}

fn steps(plan: &DynamicObject) -> Vec<String> {
    let steps = list(plan, "/status/plan").map(|step| {
        let manifest = json_in(&step["resource"]["manifest"]);
        let place = if manifest["kind"] == "ConfigMap" {
            "by reference"
        } else {
            "whole"
        };
        let (bundle, made) = (text(&step["resolving"]), text(&step["resource"]["kind"]));
        format!("{bundle} {made}: {place}")
    });
    let mut steps: Vec<_> = steps.collect();
    steps.sort_by_key(|step| step.split(' ').next().map(str::to_owned));
    steps
}

/// Checks that the Subscription in a step is for the dependency. OLM writes this Subscription
/// without its kind.
fn asks(world: &World, step: &Value) {
    let namespace = world.namespace();
    let expected = json!({
        "metadata": {"name": format!("hull-stable-fleet-{namespace}"), "namespace": namespace},
        "spec": {
            "name": "hull",
            "channel": "stable",
            "source": "fleet",
            "sourceNamespace": namespace,
            "startingCSV": "hull.v1.0.0",
            "installPlanApproval": "Automatic",
        },
        "status": {"lastUpdated": null},
    });
    assert_same!(json: json_in(&step["resource"]["manifest"]), expected);
}

/// Checks that the manifest of a step is in the ConfigMap of its bundle, and has the same
/// properties.
fn refers(world: &World, plan: &DynamicObject, step: &Value) {
    let mut reference = json_in(&step["resource"]["manifest"]);
    reference["properties"] = json_in(&reference["properties"]);
    let mut looked_up = lookups(plan).into_iter();
    let looked_up = looked_up.find(|lookup| lookup["identifier"] == step["resolving"]);
    let name = reference["name"].as_str().unwrap_or_default().to_owned();
    assert_eq!(name.len(), 63, "{name} must be the digest of an image");
    let expected = json!({
        "kind": "ConfigMap",
        "name": name,
        "namespace": world.namespace(),
        "catalogSourceName": "fleet",
        "catalogSourceNamespace": world.namespace(),
        "replaces": "",
        "properties": looked_up.map(|lookup| lookup["properties"].clone()),
    });
    assert_same!(json: reference, expected);
}

fn list<'o>(plan: &'o DynamicObject, field: &str) -> impl Iterator<Item = &'o Value> {
    let list = plan.data.pointer(field).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Parses JSON that is inside of a text.
fn json_in(text: &Value) -> Value {
    let text = text.as_str().expect("it must be a text");
    serde_json::from_str(text).expect("it must be JSON")
}
