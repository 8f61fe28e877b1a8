//! Tests a catalog whose registry stops during an upgrade.

use portolan_kit::{assert_same, catalog};
use portolan_rig::Failure;
use serde_json::json;

use super::stage::stage;
use crate::approval::policy::design;

const PACKAGE: &str = "carrack";
const ALL: [&str; 3] = ["carrack.v1.0.0", "carrack.v1.1.0", "carrack.v1.2.0"];
const OF: &str = "CatalogSourcesUnhealthy";

/// The policy reports that the catalog does not respond. An existing InstallPlan needs no catalog,
/// so it can still be approved and carried out. Later upgrades continue when the catalog is
/// available again.
#[tokio::test]
async fn reports_dead_catalog_and_still_approves_existing_plan() -> Result<(), Failure> {
    let offered = catalog("carrack: 1.0.0 -> 1.1.0 -> 1.2.0").installable();
    let Some(mut stage) = stage("adrift", &offered).await? else {
        return Ok(());
    };
    stage
        .write(&stage.at_home(design(PACKAGE, &ALL[..1])))
        .await?;
    let waits = [
        "installed: carrack.v1.0.0",
        "next: carrack.v1.1.0",
        "compliant: Compliant",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
    ];
    stage.until_status(PACKAGE, &waits).await?;

    let address = stage.catalog.address().expect("it must be served");
    stage.catalog.stop()?;
    let name = format!("{}/fleet", stage.world.namespace());
    let dead = format!(
        "CatalogSource {name} is unhealthy: The registry of CatalogSource {name} at {address} cannot \
         be reached: connection refused"
    );
    stage.explains(PACKAGE, OF, &dead).await?;
    let unhealthy = "CatalogSourcesUnhealthy True CatalogSourcesFoundUnhealthy";
    let still = [&waits[..], &[unhealthy]].concat();
    stage.until_status(PACKAGE, &still).await?;
    assert_eq!(stage.wrote("installplans")?.len(), 1);

    stage
        .rewrite(PACKAGE, json!({"allowedCSVs": ALL[..2]}))
        .await?;
    let upgraded = [
        "installed: carrack.v1.1.0",
        "compliant: Compliant",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        unhealthy,
    ];
    stage.until_status(PACKAGE, &upgraded).await?;

    stage.catalog.serve(&offered.temp()).await?;
    let well = format!("CatalogSource {name} is healthy");
    stage.explains(PACKAGE, OF, &well).await?;
    stage.rewrite(PACKAGE, json!({"allowedCSVs": ALL})).await?;
    let done = [
        "installed: carrack.v1.2.0",
        "next: ",
        "compliant: Compliant",
        "CatalogSourcesUnhealthy False CatalogSourcesFound",
        "ClusterServiceVersionCompliant True InstallSucceeded",
    ];
    stage.until_status(PACKAGE, &done).await?;
    let all = [
        "create operatorgroups",
        "patch operatorgroups",
        "create subscriptions",
        "patch subscriptions",
        "patch installplans",
        "patch installplans",
        "patch installplans",
    ];
    assert_same!(stage.olm_writes()?, all.map(str::to_owned).to_vec());
    Ok(())
}
