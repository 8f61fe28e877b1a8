//! Tests of policies that arrive late, contradict each other, or are invalid.

use portolan_kit::catalog;
use portolan_rig::Failure;
use serde_json::json;

use super::policy::{design, policy};
use super::stage::stage;

#[tokio::test]
async fn late_policy_changes_the_review() -> Result<(), Failure> {
    let Some(mut stage) = stage("late").await? else {
        return Ok(());
    };
    let _served = stage.serve(&catalog("hull: 1.0.0").installable()).await?;
    stage.subscribe(&["hull"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = stage.plan(&["hull.v1.0.0"]).await?;
    let allowed = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
    ];
    let hull = policy("hull");
    stage
        .watcher
        .reports(&plan, &allowed, stage.author.write(&hull))
        .await?;
    let held_back = [
        "RequiresApproval, waits: No, PolicyOverlaps of hull, PolicyOverlaps of late",
        "hull.v1.0.0 of hull for hull: No, PolicyOverlaps of hull, PolicyOverlaps of late; \
         fix hull: spec.remediationAction inform; fix late: spec.remediationAction inform",
    ];
    let late = policy("hull").called("late").allows(&["hull.v2.0.0"]);
    stage
        .watcher
        .reports(&plan, &held_back, stage.author.write(&late))
        .await?;
    let gone = stage
        .author
        .editor
        .delete(portolan_rig::Kind::OperatorPolicy, "late");
    stage.watcher.reports(&plan, &allowed, gone).await?;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}

#[tokio::test]
async fn ignored_policies_are_named() -> Result<(), Failure> {
    let Some(mut stage) = stage("odd").await? else {
        return Ok(());
    };
    let offered = catalog("hull: 1.0.0; keel: 1.0.0; mast: 1.0.0").installable();
    let _served = stage.serve(&offered).await?;
    let policies = [
        policy("hull").called("one"),
        design("hull", &["*"]).called("two"),
        policy("keel").asks("catalog", "fleet".into()),
        policy("mast").with("versions", json!(["mast.v1.0.0", "{{ fromConfigMap }}"])),
    ];
    for policy in &policies {
        stage.author.write(policy).await?;
    }
    stage.subscribe(&["hull", "keel", "mast"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = stage
        .plan(&["hull.v1.0.0", "keel.v1.0.0", "mast.v1.0.0"])
        .await?;
    let none = [
        "RequiresApproval, waits: No, PolicyInvalid of keel, PolicyInvalid of mast, \
         PolicyOverlaps of one, PolicyOverlaps of two",
        "hull.v1.0.0 of hull for hull: No, PolicyOverlaps of one, PolicyOverlaps of two; \
         fix one: spec.remediationAction inform; fix two: spec.remediationAction inform",
        "keel.v1.0.0 of keel for keel: No, PolicyInvalid of keel; fix keel: spec ",
        "mast.v1.0.0 of mast for mast: No, PolicyInvalid of mast; fix mast: spec ",
    ];
    let review = stage.watcher.until(&plan, &none).await;
    for reason in review
        .verdict
        .into_iter()
        .flat_map(|verdict| verdict.reasons)
    {
        println!("{}", reason.message);
    }
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}
