//! Tests with old InstallPlans, which OLM keeps when it creates newer plans.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::policy::policy;
use super::stage::stage;

#[tokio::test]
async fn older_plan_counts_while_its_bundle_is_current() -> Result<(), Failure> {
    let Some(mut stage) = stage("stale").await? else {
        return Ok(());
    };
    let text = "hull: 1.0.0; mast: 1.0.0; keel: 1.0.0";
    let mut served = stage.serve(&catalog(text).installable()).await?;
    stage.author.write(&policy("hull")).await?;
    stage.subscribe(&["hull"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let older = stage.plan(&["hull.v1.0.0"]).await?;
    let alone = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
    ];
    stage.watcher.until(&older, &alone).await;

    stage.subscribe(&["mast"], "Manual").await?;
    let newer = stage.plan(&["hull.v1.0.0", "mast.v1.0.0"]).await?;
    let not_allowed = [
        "RequiresApproval, waits: No, NoPolicy of mast.v1.0.0",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
        "mast.v1.0.0 of mast for mast: No, NoPolicy of mast.v1.0.0; \
         fix a new policy: spec.subscription.name mast",
    ];
    stage.watcher.until(&newer, &not_allowed).await;
    stage.watcher.until(&older, &alone).await;

    let both_allowed = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
        "mast.v1.0.0 of mast for mast: Yes, by mast: *",
    ];
    let mast = policy("mast");
    let written = stage.author.write(&mast);
    stage
        .watcher
        .reports(&newer, &both_allowed, written)
        .await?;
    stage.watcher.until(&older, &alone).await;

    let folder = catalog("hull: 1.0.0 -> 1.1.0; mast: 1.0.0; keel: 1.0.0")
        .installable()
        .temp();
    served.catalog.serve(&folder).await?;
    stage.subscribe(&["keel"], "Manual").await?;
    let newest = stage
        .plan(&["hull.v1.1.0", "keel.v1.0.0", "mast.v1.0.0"])
        .await?;
    let superseded =
        format!("RequiresApproval, waits: No, Superseded of {newest}, Superseded of hull");
    stage.watcher.until(&older, &[&superseded, alone[1]]).await;
    let [_, hull, mast] = both_allowed;
    stage
        .watcher
        .until(&newer, &[&superseded, hull, mast])
        .await;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}
