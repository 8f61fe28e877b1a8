//! Tests an operator that OLM installs on a node. An Operator adopts it, and upgrades it under
//! load.

use std::fs;

use kube::api::DynamicObject;
use portolan_rig::{Failure, Kind, Operator, until_object};
use serde_json::json;

use super::container::only_container;
use super::load::Load;
use super::releases::{WITH_FAILURES, ferry, inline_catalog};
use super::stage::olm_node_world;
use crate::objects::make;
use crate::operators::adopted::wharf::{HOME, Wharf};
use crate::operators::stage::harbor_of;

/// The container that OLM started keeps running while the operator is adopted. The upgrade then
/// adds an API version with a conversion webhook. During the upgrade, no read and no write fails in
/// the version that clients use.
#[tokio::test]
#[ignore = "upgrades under load and a webhook behind kube-proxy: just soak"]
async fn adopted_container_keeps_running_and_its_upgrade_fails_no_request() -> Result<(), Failure> {
    let Some(world) = olm_node_world("adopted").await? else {
        return Ok(());
    };
    let text = inline_catalog(world.cluster(), &WITH_FAILURES).await?;
    let harbor = harbor_of(world, Vec::new()).await?;
    let folder = harbor.catalog_folder();
    fs::write(folder.join("catalog.yaml"), text).map_err(Failure::touch("write a catalog"))?;
    let cluster = harbor.world().cluster();
    // The adoption deletes objects of OLM as the ServiceAccount of the adopting plan.
    cluster.allow_foreign_deletes(harbor.home());
    let catalog = cluster.catalog("olm", "demo", &folder).await?;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}});
    let group = json!({
        "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "group", "namespace": HOME}, "spec": {},
    });
    for object in [namespace, group] {
        harbor.make(&object).await?;
    }
    let client = harbor.client().clone();
    let olm = Operator::of(&client, HOME, "ferry");
    olm.subscribe(&catalog, "stable", Some("ferry.v1.0.0"))
        .await?;
    olm.install("ferry.v1.0.0").await?;
    olm.until_phase("ferry.v1.0.0", "Succeeded").await?;
    let wharf = Wharf::of(harbor, catalog);
    make(
        &client,
        &ferry(HOME, "dover", "v1alpha1", json!({"seats": 12})),
    )
    .await?;
    let timetables = Kind::ConfigMap.within(&client, HOME);
    let is_there = |map: &DynamicObject| map.data["data"]["seats"] == "12";
    until_object(&timetables, "dover-timetable", "the seats", is_there).await?;

    let before = only_container(&client, HOME).await?;
    wharf.portolan_until_success(&["adopt", "ferry"]).await?;
    wharf.until_step("ferry", "Adopted").await?;
    wharf.is_left_by_olm().await?;
    assert_eq!(only_container(&client, HOME).await?, before);

    let load = Load::start(&client, HOME, "dover");
    let next = json!({
        "adopt": true, "version": "1.3.0", "settleSeconds": 0, "namespace": HOME,
        "approval": "Automatic",
    });
    wharf.harbor.operator("ferry", next).await?;
    wharf.harbor.until_installed("ferry", "1.3.0").await?;
    let installed = load.tally();
    load.until_a_hundred_more().await?;
    let tally = load.tally();
    println!(
        "node: {:?} requests during the upgrade, {} failed in v1 before its webhook ran",
        tally.succeeded,
        tally.failures("v1").len()
    );
    assert_eq!(tally.failures("v1alpha1"), [""; 0]);
    // When the Operator is ready, clients can also use the new version.
    assert_eq!(tally.failures("v1"), installed.failures("v1"));
    assert_ne!(only_container(&client, HOME).await?.image, before.image);
    Ok(())
}
