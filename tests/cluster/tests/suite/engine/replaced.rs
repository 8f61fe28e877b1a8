//! Tests with plans that replace other plans.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube::Api;
use kube::api::DynamicObject;
use portolan_kit::assert_same;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, stage};

/// Creates a plan that replaces another plan.
async fn replaces(
    engine: &Engine,
    [name, old]: [&str; 2],
    resources: &[Value],
) -> Result<(), Failure> {
    let spec = json!({
        "serviceAccountName": INSTALLER,
        "replaces": [{"name": old}],
        "stages": [stage("all", resources)],
    });
    engine.plan_of(name, spec).await
}

/// Waits until only these ConfigMaps exist, with these values.
async fn until_left(engine: &Engine, wanted: &[(&str, &str)]) -> Result<(), Failure> {
    let maps = Kind::ConfigMap.within(engine.client(), engine.namespace());
    let wanted: BTreeMap<_, _> = wanted
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!({"value": value})))
        .collect();
    until(format!("{wanted:?}"), PATIENCE, async || {
        let all = maps.list(&kube::api::ListParams::default()).await?.items;
        let left: BTreeMap<_, _> = all
            .into_iter()
            .filter_map(|map| Some((map.metadata.name?, map.data["data"].clone())))
            .filter(|(name, _)| name != "kube-root-ca.crt")
            .collect();
        Ok(if left == wanted {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{left:?}"))
        })
    })
    .await
}

/// Reads an object again and again. Returns how often the object was missing.
async fn absences(maps: Api<DynamicObject>, name: &'static str, stop: Arc<AtomicBool>) -> usize {
    let mut absences = 0;
    while !stop.load(Ordering::Relaxed) {
        if matches!(maps.get_opt(name).await, Ok(None)) {
            absences += 1;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    absences
}

/// Each of three versions replaces the previous version. Objects that two versions share always
/// exist, and are not written. Objects that a version no longer contains are deleted. Fields that a
/// version no longer contains are removed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_kept_when_a_new_version_takes_them_over() -> Result<(), Failure> {
    let Some(engine) = engine("pl-next").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = |name, value| config_map([engine.namespace(), name], value);
    let mut wide = map("changed", "1");
    wide["data"]["gone"] = json!("soon");
    let first = [map("shared", "1"), wide, map("dropped", "1")];
    engine.plan("a", json!([stage("all", &first)])).await?;
    engine.until_ready("a").await?;
    let shared = engine.object(&first[0]).await?.expect("the object");

    let stop = Arc::new(AtomicBool::new(false));
    let maps = Kind::ConfigMap.within(engine.client(), engine.namespace());
    let looking = tokio::spawn(absences(maps, "shared", stop.clone()));
    let second = [map("shared", "1"), map("changed", "2"), map("added", "1")];
    replaces(&engine, ["b", "a"], &second).await?;
    engine.until_ready("b").await?;
    until_left(
        &engine,
        &[("shared", "1"), ("changed", "2"), ("added", "1")],
    )
    .await?;
    engine
        .until("a", ["Replaced", "True", "HandedOver"])
        .await?;
    assert_eq!(engine.status("a").await?["phase"], "Superseded");

    let third = [map("shared", "1"), map("changed", "3")];
    replaces(&engine, ["c", "b"], &third).await?;
    engine.until_ready("c").await?;
    until_left(&engine, &[("shared", "1"), ("changed", "3")]).await?;
    stop.store(true, Ordering::Relaxed);
    let absent = looking
        .await
        .map_err(Failure::read("the task that reads"))?;
    assert_eq!(absent, 0, "a shared object is never missing");

    let left = engine.object(&first[0]).await?.expect("the object");
    assert_same!(
        left.metadata.resource_version,
        shared.metadata.resource_version
    );
    let lineage = engine.status("c").await?["lineage"].clone();
    let plan = engine.plans().get("a").await?;
    assert_eq!(lineage, json!(plan.metadata.uid));

    for name in ["a", "b"] {
        engine.delete_plan(name).await?;
        engine.until_gone(name).await?;
    }
    until_left(&engine, &[("shared", "1"), ("changed", "3")]).await
}

/// A version that never becomes ready deletes no objects. When this version is deleted, the earlier
/// plan gets back all objects.
#[tokio::test]
async fn deleting_failed_version_returns_objects_to_previous_plan() -> Result<(), Failure> {
    let Some(engine) = engine("pl-back").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = |name, value| config_map([engine.namespace(), name], value);
    let old = [map("shared", "1"), map("dropped", "1")];
    engine.plan("old", json!([stage("all", &old)])).await?;
    engine.until_ready("old").await?;

    let mut pod = super::stage::manifest("v1", "Pod", [engine.namespace(), "never"]);
    pod["spec"] = json!({
        "nodeSelector": {"nowhere": "at-all"},
        "containers": [{"name": "main", "image": "ferry.test/ferry:1"}],
    });
    let new = [map("shared", "2"), pod.clone()];
    let spec = json!({
        "serviceAccountName": INSTALLER,
        "replaces": [{"name": "old"}],
        "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [stage("all", &new)],
    });
    engine.plan_of("new", spec).await?;
    until_left(&engine, &[("shared", "2"), ("dropped", "1")]).await?;
    engine
        .until("old", ["Replaced", "True", "HandingOver"])
        .await?;

    engine.delete_plan("new").await?;
    engine.until_gone("new").await?;
    engine.until_ready("old").await?;
    until_left(&engine, &[("shared", "1"), ("dropped", "1")]).await?;
    assert!(
        engine.object(&pod).await?.is_none(),
        "its own object is deleted"
    );
    Ok(())
}

/// If two plans replace the same plan, only the older one is carried out.
#[tokio::test]
async fn older_of_two_replacing_plans_is_applied() -> Result<(), Failure> {
    let Some(engine) = engine("pl-rivals").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = |value| [config_map([engine.namespace(), "one"], value)];
    engine.plan("old", json!([stage("all", &map("1"))])).await?;
    engine.until_ready("old").await?;
    replaces(&engine, ["first", "old"], &map("2")).await?;
    engine.until_ready("first").await?;
    // Creation timestamps have a resolution of one second.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    replaces(&engine, ["second", "old"], &map("3")).await?;
    let message = engine
        .until("second", ["Valid", "False", "AlreadyReplaced"])
        .await?;
    assert!(message.contains("first"), "{message}");
    until_left(&engine, &[("one", "2")]).await
}

/// One plan replaces two plans. Objects that the new plan contains are kept, and all other objects
/// are deleted. The deletion of the new plan deletes all its objects. If the new plan fails
/// instead, each old plan gets back its objects.
#[tokio::test]
async fn plan_merges_the_lineages_of_two_plans() -> Result<(), Failure> {
    let Some(engine) = engine("pl-merge").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = |name, value| config_map([engine.namespace(), name], value);
    let plan_of = async |name: &str, replaces: &[&str], maps: &[Value]| {
        let replaces: Vec<_> = replaces.iter().map(|old| json!({"name": old})).collect();
        let spec = json!({
            "serviceAccountName": INSTALLER,
            "replaces": replaces,
            "lifecycle": {"onPlanDeletion": "Delete"},
            "stages": [stage("all", maps)],
        });
        engine.plan_of(name, spec).await
    };
    let mut wide = map("b-changed", "1");
    wide["data"]["gone"] = json!("soon");
    let first = [map("a-same", "1"), map("a-dropped", "1")];
    let second = [map("b-same", "1"), wide, map("b-dropped", "1")];
    plan_of("a", &[], &first).await?;
    plan_of("b", &[], &second).await?;
    engine.until_ready("a").await?;
    engine.until_ready("b").await?;
    let seen = async |manifest: &Value| {
        let object = engine.object(manifest).await?.expect("the object");
        let metadata = object.metadata;
        let labels = metadata.labels.unwrap_or_default();
        let lineage = labels.get("plans.portolan.dev/lineage").cloned();
        Ok::<_, Failure>((metadata.uid, metadata.resource_version, lineage))
    };
    let before = [seen(&first[0]).await?, seen(&second[0]).await?];
    let (changed, _, lineage) = seen(&second[1]).await?;

    let all = [
        map("a-same", "1"),
        map("b-same", "1"),
        map("b-changed", "2"),
        map("added", "1"),
    ];
    plan_of("both", &["a", "b"], &all).await?;
    engine.until_ready("both").await?;
    for name in ["a", "b"] {
        let handed_over = ["Replaced", "True", "HandedOver"];
        engine.until(name, handed_over).await?;
    }
    let merged = [
        ("a-same", "1"),
        ("b-same", "1"),
        ("b-changed", "2"),
        ("added", "1"),
    ];
    until_left(&engine, &merged).await?;
    let after = [seen(&first[0]).await?, seen(&second[0]).await?];
    assert_same!(after, before);
    let (uid, _, of) = seen(&second[1]).await?;
    assert_same!((uid, of), (changed, lineage));

    // An object that was created again still belongs to the plan that had it before. That plan gets
    // it back together with the other objects.
    engine.delete_plan("both").await?;
    engine.until_gone("both").await?;
    engine.until_ready("a").await?;
    engine.until_ready("b").await?;
    for manifest in first.iter().chain(&second) {
        let object = engine.object(manifest).await?.expect("the object");
        assert_same!(object.data["data"], manifest["data"]);
    }
    assert!(engine.object(&all[3]).await?.is_none());

    // This time the merge is completed and not undone.
    plan_of("again", &["a", "b"], &all).await?;
    engine.until_ready("again").await?;
    until_left(&engine, &merged).await?;
    for name in ["a", "b", "again"] {
        engine.delete_plan(name).await?;
        engine.until_gone(name).await?;
    }
    until_left(&engine, &[]).await
}

/// One plan would replace two plans. If its ServiceAccount lacks permissions for objects of one of
/// them, it takes over no objects. A plan in another namespace cannot be named.
#[tokio::test]
async fn plan_without_permission_merges_no_lineage() -> Result<(), Failure> {
    let Some(engine) = engine("pl-steal").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = |name, value| config_map([engine.namespace(), name], value);
    for name in ["a", "b"] {
        engine
            .plan(name, json!([stage("all", &[map(name, "1")])]))
            .await?;
        engine.until_ready(name).await?;
    }
    let namespace = engine.namespace();
    engine
        .make(
            &json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
                "name": "weak", "namespace": namespace,
            }}),
        )
        .await?;
    let spec = json!({
        "serviceAccountName": "weak",
        "collisions": "Adopt",
        "replaces": [{"name": "a"}, {"name": "b"}, {"name": "of-another-namespace"}],
        "stages": [stage("all", &[map("a", "2")])],
    });
    engine.plan_of("thief", spec).await?;
    let missing = ["Permitted", "False", "PermissionMissing"];
    let message = engine.until("thief", missing).await?;
    // The plan lacks the permission to write one object, and the permission to delete the other
    // object.
    let has_both = message.contains("delete") && message.contains("patch");
    assert!(has_both, "{message}");
    for name in ["a", "b"] {
        engine.until(name, ["Ready", "True", "AllReady"]).await?;
    }
    until_left(&engine, &[("a", "1"), ("b", "1")]).await
}
