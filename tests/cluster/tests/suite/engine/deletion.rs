//! What becomes of objects when their plan is deleted.

use kube::api::DynamicObject;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, manifest, stage};
use crate::permitted::until_may;

/// A plan with this lifecycle and one stage.
fn spec(lifecycle: &Value, resources: &[Value]) -> Value {
    json!({
        "serviceAccountName": INSTALLER,
        "collisions": "Adopt",
        "lifecycle": lifecycle,
        "stages": [stage("all", resources)],
    })
}

async fn names(engine: &Engine, manifests: &[Value]) -> Result<Vec<String>, Failure> {
    let mut there = Vec::new();
    for manifest in manifests {
        let object = engine.object(manifest).await?;
        there.extend(object.and_then(|object| object.metadata.name));
    }
    Ok(there)
}

/// What a plan made goes with it if it says so; what was there before stays, as does a definition with
/// whatever there is of it.
#[tokio::test]
async fn what_a_plan_made_goes_with_it_and_nothing_else() -> Result<(), Failure> {
    let Some(engine) = engine("pl-deletion").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let [theirs, ours] = ["theirs", "ours"].map(|name| config_map([namespace, name], "1"));
    engine.make(&theirs).await?;
    let claim = {
        let mut claim = manifest("v1", "PersistentVolumeClaim", [namespace, "data"]);
        claim["spec"] = json!({
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        });
        claim
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("rafts.{namespace}.test")},
        "spec": {
            "group": format!("{namespace}.test"),
            "names": {"kind": "Raft", "plural": "rafts"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object"},
            }}],
        },
    });
    let raft = manifest(&format!("{namespace}.test/v1"), "Raft", [namespace, "one"]);
    let all = [theirs, ours, claim, definition, raft];
    let lifecycle = json!({"onPlanDeletion": "Delete"});
    let mut spec = spec(&lifecycle, &all);
    // A claim that nobody mounts is never bound, and holds up no stage.
    spec["stages"][0]["waitFor"] = "Applied".into();
    engine.plan_of("all", spec).await?;
    engine
        .until("all", ["Applied", "True", "AllApplied"])
        .await?;
    let plan = engine.plans().get("all").await?;
    assert_eq!(
        plan.metadata.finalizers,
        Some(vec!["plans.portolan.dev/members".to_owned()])
    );

    engine.delete_plan("all").await?;
    engine.until_gone("all").await?;
    let left = [
        "theirs".to_owned(),
        "data".to_owned(),
        format!("rafts.{namespace}.test"),
    ];
    assert_eq!(names(&engine, &all).await?, left);
    Ok(())
}

/// A plan that keeps what it made is gone at once, whether or not anybody carries it out.
#[tokio::test]
async fn a_plan_that_keeps_what_it_made_is_gone_at_once() -> Result<(), Failure> {
    let Some(mut engine) = engine("pl-keeps").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = config_map([engine.namespace(), "kept"], "1");
    let resources = std::slice::from_ref(&map);
    engine.plan_of("keeps", spec(&json!({}), resources)).await?;
    engine.until_ready("keeps").await?;
    engine.stop();
    engine.delete_plan("keeps").await?;
    engine.until_gone("keeps").await?;
    assert_eq!(names(&engine, resources).await?, ["kept"]);
    Ok(())
}

/// A deletion that somebody holds up says who, and goes on when that is over.
#[tokio::test]
async fn who_holds_a_deletion_up_is_named() -> Result<(), Failure> {
    let Some(engine) = engine("pl-held").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let [held, free] = ["held", "free"].map(|name| config_map([engine.namespace(), name], "1"));
    let lifecycle = json!({"onPlanDeletion": "Delete"});
    let all = [held.clone(), free];
    engine.plan_of("held", spec(&lifecycle, &all)).await?;
    engine.until_ready("held").await?;
    let finalizers = |all: &[&str]| json!({"metadata": {"finalizers": all}});
    engine
        .patch(&held, finalizers(&["ferry.test/hold"]))
        .await?;

    engine.delete_plan("held").await?;
    let told = engine
        .until("held", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(told.contains("ferry.test/hold"), "{told}");
    assert_eq!(names(&engine, &all).await?, ["held"]);
    engine.patch(&held, finalizers(&[])).await?;
    engine.until_gone("held").await?;
    assert_eq!(names(&engine, &all).await?, Vec::<String>::new());
    Ok(())
}

/// Without the permission to delete nothing goes, and the plan stays, until somebody abandons it.
#[tokio::test]
async fn a_deletion_that_is_forbidden_waits_or_is_abandoned() -> Result<(), Failure> {
    let Some(engine) = engine("pl-forbidden").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let [waits, abandoned] = ["waits", "abandoned"].map(|name| config_map([namespace, name], "1"));
    let lifecycle = json!({"onPlanDeletion": "Delete"});
    for map in [&waits, &abandoned] {
        let name = map["metadata"]["name"].as_str().expect("a name");
        let spec = spec(&lifecycle, std::slice::from_ref(map));
        engine.plan_of(name, spec).await?;
        engine.until_ready(name).await?;
    }
    let role = manifest("rbac.authorization.k8s.io/v1", "Role", [namespace, "all"]);
    let rules = |verbs: &[&str]| json!({"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}]});
    engine
        .patch(&role, rules(&["get", "list", "watch", "create", "patch"]))
        .await?;
    let delete = json!({"resource": "configmaps", "verb": "delete", "namespace": namespace});
    until_may(engine.client(), &engine.installer(), delete, false).await?;

    engine.delete_plan("waits").await?;
    let told = engine
        .until("waits", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(told.contains("delete"), "{told}");
    engine.delete_plan("abandoned").await?;
    let plan = manifest(
        "plans.portolan.dev/v1alpha1",
        "InstallPlan",
        [namespace, "abandoned"],
    );
    let abandon = json!({"metadata": {"annotations": {"plans.portolan.dev/abandon": "true"}}});
    engine.patch(&plan, abandon).await?;
    engine.until_gone("abandoned").await?;
    assert_eq!(
        names(&engine, &[waits.clone(), abandoned]).await?,
        ["waits", "abandoned"]
    );

    engine.patch(&role, rules(&["*"])).await?;
    engine.until_gone("waits").await?;
    assert_eq!(names(&engine, &[waits]).await?, Vec::<String>::new());
    Ok(())
}

/// A namespace goes only with nothing in it that the plan did not make.
#[tokio::test]
async fn a_namespace_waits_for_what_others_have_in_it() -> Result<(), Failure> {
    let Some(engine) = engine("pl-inner").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let inner = format!("{}-inner", engine.namespace());
    let outer = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner}});
    let ours = config_map([&inner, "ours"], "1");
    let mut spec = spec(&json!({"onPlanDeletion": "Delete"}), &[outer.clone(), ours]);
    spec["stages"][0]["resources"][0]["lifecycle"] = json!({"onRemoval": "Delete"});
    engine.plan_of("inner", spec).await?;
    engine.until_ready("inner").await?;
    let theirs = config_map([&inner, "theirs"], "1");
    engine.make(&theirs).await?;

    engine.delete_plan("inner").await?;
    let told = engine
        .until("inner", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(
        told.contains(&format!("ConfigMap {inner}/theirs")),
        "{told}"
    );
    let is_going = |namespace: &DynamicObject| namespace.metadata.deletion_timestamp.is_some();
    let namespace = engine.object(&outer).await?.expect("it is there");
    assert!(!is_going(&namespace));
    engine.delete(&theirs).await?;
    engine.until_gone("inner").await?;
    until("the namespace to go", PATIENCE, async || {
        let namespace = engine.object(&outer).await?;
        Ok(match namespace {
            Some(namespace) if !is_going(&namespace) => Seen::NotYet("it is there".to_owned()),
            Some(_) | None => Seen::Yes(()),
        })
    })
    .await
}

/// A definition goes only with no objects but those of the plan, also where these came last.
#[tokio::test]
async fn a_definition_waits_for_what_others_have_of_it() -> Result<(), Failure> {
    let Some(engine) = engine("pl-kinds").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("punts.{namespace}.test")},
        "spec": {
            "group": format!("{namespace}.test"),
            "names": {"kind": "Punt", "plural": "punts"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object"},
            }}],
        },
    });
    let lifecycle = json!({"onPlanDeletion": "Delete"});
    let mut spec = spec(&lifecycle, std::slice::from_ref(&definition));
    spec["stages"][0]["resources"][0]["lifecycle"] = json!({"onRemoval": "Delete"});
    engine.plan_of("kinds", spec).await?;
    engine.until_ready("kinds").await?;
    let theirs = manifest(
        &format!("{namespace}.test/v1"),
        "Punt",
        [namespace, "theirs"],
    );
    engine.make(&theirs).await?;

    engine.delete_plan("kinds").await?;
    let told = engine
        .until("kinds", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(told.contains(&format!("{namespace}/theirs")), "{told}");
    assert!(engine.object(&theirs).await?.is_some());
    engine.delete(&theirs).await?;
    engine.until_gone("kinds").await?;
    assert!(engine.object(&definition).await?.is_none());
    Ok(())
}
