//! Tests upgrades that fail on a node, and a webhook that does not respond.

use std::fs;

use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until, until_object};
use serde_json::{Value, json};

use super::container::{Container, containers, only_container};
use super::operators::{UNREACHED, not_reached, until_diagnosed};
use super::releases::{GROUP, WITH_FAILURES, ferry, inline_catalog};
use super::stage::node_world;
use crate::objects::{api, make};
use crate::operators::adopted::wharf::is_rolled_out;
use crate::operators::stage::{Harbor, harbor_of, spec_at};

/// The namespace in which the operator runs.
const HOME: &str = "ferry";
const NODE: &str = "node-1";

/// One version crashes, and another version has no image. The container of the previous version
/// keeps running. While the webhook does not respond, the next version is installed only when its
/// Pod can run.
#[tokio::test]
async fn failed_upgrades_leave_the_old_container_running() -> Result<(), Failure> {
    let Some(world) = node_world("failures").await? else {
        return Ok(());
    };
    let text = inline_catalog(world.cluster(), &WITH_FAILURES).await?;
    let harbor = harbor_of(world, Vec::new()).await?;
    let file = harbor.catalog_folder().join("catalog.yaml");
    fs::write(file, text).map_err(Failure::touch("write a catalog"))?;
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    rollout_is_complete(&harbor).await?;
    write(&harbor, "v1alpha1", 12).await?;

    let before = only_container(harbor.client(), HOME).await?;
    crash_is_reverted(&harbor, &before).await?;
    missing_image_is_named(&harbor, &before).await?;
    upgrade_repairs_the_webhook(&harbor, &before).await?;
    scaled_deployment_is_repaired(&harbor).await
}

/// With `onFailure: Revert`, the previous version is installed again. The CRD loses the API version
/// that the failed version added, because no object was stored in this API version.
async fn crash_is_reverted(harbor: &Harbor, before: &Container) -> Result<(), Failure> {
    let crashing = json!({
        "version": "1.1.0", "settleSeconds": 0, "onFailure": "Revert",
        "progressDeadlineSeconds": 25,
    });
    harbor.operator("ferry", crashing).await?;
    let reverted = ["Installing", "False", "Reverted"];
    let message = harbor.until("ferry", reverted).await?;
    assert!(message.contains("with exit code 42"), "{message}");
    harbor.until_installed("ferry", "1.0.0").await?;
    assert_eq!(only_container(harbor.client(), HOME).await?, *before);
    let crds = Kind::CustomResourceDefinition.everywhere(harbor.client());
    let crd = crds.get("ferries.ferries.portolan.dev").await?;
    assert_eq!(crd.data["status"]["storedVersions"], json!(["v1alpha1"]));
    let versions = crd.data["spec"]["versions"].as_array();
    assert_eq!(versions.map(Vec::len), Some(1), "{:?}", crd.data["spec"]);
    assert_eq!(seats(harbor, "v1alpha1").await?, json!({"seats": 12}));
    write(harbor, "v1alpha1", 13).await
}

/// The rollout cannot complete. The Deployment stays available, and the version is not installed.
async fn missing_image_is_named(harbor: &Harbor, before: &Container) -> Result<(), Failure> {
    harbor.operator("ferry", spec_at("1.2.0")).await?;
    let diagnosed = until_diagnosed(harbor, "v1.2.0-missing").await?;
    println!("node: without an image:\n{diagnosed}");
    assert!(diagnosed.contains("manager"), "{diagnosed}");
    assert_eq!(
        containers(harbor.client(), HOME).await?,
        std::slice::from_ref(before)
    );
    let deployment = deployment(harbor).await?;
    assert!(
        is_true(&deployment.data, "Available"),
        "{:?}",
        deployment.data
    );
    let status = harbor.status("ferry").await?;
    assert!(!is_installed(&status, "1.2.0"), "{status}");
    write(harbor, "v1alpha1", 14).await
}

/// No Pod runs on a cordoned node. So the webhook does not respond, and the API server rejects
/// writes of Ferries. The plan of the next version writes no Ferry.
async fn upgrade_repairs_the_webhook(harbor: &Harbor, before: &Container) -> Result<(), Failure> {
    cordon(harbor, true).await?;
    let pods = Kind::Pod.within(harbor.client(), HOME);
    pods.delete(&before.pod, &DeleteParams::default()).await?;
    until("the webhook to be down", PATIENCE, async || {
        Ok(match patch(harbor, "v1alpha1", 15).await {
            Err(error) if format!("{error:?}").contains(UNREACHED) => Seen::Yes(()),
            tried => Seen::NotYet(format!("{tried:?}")),
        })
    })
    .await?;
    harbor.operator("ferry", spec_at("1.3.0")).await?;
    let diagnosed = until_diagnosed(harbor, "unschedulable").await?;
    println!("node: while the webhook is down:\n{diagnosed}");
    cordon(harbor, false).await?;
    harbor.until_installed("ferry", "1.3.0").await?;
    rollout_is_complete(harbor).await?;
    write(harbor, "v1", 16).await?;
    assert_eq!(seats(harbor, "v1alpha1").await?, json!({"seats": 16}));
    Ok(())
}

/// A user scales the Deployment to zero, so its webhook does not respond until the Deployment is
/// repaired.
async fn scaled_deployment_is_repaired(harbor: &Harbor) -> Result<(), Failure> {
    let before = only_container(harbor.client(), HOME).await?;
    let deployments = Kind::Deployment.within(harbor.client(), HOME);
    let none = Patch::Merge(json!({"spec": {"replicas": 0}}));
    let params = PatchParams::default();
    let scaled = deployments.patch("ferry", &params, &none).await?;
    let generation = scaled.metadata.generation;
    let is_repaired = |it: &DynamicObject| it.metadata.generation > generation && is_rolled_out(it);
    until_object(&deployments, "ferry", "repaired", is_repaired).await?;
    assert_ne!(only_container(harbor.client(), HOME).await?, before);
    write(harbor, "v1", 17).await
}

async fn cordon(harbor: &Harbor, is_cordoned: bool) -> Result<(), Failure> {
    let nodes = Kind::Node.everywhere(harbor.client());
    let change = Patch::Merge(json!({"spec": {"unschedulable": is_cordoned}}));
    nodes.patch(NODE, &PatchParams::default(), &change).await?;
    Ok(())
}

async fn deployment(harbor: &Harbor) -> Result<DynamicObject, Failure> {
    let deployments = Kind::Deployment.within(harbor.client(), HOME);
    Ok(deployments.get("ferry").await?)
}

/// An Operator is ready only after the rollout of its Deployment.
async fn rollout_is_complete(harbor: &Harbor) -> Result<(), Failure> {
    let deployment = deployment(harbor).await?;
    assert!(
        is_rolled_out(&deployment),
        "{:?}",
        deployment.data["status"]
    );
    Ok(())
}

fn is_installed(status: &Value, version: &str) -> bool {
    status["versions"]["installed"] == version && is_true(&json!({"status": status}), "Ready")
}

fn is_true(object: &Value, condition: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|each| each["type"] == condition && each["status"] == "True")
}

/// Creates or changes the Ferry. Repeats this until the API server can reach the webhook.
async fn write(harbor: &Harbor, version: &str, seats: u32) -> Result<(), Failure> {
    until(
        "the webhook to admit a Ferry",
        PATIENCE,
        async || match patch(harbor, version, seats).await {
            Ok(()) => Ok(Seen::Yes(())),
            Err(error) => not_reached(error),
        },
    )
    .await
}

async fn patch(harbor: &Harbor, version: &str, seats: u32) -> Result<(), Failure> {
    let spec = match version {
        "v1" => json!({"capacity": {"seats": seats}}),
        _ => json!({"seats": seats}),
    };
    let place = [&format!("{GROUP}/{version}"), "Ferry", harbor.home()];
    let ferries = api(harbor.client(), place);
    if ferries.get_opt("dover").await?.is_none() {
        return make(
            harbor.client(),
            &ferry(harbor.home(), "dover", version, spec),
        )
        .await;
    }
    let change = Patch::Merge(json!({"spec": spec}));
    ferries
        .patch("dover", &PatchParams::default(), &change)
        .await?;
    Ok(())
}

/// Returns the spec of the Ferry in an API version.
async fn seats(harbor: &Harbor, version: &str) -> Result<Value, Failure> {
    let place = [&format!("{GROUP}/{version}"), "Ferry", harbor.home()];
    let ferries = api(harbor.client(), place);
    until("a converted Ferry", PATIENCE, async || {
        match ferries.get("dover").await.map_err(Failure::from) {
            Ok(ferry) => Ok(Seen::Yes(ferry.data["spec"].clone())),
            Err(error) => not_reached(error),
        }
    })
    .await
}
