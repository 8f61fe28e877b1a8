//! Tests Pods whose state a test sets.

use kube::api::PostParams;
use portolan_rig::{Failure, Kind, PATIENCE, POD_STATE, PodState, Seen, World, until, until_field};
use serde_json::{Value, json};

use crate::world;

const READY: &str = "/status/readyReplicas";

#[tokio::test]
async fn pods_fail_and_recover_in_every_state() -> Result<(), Failure> {
    let Some(world) = world("pods").await? else {
        return Ok(());
    };
    deploy(&world, json!({})).await?;
    let deployments = Kind::Deployment.within(world.client(), world.namespace());
    until_field(&deployments, "web", READY, 2).await?;

    assert_eq!(world.pods().crash_looping("app=web").await?, 2);
    until_pods(&world, "Running", json!("CrashLoopBackOff")).await?;
    world.pods().unpullable("app=web").await?;
    until_pods(&world, "Pending", json!("ImagePullBackOff")).await?;
    world.pods().pending("app=web").await?;
    until_pods(&world, "Pending", json!("ContainerCreating")).await?;
    world.pods().unready("app=web").await?;
    until_pods(&world, "Running", Value::Null).await?;
    until_field(&deployments, "web", "/status/unavailableReplicas", 2).await?;

    world.pods().ready("app=web").await?;
    until_field(&deployments, "web", READY, 2).await.map(drop)
}

#[tokio::test]
async fn pods_start_in_the_state_of_their_template() -> Result<(), Failure> {
    let Some(world) = world("template").await? else {
        return Ok(());
    };
    deploy(&world, json!({POD_STATE: PodState::Unpullable.as_str()})).await?;
    until_pods(&world, "Pending", json!("ImagePullBackOff")).await
}

#[tokio::test]
async fn change_of_pods_without_any_pod_is_an_error() -> Result<(), Failure> {
    let Some(world) = world("none").await? else {
        return Ok(());
    };
    let nobody = world.pods().ready("app=nobody").await;
    assert!(matches!(nobody, Err(Failure::Read { .. })), "{nobody:?}");
    Ok(())
}

async fn deploy(world: &World, annotations: Value) -> Result<(), Failure> {
    let labels = json!({"app": "web"});
    let body = json!({"spec": {
        "replicas": 2,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels, "annotations": annotations},
            "spec": {"containers": [{"name": "web", "image": "registry.example/web:v1"}]},
        },
    }});
    let deployment = Kind::Deployment.object("web", body)?;
    Kind::Deployment
        .within(world.client(), world.namespace())
        .create(&PostParams::default(), &deployment)
        .await?;
    Ok(())
}

/// Waits until both Pods are in this phase, and until their containers wait with this reason.
async fn until_pods(world: &World, phase: &str, reason: Value) -> Result<(), Failure> {
    let pods = Kind::Pod.within(world.client(), world.namespace());
    let what = format!("two pods {phase}, waiting: {reason}");
    until(what, PATIENCE, async || {
        let pods = pods.list(&Default::default()).await?.items;
        let seen: Vec<_> = pods
            .iter()
            .map(|pod| {
                let status = &pod.data["status"];
                let waiting = &status["containerStatuses"][0]["state"]["waiting"]["reason"];
                (status["phase"].clone(), waiting.clone())
            })
            .collect();
        let wanted = (json!(phase), reason.clone());
        Ok(if seen == [wanted.clone(), wanted] {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{seen:?}"))
        })
    })
    .await
}
