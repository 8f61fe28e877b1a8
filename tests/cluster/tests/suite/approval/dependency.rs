//! Tests with a dependency that OLM installs for another operator.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::policy::{design, policy};
use super::stage::{Stage, stage};

const TENDER: &str = "tender.v1.0.0";
const GENERATED: &str = "hull-stable-fleet-here";

#[tokio::test]
async fn only_the_established_form_allows_dependencies() -> Result<(), Failure> {
    let Some(mut stage) = stage("needs").await? else {
        return Ok(());
    };
    let first = catalog("tender: 1.0.0 requires hull >=1.0.0; hull: 1.0.0").installable();
    let second = catalog("tender: 1.0.0 requires hull >=1.0.0; hull: 1.0.0 -> 1.1.0");
    let mut served = stage.serve(&first).await?;
    stage.subscribe(&["tender"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = stage.plan(&["hull.v1.0.0", TENDER]).await?;
    is_installed(&mut stage, &plan).await?;

    let newer = second.installable().temp();
    served.catalog.serve(&newer).await?;
    let plan = stage.plan(&["hull.v1.1.0"]).await?;
    is_updated(&mut stage, &plan).await?;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}

async fn is_installed(stage: &mut Stage, plan: &str) -> Result<(), Failure> {
    let strict = [
        "RequiresApproval, waits: No, DependencyNotAllowed of tender",
        "hull.v1.0.0 of hull: No, DependencyNotAllowed of tender; \
         fix a new policy: spec.subscription.name hull",
        "tender.v1.0.0 of tender for tender: Yes, by tender: tender.v1.0.0",
    ];
    let by_design = design("tender", &[TENDER]);
    stage
        .watcher
        .reports(plan, &strict, stage.author.write(&by_design))
        .await?;
    let lenient = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull: Yes, by tender: tender.v1.0.0, needed by tender.v1.0.0",
        "tender.v1.0.0 of tender for tender: Yes, by tender: tender.v1.0.0",
    ];
    let established = policy("tender").allows(&[TENDER]);
    let replaced = stage.author.replace(&established);
    stage.watcher.reports(plan, &lenient, replaced).await?;
    stage.approve(plan).await?;
    let tender = stage.world.operator("tender");
    tender.until_phase("hull.v1.0.0", "Succeeded").await?;
    tender.until_phase(TENDER, "Succeeded").await
}

/// The Subscription that OLM generated for the dependency requests an upgrade. If the namespace had
/// only this Subscription, OLM would approve the upgrade automatically.
async fn is_updated(stage: &mut Stage, plan: &str) -> Result<(), Failure> {
    let lenient = [
        "RequiresApproval, waits: Yes",
        &format!(
            "hull.v1.1.0 of hull for {GENERATED} after hull.v1.0.0: Yes, \
             by tender: tender.v1.0.0, needed by tender.v1.0.0"
        ),
        "remark: ForcedManual of the plan",
    ];
    stage.watcher.until(plan, &lenient).await;
    let strict = [
        "RequiresApproval, waits: No, DependencyNotAllowed of tender",
        &format!(
            "hull.v1.1.0 of hull for {GENERATED} after hull.v1.0.0: No, \
             DependencyNotAllowed of tender; fix a new policy: spec.subscription.name hull"
        ),
        "remark: ForcedManual of the plan",
    ];
    let by_design = design("tender", &[TENDER]);
    let replaced = stage.author.replace(&by_design);
    stage.watcher.reports(plan, &strict, replaced).await?;
    // The review recommends a separate policy for the dependency. The test creates it.
    let allowed = [
        "RequiresApproval, waits: Yes",
        &format!("hull.v1.1.0 of hull for {GENERATED} after hull.v1.0.0: Yes, by hull: *"),
        "remark: ForcedManual of the plan",
    ];
    let hull = policy("hull");
    let written = stage.author.write(&hull);
    stage.watcher.reports(plan, &allowed, written).await?;
    // OLM may have changed the plan since the review.
    stage.approve(plan).await?;
    let tender = stage.world.operator("tender");
    tender.until_phase("hull.v1.1.0", "Succeeded").await
}
