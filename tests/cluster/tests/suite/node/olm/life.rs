//! Tests a Subscription from its creation to its removal.

use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use portolan_rig::{
    Failure, Kind, PATIENCE, Seen, World, until, until_field, until_gone, until_object,
};
use serde_json::json;

use super::catalog::{Channel, publish};
use super::stage::{OLM, change, olm_world, serve, subscribe};
use crate::kubectl::Kubectl;
use crate::node::releases::{GROUP, RELEASES, Release, release};
use crate::node::stage::until_printed;
use crate::objects::{api, make};

const NEXT: Release = release("1.5.0", &["v1", "v1alpha1"], "none");

/// Pods pull, unpack and run everything. The operator reports Upgradeable=False, so it is upgraded
/// only after an administrator overrides this.
#[tokio::test]
async fn operator_is_installed_upgraded_and_removed_by_pods_of_olm() -> Result<(), Failure> {
    let Some(world) = olm_world("life").await? else {
        return Ok(());
    };
    let [.., first] = RELEASES;
    let first_only = [first];
    let catalog = channel(&world, "v1", &first_only).await?;
    serve(&world, [OLM, "ferries"], &catalog).await?;
    subscribe(&world, world.namespace(), [OLM, "ferries"], "stable").await?;
    let operator = world.operator("ferry");
    operator.until_phase("ferry.v1.4.0", "Succeeded").await?;
    ferry_is_ready(&world).await?;
    until_reported(&world).await?;

    let [.., first] = RELEASES;
    let catalog = channel(&world, "v2", &[first, NEXT]).await?;
    let image = json!({"spec": {"image": catalog}});
    change(&world, (Kind::CatalogSource, OLM, "ferries"), image).await?;
    let versions = Kind::ClusterServiceVersion.within(world.client(), world.namespace());
    let reason = "OperatorConditionNotUpgradeable";
    until_field(&versions, "ferry.v1.5.0", "/status/reason", reason).await?;
    let blocked = ["NotUpgradeable", "ferries are at sea"];
    until_printed(&world, &["diagnose", "-o", "wide"], &blocked).await?;

    override_condition(&world).await?;
    operator.until_phase("ferry.v1.5.0", "Succeeded").await?;
    until_log(&world, "ferry-operator 1.5.0 starts").await?;
    until_gone(&versions, "ferry.v1.4.0").await?;
    print_memory(&world).await?;
    remove(&world).await
}

/// Prints the peak memory of each container of OLM.
async fn print_memory(world: &World) -> Result<(), Failure> {
    let pods = Kind::Pod.within(world.client(), OLM);
    for pod in pods.list(&ListParams::default()).await?.items {
        let statuses = pod.data["status"]["containerStatuses"].as_array();
        for status in statuses.into_iter().flatten() {
            let id = status["containerID"].as_str().unwrap_or_default();
            let id = id.trim_start_matches("containerd://");
            if let Some(peak) = world.cluster().peak_memory(id) {
                println!("{}: at most {} KiB", status["name"], peak / 1024);
            }
        }
    }
    Ok(())
}

async fn channel(world: &World, tag: &str, releases: &[Release]) -> Result<String, Failure> {
    let channel = Channel {
        name: "stable",
        releases,
        has_bundles: true,
        change: |_| (),
    };
    publish(world.cluster(), tag, &[channel]).await
}

/// Waits until the Pod of the operator has reconciled a Ferry. Its webhooks must have accepted the
/// Ferry.
async fn ferry_is_ready(world: &World) -> Result<(), Failure> {
    let dover = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Ferry",
        "metadata": {"name": "dover", "namespace": world.namespace()},
        "spec": {"capacity": {"seats": 12}},
    });
    until("the webhook to admit a Ferry", PATIENCE, async || {
        Ok(match make(world.client(), &dover).await {
            Ok(()) => Seen::Yes(()),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    })
    .await?;
    let ferries = api(
        world.client(),
        [&format!("{GROUP}/v1"), "Ferry", world.namespace()],
    );
    let is_ready = |ferry: &DynamicObject| ferry.data["status"]["ready"] == true;
    until_object(&ferries, "dover", "ready", is_ready)
        .await
        .map(drop)
}

/// Waits until the operator has written its OperatorCondition.
async fn until_reported(world: &World) -> Result<(), Failure> {
    let field = "/spec/conditions/0/reason";
    until_field(&conditions(world), "ferry.v1.4.0", field, "FerriesAtSea")
        .await
        .map(drop)
}

fn conditions(world: &World) -> Api<DynamicObject> {
    let kind = ["operators.coreos.com/v2", "OperatorCondition"];
    api(world.client(), [kind[0], kind[1], world.namespace()])
}

/// Allows the upgrade although the operator reports Upgradeable=False.
async fn override_condition(world: &World) -> Result<(), Failure> {
    let allowed = json!({"spec": {"overrides": [{
        "type": "Upgradeable", "status": "True",
        "reason": "Checked", "message": "all ferries are in port",
    }]}});
    let (params, allowed) = (PatchParams::default(), Patch::Merge(allowed));
    let conditions = conditions(world);
    conditions.patch("ferry.v1.4.0", &params, &allowed).await?;
    Ok(())
}

async fn until_log(world: &World, text: &str) -> Result<(), Failure> {
    let kubectl = Kubectl::of(world.cluster());
    let words = ["logs", "-n", world.namespace(), "deployment/ferry"];
    until(format!("a log with {text:?}"), PATIENCE, async || {
        Ok(match kubectl.try_run(&words).await? {
            Ok(log) if log.contains(text) => Seen::Yes(()),
            Ok(other) | Err(other) => Seen::NotYet(other),
        })
    })
    .await
}

/// Removes the operator as the documentation of OLM describes, and waits until its Pod has ended.
async fn remove(world: &World) -> Result<(), Failure> {
    let params = DeleteParams::default();
    for (kind, name) in [
        (Kind::Subscription, "ferry"),
        (Kind::ClusterServiceVersion, "ferry.v1.5.0"),
    ] {
        let objects = kind.within(world.client(), world.namespace());
        objects.delete(name, &params).await?;
        until_gone(&objects, name).await?;
    }
    let pods = Kind::Pod.within(world.client(), world.namespace());
    let own = ListParams::default().labels("app=ferry");
    until("the Pods of the operator to go", PATIENCE, async || {
        let left = pods.list(&own).await?.items.len();
        Ok(match left {
            0 => Seen::Yes(()),
            left => Seen::NotYet(format!("{left} Pods")),
        })
    })
    .await
}
