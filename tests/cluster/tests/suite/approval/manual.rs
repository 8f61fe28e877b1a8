//! Tests that a Manual Subscription blocks the other Subscriptions in its namespace.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::policy::policy;
use super::stage::stage;

#[tokio::test]
async fn single_manual_subscription_makes_all_plans_of_a_namespace_wait() -> Result<(), Failure> {
    let Some(mut stage) = stage("forced").await? else {
        return Ok(());
    };
    let _served = stage
        .serve(&catalog("hull: 1.0.0; mast: 1.0.0").installable())
        .await?;
    stage.subscribe(&["hull"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let first = stage.plan(&["hull.v1.0.0"]).await?;
    stage.author.write(&policy("hull")).await?;
    let by_hand = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
    ];
    stage.watcher.until(&first, &by_hand).await;
    stage.approve(&first).await?;
    stage
        .world
        .operator("hull")
        .until_phase("hull.v1.0.0", "Succeeded")
        .await?;

    stage.subscribe(&["mast"], "Automatic").await?;
    let second = stage.plan(&["mast.v1.0.0"]).await?;
    let forced = [
        "RequiresApproval, waits: No, NoPolicy of mast.v1.0.0",
        "mast.v1.0.0 of mast for mast: No, NoPolicy of mast.v1.0.0; \
         fix a new policy: spec.subscription.name mast",
        "remark: ForcedManual of the plan",
    ];
    let review = stage.watcher.until(&second, &forced).await;
    let remark = review.remarks.first().map(|remark| remark.message.as_str());
    let whose = "Subscription mast has automatic approval, but waits because Subscription hull in \
                 the same namespace is Manual";
    assert_eq!(remark, Some(whose));
    let allowed = [
        "RequiresApproval, waits: Yes",
        "mast.v1.0.0 of mast for mast: Yes, by mast: *",
        "remark: ForcedManual of the plan",
    ];
    let mast = policy("mast");
    stage
        .watcher
        .reports(&second, &allowed, stage.author.write(&mast))
        .await?;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}
