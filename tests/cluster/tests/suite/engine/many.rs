//! Tests how many requests read the objects of plans with many objects of the same kind.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, stage};

/// A number of objects for which the controller sends one list request instead of many get
/// requests.
const MANY: usize = 30;

/// Returns this many ConfigMaps.
fn maps(engine: &Engine) -> Vec<Value> {
    let names = (0..MANY).map(|place| format!("map-{place}"));
    names
        .map(|name| config_map([engine.namespace(), &name], "1"))
        .collect()
}

/// Returns the number of requests with this verb for ConfigMaps that were sent as the
/// ServiceAccount of the plan.
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

/// If the ConfigMaps can be listed, no single ConfigMap is read by its own request, neither before
/// it is created nor after a controller has started.
#[tokio::test]
async fn many_objects_are_read_by_few_lists() -> Result<(), Failure> {
    let Some(mut engine) = engine("pl-listed").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let all = maps(&engine);
    // An object of another owner is detected among them.
    engine.make(&all[3]).await?;
    engine.plan("ferry", json!([stage("all", &all)])).await?;
    let refused = ["Applied", "False", "ObjectNotOwned"];
    let message = engine.until("ferry", refused).await?;
    assert!(message.contains("map-3"), "{message}");
    assert!(asked(&engine, "get")? < MANY / 2);
    engine.delete(&all[3]).await?;
    engine.until_ready("ferry").await?;
    let gets = asked(&engine, "get")?;
    println!(
        "engine: {MANY} objects: {gets} single reads, {} lists",
        asked(&engine, "list")?
    );
    assert!(gets < MANY / 2, "{gets} single reads");

    engine.stop();
    engine.start().await?;
    engine.delete(&all[7]).await?;
    let message = engine
        .until("ferry", ["Ready", "False", "MembersNotReady"])
        .await?;
    assert!(message.contains("map-7 is gone"), "{message}");
    let again = asked(&engine, "get")? - gets;
    println!("engine: {again} single reads by the next controller");
    assert!(again < MANY / 2, "{again} single reads");
    Ok(())
}

/// If the ConfigMaps cannot be listed, each of them is read by a separate request.
#[tokio::test]
async fn objects_are_read_individually_without_the_permission_to_list() -> Result<(), Failure> {
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

/// Returns the numbers of requests for ConfigMaps that were sent as the ServiceAccount of the plan:
/// dry runs, writes, single reads and lists.
fn requests(engine: &Engine) -> Result<[usize; 4], Failure> {
    let namespace = engine.namespace();
    let asked = engine.asked()?.within(namespace).of("configmaps");
    let asked = asked.only(|record| record.acting_as == engine.installer());
    let count = |verbs: &[&str], is_dry_run: bool| {
        let records = asked.records().iter();
        let counted =
            records.filter(|it| it.is_dry_run == is_dry_run && verbs.contains(&it.verb.as_str()));
        counted.count()
    };
    let writes = ["patch", "create", "update", "delete"];
    Ok([
        count(&writes, true),
        count(&writes, false),
        count(&["get"], false),
        count(&["list"], false),
    ])
}

/// An object whose manifest is the same in the next version needs neither a dry run nor a write.
#[tokio::test]
async fn upgrade_writes_only_changed_objects() -> Result<(), Failure> {
    let Some(engine) = engine("pl-unchanged").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let maps = |changed: usize| -> Vec<Value> {
        let value = |place: usize| if place < changed { "2" } else { "1" };
        let map = |place: usize| config_map([namespace, &format!("map-{place}")], value(place));
        (0..100).map(map).collect()
    };
    engine.plan("one", json!([stage("all", &maps(0))])).await?;
    engine.until_at_rest("one").await?;
    let [tries, writes, gets, lists] = requests(&engine)?;
    assert_eq!((tries, writes), (100, 100));
    let spec = json!({
        "serviceAccountName": INSTALLER, "replaces": [{"name": "one"}],
        "stages": [stage("all", &maps(10))],
    });
    engine.plan_of("two", spec).await?;
    engine.until_at_rest("two").await?;
    let after = requests(&engine)?;
    let more = [
        after[0] - tries,
        after[1] - writes,
        after[2] - gets,
        after[3] - lists,
    ];
    println!(
        "engine: 100 objects, 10 changed: [dry runs, writes, single reads, lists] are {more:?}"
    );
    assert_eq!((more[0], more[1]), (10, 10), "{more:?}");
    assert!(more[2] < 10, "{more:?}");
    Ok(())
}
