//! Tests bundles that OLM installs and upgrades, and the health that OLM reports.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, until_field, until_gone, until_object};

use crate::world;

#[tokio::test]
async fn bundle_is_installed_and_upgraded_after_approval() -> Result<(), Failure> {
    let Some(world) = world("upgrades").await? else {
        return Ok(());
    };
    let folder = catalog("cart: 1.0.0 -> 1.1.0").installable().temp();
    let served = world.catalog("fleet", &folder).await?;
    let cart = world.operator("cart");
    let versions = Kind::ClusterServiceVersion.within(world.client(), world.namespace());
    cart.subscribe(&served, "stable", Some("cart.v1.0.0"))
        .await?;

    let plan = cart.plan("cart.v1.0.0").await?;
    assert!(
        versions.get_opt("cart.v1.0.0").await?.is_none(),
        "nothing may be installed before the plan is approved"
    );
    cart.approve(&plan).await?;
    cart.until_phase("cart.v1.0.0", "Succeeded").await?;
    let deployments = Kind::Deployment.within(world.client(), world.namespace());
    until_field(&deployments, "cart", "/status/availableReplicas", 1).await?;

    cart.install("cart.v1.1.0").await?;
    until_gone(&versions, "cart.v1.0.0").await
}

#[tokio::test]
async fn csv_phase_follows_health_of_its_deployment() -> Result<(), Failure> {
    let Some(world) = world("health").await? else {
        return Ok(());
    };
    let folder = catalog("drum: 1.0.0").installable().temp();
    let served = world.catalog("fleet", &folder).await?;
    let drum = world.operator("drum");
    drum.subscribe(&served, "stable", None).await?;
    drum.install("drum.v1.0.0").await?;
    let versions = Kind::ClusterServiceVersion.within(world.client(), world.namespace());
    let deployments = Kind::Deployment.within(world.client(), world.namespace());

    world.pods().crash_looping("operator=drum").await?;
    until_field(&deployments, "drum", "/status/unavailableReplicas", 1).await?;
    until_object(&versions, "drum.v1.0.0", "no longer Succeeded", |version| {
        version.data["status"]["phase"] != "Succeeded"
    })
    .await?;

    world.pods().ready("operator=drum").await?;
    until_field(&deployments, "drum", "/status/availableReplicas", 1).await?;
    drum.until_phase("drum.v1.0.0", "Succeeded").await
}
