//! Fields that an API server never lets change.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, deployment, engine, stage};

/// The next version of a plan, with another selector of a Deployment.
fn next(namespace: &str, lifecycle: Value) -> Value {
    let mut all = stage("all", &[deployment([namespace, "ferry"], "other")]);
    all["resources"][0]["lifecycle"] = lifecycle;
    json!({"serviceAccountName": INSTALLER, "replaces": [{"name": "ferry-1"}], "stages": [all]})
}

async fn first(engine: &Engine) -> Result<(), Failure> {
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let stages = json!([stage("all", &[deployment([namespace, "ferry"], "ferry")])]);
    engine.plan("ferry-1", stages).await?;
    engine.until_ready("ferry-1").await
}

/// Nothing is written of a plan that wants such a change, and the one before it goes on.
#[tokio::test]
async fn a_change_that_cannot_be_is_told_before_anything_is_written() -> Result<(), Failure> {
    let Some(engine) = engine("pl-immutable").await? else {
        return Ok(());
    };
    first(&engine).await?;
    engine
        .plan_of("ferry-2", next(engine.namespace(), json!({})))
        .await?;
    let told = engine
        .until("ferry-2", ["Valid", "False", "ServerRefuses"])
        .await?;
    assert!(told.contains("field is immutable"), "{told}");
    engine.until_ready("ferry-1").await?;
    Ok(())
}

/// An object that a plan before it made is made again where its resource says so, and one whose
/// manifest is wrong stays.
#[tokio::test]
async fn an_object_is_made_again_where_its_resource_says_so() -> Result<(), Failure> {
    let Some(engine) = engine("pl-immutable-new").await? else {
        return Ok(());
    };
    first(&engine).await?;
    let namespace = engine.namespace();
    let at = deployment([namespace, "ferry"], "ferry");
    let old = engine.object(&at).await?.expect("it is there");
    let mut wrong = next(namespace, json!({"onImmutable": "Recreate"}));
    wrong["stages"][0]["resources"][0]["manifest"]["spec"]["template"]["spec"]["containers"] =
        json!([]);
    engine.plan_of("ferry-2", wrong).await?;
    engine
        .until("ferry-2", ["Valid", "False", "ServerRefuses"])
        .await?;
    let still = engine.object(&at).await?.expect("it is there");
    assert_eq!(still.metadata.uid, old.metadata.uid);
    engine.delete_plan("ferry-2").await?;
    engine.until_gone("ferry-2").await?;

    let right = next(namespace, json!({"onImmutable": "Recreate"}));
    engine.plan_of("ferry-3", right).await?;
    engine.until_ready("ferry-3").await?;
    let new = engine.object(&at).await?.expect("it is there");
    assert_ne!(new.metadata.uid, old.metadata.uid);
    assert_eq!(new.data["spec"]["selector"]["matchLabels"]["app"], "other");
    Ok(())
}
