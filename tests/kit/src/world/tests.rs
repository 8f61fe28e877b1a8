use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::assert_same;

/// Returns the kind, namespace and name of each object.
fn named(world: &World) -> Vec<[&str; 3]> {
    let objects = world.objects().iter();
    objects
        .map(|object| {
            let metadata = &object["metadata"];
            [&object["kind"], &metadata["namespace"], &metadata["name"]]
                .map(|value| value.as_str().unwrap_or_default())
        })
        .collect()
}

fn upgrade() -> World {
    world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:50051")
        .namespace("ns")
        .operator_group()
        .subscription("a", "stable")
        .csv("a.v1.0.0", "Succeeded")
        .deployment("a", 1, 1)
        .plan("install-1", &["a.v1.1.0"])
}

#[test]
fn objects_are_added_to_the_last_namespace() {
    let expected = vec![
        ["Namespace", "", "olm"],
        ["CatalogSource", "olm", "shop"],
        ["Namespace", "", "ns"],
        ["OperatorGroup", "ns", "ns"],
        ["Subscription", "ns", "a"],
        ["ClusterServiceVersion", "ns", "a.v1.0.0"],
        ["Deployment", "ns", "a"],
        ["InstallPlan", "ns", "install-1"],
    ];
    assert_same!(named(&upgrade()), expected);
}

#[test]
fn subscription_names_the_last_catalog_source() {
    let world = upgrade().pending("a.v1.0.0", "a.v1.1.0", "install-1");
    let expected = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {
            "name": "a",
            "namespace": "ns",
            "labels": {"operators.coreos.com/a.ns": ""},
        },
        "spec": {
            "name": "a",
            "channel": "stable",
            "source": "shop",
            "sourceNamespace": "olm",
            "installPlanApproval": "Manual",
        },
        "status": {
            "state": "UpgradePending",
            "currentCSV": "a.v1.1.0",
            "installedCSV": "a.v1.0.0",
            "installPlanGeneration": 1,
            "installPlanRef": {
                "apiVersion": "operators.coreos.com/v1alpha1",
                "kind": "InstallPlan",
                "namespace": "ns",
                "name": "install-1",
            },
            "lastUpdated": "2026-01-01T00:00:00Z",
        },
    });
    assert_same!(json: world.objects()[4], expected);
}

#[test]
fn first_install_has_no_installed_version() {
    let world = world()
        .subscription("a", "stable")
        .pending("", "a.v1.0.0", "install-1");
    assert_same!(json: world.objects()[0]["status"].get("installedCSV"), None::<Value>);
}

#[test]
fn plan_waits_for_approval_and_then_is_complete() {
    let step = |plan: &World| plan.objects()[0]["status"]["plan"][0]["status"].clone();
    let waiting = world().plan("install-1", &["a.v1.0.0", "b.v1.0.0"]);
    let spec = json!({
        "approval": "Manual",
        "approved": false,
        "clusterServiceVersionNames": ["a.v1.0.0", "b.v1.0.0"],
        "generation": 1,
    });
    assert_same!(json: waiting.objects()[0]["spec"], spec);
    assert_same!(json: waiting.objects()[0]["status"]["phase"], "RequiresApproval");
    assert_same!(json: step(&waiting), "Unknown");
    let complete = waiting.complete();
    assert_same!(json: complete.objects()[0]["status"]["phase"], "Complete");
    assert_same!(json: complete.objects()[0]["spec"]["approved"], true);
    assert_same!(json: step(&complete), "Created");
}

#[rstest]
#[case::ready(2, "True", "MinimumReplicasAvailable")]
#[case::unready(1, "False", "MinimumReplicasUnavailable")]
fn deployment_availability_follows_its_replicas(
    #[case] available: u32,
    #[case] status: &str,
    #[case] reason: &str,
) {
    let world = world()
        .csv("a.v1.0.0", "Succeeded")
        .deployment("a", available, 2);
    let deployment = &world.objects()[1];
    let condition = &deployment["status"]["conditions"][0];
    assert_same!(json: [&condition["status"], &condition["reason"]], [status, reason]);
    assert_same!(json: deployment["metadata"]["labels"]["olm.owner"], "a.v1.0.0");
}

#[test]
fn objects_below_a_deployment_refer_to_their_owner() {
    let world = world()
        .namespace("ns")
        .csv("a.v1.0.0", "Succeeded")
        .deployment("a", 0, 1)
        .stamped("d-1", "7")
        .replica_set("a-6f", 1, 1)
        .pod("a-6f-x")
        .image_pull_failing("no such image")
        .event("Failed", "no such image");
    let owner = |at: usize| &world.objects()[at]["metadata"]["ownerReferences"][0]["uid"];
    assert_same!(json: [owner(3), owner(4)], ["d-1", "replicaset-a-6f"]);
    let labels = |at: usize| &world.objects()[at]["metadata"]["labels"];
    assert_same!(json: labels(4), json!({"operator": "a"}));
    assert_same!(json: world.objects()[4]["status"], json!({
        "phase": "Pending",
        "conditions": [{
            "type": "Ready",
            "status": "False",
            "reason": "ContainersNotReady",
            "message": "containers with unready status: [operator]",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }],
        "containerStatuses": [{
            "name": "operator",
            "image": "registry.example/operator:v1",
            "ready": false,
            "restartCount": 0,
            "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}},
            "lastState": {},
        }],
    }));
    let about = &world.objects()[5]["involvedObject"];
    assert_same!(json: [&about["kind"], &about["name"]], ["Pod", "a-6f-x"]);
}

#[test]
fn copied_csv_names_the_namespace_of_its_operator() {
    let world = world().namespace("tenant").copied_csv("a.v1.0.0", "ns");
    let copy = &world.objects()[1];
    assert_same!(json: copy["metadata"]["labels"]["olm.copiedFrom"], "ns");
    assert_same!(json: copy["status"]["reason"], "Copied");
}

#[test]
fn last_object_can_be_edited() {
    let world = world()
        .namespace("ns")
        .edit(|it| it["metadata"]["labels"] = json!({"x": "y"}));
    assert_same!(json: world.objects()[0]["metadata"]["labels"], json!({"x": "y"}));
}

#[test]
fn written_world_can_be_read_back() {
    let world = upgrade();
    let folder = world.temp();
    let read = |file: &str| -> Value {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        serde_saphyr::from_str(&text).unwrap()
    };
    assert_same!(json: read("namespace-ns.yaml"), world.objects()[2]);
    assert_same!(json: read("ns/clusterserviceversion-a.v1.0.0.yaml"), world.objects()[5]);
    let all: Vec<Value> = serde_saphyr::from_multiple(&world.to_yaml()).unwrap();
    assert_same!(json: all, world.objects());
}

#[test]
#[should_panic(expected = "\"Happy\" must be a phase")]
fn unknown_phases_are_refused() {
    let _ = world().csv("a.v1.0.0", "Happy");
}

#[test]
#[should_panic(expected = "the world has no Subscription yet")]
fn status_requires_its_object() {
    let _ = world().installed("a.v1.0.0");
}

#[test]
fn plan_has_the_properties_of_its_bundles() {
    let buoy = json!({"type": "olm.gvk.required", "value": {"kind": "Buoy"}});
    let world = upgrade().described().lookup("a.v1.1.0", &[buoy]);
    let plan = world.objects().last().expect("a plan");
    let package = r#"{"type":"olm.package","value":{"packageName":"a","version":"1.1.0"}}"#;
    let buoy = r#"{"type":"olm.gvk.required","value":{"kind":"Buoy"}}"#;
    let lookup = json!([{
        "identifier": "a.v1.1.0",
        "path": "registry.example/a.v1.1.0",
        "replaces": "",
        "catalogSourceRef": {"name": "shop", "namespace": "olm"},
        "properties": format!(r#"{{"properties":[{package},{buoy}]}}"#),
    }]);
    assert_same!(json: plan["status"]["bundleLookups"], lookup);
    let manifest = plan["status"]["plan"][0]["resource"]["manifest"].as_str();
    let manifest: Value = serde_json::from_str(manifest.expect("a text")).expect("JSON");
    let said = &manifest["metadata"]["annotations"]["operatorframework.io/properties"];
    assert_same!(
        said.as_str(),
        Some(format!(r#"{{"properties":[{package}]}}"#).as_str())
    );
}

#[test]
fn policy_uses_its_own_namespace() {
    let world = upgrade().policy("a", &["a.v1.1.0"]);
    let expected = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "metadata": {"name": "a", "namespace": "ns", "generation": 1},
        "spec": {
            "remediationAction": "enforce",
            "subscription": {
                "name": "a",
                "namespace": "ns",
                "channel": "stable",
                "source": "shop",
                "sourceNamespace": "olm",
            },
            "allowedCSVs": ["a.v1.1.0"],
        },
    });
    assert_same!(json: world.objects().last().expect("a policy"), expected);
}
