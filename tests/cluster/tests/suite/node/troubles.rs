//! Tests that the status of an Operator contains the reasons that the kubelet and the operator
//! itself report.

use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Parts, Seen, World, until, until_field};
use serde_json::{Value, json};

use super::olm::catalog::{Channel, publish};
use super::releases::{RELEASES, Release, release};
use super::stage::{cluster_with, until_printed};
use crate::objects::api;
use crate::operators::stage::{Harbor, harbor_of, spec_at};

/// A version that does not respond to its probes.
const HANGING: Release = release("1.5.0", &["v1", "v1alpha1"], "hang");
/// The namespace of the operator.
const HOME: &str = "ferry";

/// The problems occur one after the other: a Secret is missing, the operator forbids its upgrade,
/// and its liveness probe fails.
#[tokio::test]
#[ignore = "soak: Kubernetes restarts the container until it is a loop"]
async fn operator_status_names_missing_secret_and_failing_probe() -> Result<(), Failure> {
    let Some(harbor) = harbor().await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.4.0")).await?;
    let missing =
        "(FailedMount): MountVolume.SetUp failed for volume \"tides\" : secret \"tides\" not found";
    until_status(&harbor, missing).await?;
    let diagnose = ["diagnose", "operator/ferry", "-o", "wide"];
    until_printed(harbor.world(), &diagnose, &[missing]).await?;
    add_secret(&harbor).await?;
    harbor.until_installed("ferry", "1.4.0").await?;

    let conditions = conditions(&harbor);
    let field = "/spec/conditions/0/reason";
    until_field(&conditions, "ferry.v1.4.0", field, "FerriesAtSea").await?;
    harbor.operator("ferry", spec_at("1.5.0")).await?;
    let why = harbor
        .until("ferry", ["Installing", "False", "NotUpgradeable"])
        .await?;
    assert!(why.contains("ferries are at sea"), "{why}");
    let blocked = ["NotUpgradeable", "ferries are at sea"];
    until_printed(harbor.world(), &diagnose, &blocked).await?;

    let allowed = json!({"spec": {"overrides": [{
        "type": "Upgradeable", "status": "True", "reason": "Checked", "message": "all are in port",
    }]}});
    let (params, allowed) = (PatchParams::default(), Patch::Merge(allowed));
    conditions.patch("ferry.v1.4.0", &params, &allowed).await?;
    until_status(&harbor, "because its liveness probe fails: Get ").await?;
    Ok(())
}

/// Returns a cluster on which OLM runs as processes, because the test needs the kind
/// OperatorCondition.
async fn harbor() -> Result<Option<Harbor>, Failure> {
    let parts = Parts {
        node: true,
        olm: true,
        ..Parts::default()
    };
    let Some(cluster) = cluster_with(parts).await? else {
        return Ok(None);
    };
    let world = World::on(cluster, "troubles").await?;
    let [.., first] = RELEASES;
    let channel = Channel {
        name: "stable",
        releases: &[first, HANGING],
        has_bundles: true,
        change: mount_tides,
    };
    let catalog = publish(world.cluster(), "v1", &[channel]).await?;
    let registry = world.cluster().registry().unwrap_or_default();
    let mut flags = vec![format!("--catalog=ferries=oci://{catalog}")];
    flags.extend(["--registries", "--plain-http"].map(|flag| format!("{flag}={registry}")));
    harbor_of(world, flags).await.map(Some)
}

/// Mounts a Secret into the container of the operator.
fn mount_tides(csv: &mut Value) {
    let pod = "/spec/install/spec/deployments/0/spec/template/spec";
    let Some(pod) = csv.pointer_mut(pod) else {
        return;
    };
    pod["volumes"] = json!([{"name": "tides", "secret": {"secretName": "tides"}}]);
    pod["containers"][0]["volumeMounts"] = json!([{"name": "tides", "mountPath": "/tides"}]);
}

async fn until_status(harbor: &Harbor, text: &str) -> Result<(), Failure> {
    let operators = harbor.operators();
    until(format!("a status with {text:?}"), PATIENCE, async || {
        let status = operators.get("ferry").await?.data["status"].take();
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let mut messages = conditions.filter_map(|condition| condition["message"].as_str());
        Ok(if messages.any(|message| message.contains(text)) {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

/// Creates the missing Secret. Deletes the Pod, because the kubelet would retry the mount only
/// after some time.
async fn add_secret(harbor: &Harbor) -> Result<(), Failure> {
    harbor
        .make(&json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "tides", "namespace": HOME}, "stringData": {"high": "noon"},
        }))
        .await?;
    let pods = Kind::Pod.within(harbor.client(), HOME);
    let all = ListParams::default();
    pods.delete_collection(&DeleteParams::default(), &all)
        .await?;
    Ok(())
}

fn conditions(harbor: &Harbor) -> Api<DynamicObject> {
    let kind = ["operators.coreos.com/v2", "OperatorCondition"];
    api(harbor.client(), [kind[0], kind[1], HOME])
}
