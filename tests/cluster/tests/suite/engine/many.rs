//! Plans of many objects of one kind: by how many requests they are looked at.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, stage};

/// Enough of them to be listed.
const MANY: usize = 30;

/// So many ConfigMaps.
fn maps(engine: &Engine) -> Vec<Value> {
    let names = (0..MANY).map(|place| format!("map-{place}"));
    names
        .map(|name| config_map([engine.namespace(), &name], "1"))
        .collect()
}

/// How often ConfigMaps were asked for in that way, as the ServiceAccount.
fn asked(engine: &Engine, verb: &str) -> Result<usize, Failure> {
    let namespace = engine.namespace();
    let asked = engine
        .asked()?
        .within(namespace)
        .of("configmaps")
        .verb(verb);
    let installer = engine.installer();
    Ok(asked.only(|record| record.acting_as == installer).len())
}

/// Where they may be listed, none of them is asked for: before it is made, and by a controller that has
/// just begun.
#[tokio::test]
async fn many_objects_are_looked_at_by_few_requests() -> Result<(), Failure> {
    let Some(mut engine) = engine("pl-listed").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let all = maps(&engine);
    // What others made is seen among them.
    engine.make(&all[3]).await?;
    engine.plan("ferry", json!([stage("all", &all)])).await?;
    let refused = ["Applied", "False", "CollisionRefused"];
    let told = engine.until("ferry", refused).await?;
    assert!(told.contains("map-3"), "{told}");
    assert!(asked(&engine, "get")? < MANY / 2);
    engine.delete(&all[3]).await?;
    engine.until_ready("ferry").await?;
    let gets = asked(&engine, "get")?;
    println!(
        "engine: {MANY} objects: {gets} looks at one, {} lists",
        asked(&engine, "list")?
    );
    assert!(gets < MANY / 2, "{gets} looks at one object");

    engine.stop();
    engine.start().await?;
    engine.delete(&all[7]).await?;
    let told = engine
        .until("ferry", ["Ready", "False", "MembersNotReady"])
        .await?;
    assert!(told.contains("map-7 is gone"), "{told}");
    let again = asked(&engine, "get")? - gets;
    println!("engine: {again} looks at one by the next controller");
    assert!(again < MANY / 2, "{again} looks at one object");
    Ok(())
}

/// Where they may not be listed, each is asked for.
#[tokio::test]
async fn objects_that_may_not_be_listed_are_looked_at_one_by_one() -> Result<(), Failure> {
    let Some(engine) = engine("pl-unlisted").await? else {
        return Ok(());
    };
    let verbs = ["create", "get", "patch"];
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]);
    engine.allow("some", rules).await?;
    let all = maps(&engine);
    engine.make(&all[3]).await?;
    let spec = json!({
        "serviceAccountName": INSTALLER, "collisions": "IfUnowned", "stages": [stage("all", &all)],
    });
    engine.plan_of("ferry", spec).await?;
    engine.until_ready("ferry").await?;
    assert!(asked(&engine, "get")? >= MANY);
    let status = engine.status("ferry").await?;
    assert_eq!(status["counts"]["ready"], MANY);
    Ok(())
}
