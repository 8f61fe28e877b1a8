//! Tests the deletion of plans and of their objects.

use kube::api::DynamicObject;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, manifest, stage};
use crate::permitted::until_may;

/// Returns a plan with the given lifecycle and a single stage.
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

/// With `onPlanDeletion: Delete`, the deletion of a plan deletes the objects that the plan created.
/// Objects that existed before the plan are kept. PersistentVolumeClaims, and CRDs with their
/// objects, are also kept.
#[tokio::test]
async fn plan_deletion_deletes_only_objects_of_the_plan() -> Result<(), Failure> {
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
    let crd = json!({
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
    let all = [theirs, ours, claim, crd, raft];
    let lifecycle = json!({"onPlanDeletion": "Delete"});
    let mut spec = spec(&lifecycle, &all);
    // A PersistentVolumeClaim that no Pod mounts is never bound, so the stage must not wait until
    // it is ready.
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

/// A plan that keeps its objects is deleted immediately, even if no controller runs.
#[tokio::test]
async fn plan_that_keeps_its_objects_is_deleted_at_once() -> Result<(), Failure> {
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

/// The plan reports the finalizer that blocks the deletion of an object. When the finalizer is
/// removed, the deletion continues.
#[tokio::test]
async fn blocked_deletion_names_the_finalizer() -> Result<(), Failure> {
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
    let message = engine
        .until("held", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(message.contains("ferry.test/hold"), "{message}");
    assert_eq!(names(&engine, &all).await?, ["held"]);
    engine.patch(&held, finalizers(&[])).await?;
    engine.until_gone("held").await?;
    assert_eq!(names(&engine, &all).await?, Vec::<String>::new());
    Ok(())
}

/// Without permission to delete, the controller deletes no object. The plan exists until the user
/// abandons the deletion.
#[tokio::test]
async fn forbidden_deletion_waits_or_is_abandoned() -> Result<(), Failure> {
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
    let message = engine
        .until("waits", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(message.contains("delete"), "{message}");
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

/// A Namespace is deleted only if the plan created all objects in it.
#[tokio::test]
async fn namespace_deletion_waits_for_objects_of_other_owners() -> Result<(), Failure> {
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
    let message = engine
        .until("inner", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(
        message.contains(&format!("ConfigMap {inner}/theirs")),
        "{message}"
    );
    let is_going = |namespace: &DynamicObject| namespace.metadata.deletion_timestamp.is_some();
    let namespace = engine.object(&outer).await?.expect("the namespace");
    assert!(!is_going(&namespace));
    engine.delete(&theirs).await?;
    engine.until_gone("inner").await?;
    until("the namespace to go", PATIENCE, async || {
        let namespace = engine.object(&outer).await?;
        Ok(match namespace {
            Some(namespace) if !is_going(&namespace) => Seen::NotYet("it still exists".to_owned()),
            Some(_) | None => Seen::Yes(()),
        })
    })
    .await
}

/// A CRD is deleted only if the plan created all of its objects. This also applies to objects that
/// are created at the last moment.
#[tokio::test]
async fn crd_deletion_waits_for_objects_of_other_owners() -> Result<(), Failure> {
    let Some(engine) = engine("pl-kinds").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let crd = json!({
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
    let mut spec = spec(&lifecycle, std::slice::from_ref(&crd));
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
    let message = engine
        .until("kinds", ["Ready", "False", "DeletionBlocked"])
        .await?;
    assert!(
        message.contains(&format!("{namespace}/theirs")),
        "{message}"
    );
    assert!(engine.object(&theirs).await?.is_some());
    engine.delete(&theirs).await?;
    engine.until_gone("kinds").await?;
    assert!(engine.object(&crd).await?.is_none());
    Ok(())
}
