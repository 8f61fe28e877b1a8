//! Tests the reaction to changes and deletions of members by other clients.

use std::time::{Duration, Instant};

use kube::api::{DynamicObject, Patch, PatchParams};
use portolan_kit::assert_same;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use crate::process::{metrics, until_metric};

use super::stage::{
    Engine, INSTALLER, NOT_DRIFTED, config_map, deployment, engine, manifest, stage,
};

const DRIFTED: [&str; 3] = ["Drifted", "True", "MembersDrifted"];

/// Creates a plan with one stage and this lifecycle, and waits until it is at rest.
async fn plan(engine: &Engine, lifecycle: Value, all: &[Value]) -> Result<(), Failure> {
    engine.allow_all().await?;
    let spec = json!({
        "serviceAccountName": INSTALLER, "lifecycle": lifecycle, "stages": [stage("all", all)],
    });
    engine.plan_of("ferry", spec).await?;
    engine.until_at_rest("ferry").await?;
    Ok(())
}

/// Changes an object. The field manager is `manager`.
async fn edit(engine: &Engine, of: &Value, manager: &str, change: Value) -> Result<(), Failure> {
    let params = PatchParams {
        field_manager: Some(manager.to_owned()),
        ..PatchParams::default()
    };
    let name = of["metadata"]["name"].as_str().expect("a name");
    let change = Patch::Strategic(change);
    engine.api(of).patch(name, &params, &change).await?;
    Ok(())
}

/// Waits until an object satisfies a condition.
async fn until_is(
    engine: &Engine,
    of: &Value,
    what: &str,
    is_so: impl Fn(&DynamicObject) -> bool,
) -> Result<DynamicObject, Failure> {
    until(
        format!("{}: {what}", of["metadata"]["name"]),
        PATIENCE,
        async || {
            Ok(match engine.object(of).await? {
                Some(object) if is_so(&object) => Seen::Yes(object),
                Some(object) => Seen::NotYet(object.data.to_string()),
                None => Seen::NotYet("not found".to_owned()),
            })
        },
    )
    .await
}

/// If drift is only reported, it is not reverted. The message contains the field and the field
/// manager.
#[tokio::test]
async fn drift_is_reported_and_left_unchanged() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-told").await? else {
        return Ok(());
    };
    let map = config_map([engine.namespace(), "a"], "1");
    plan(&engine, json!({}), std::slice::from_ref(&map)).await?;
    edit(&engine, &map, "somebody", json!({"data": {"value": "2"}})).await?;
    let message = engine.until("ferry", DRIFTED).await?;
    let object = format!("ConfigMap {}/a", engine.namespace());
    assert_eq!(
        message,
        format!("1 object: {object} has other values: .data.value, by \"somebody\"")
    );
    let status = engine.status("ferry").await?;
    assert_eq!(status["phase"], "Ready");
    assert_eq!(status["members"][0]["state"], "Drifted");
    engine.until_event("ferry", "MembersDrifted").await?;
    let found = engine.object(&map).await?.expect("the object");
    assert_eq!(found.data["data"], json!({"value": "2"}));
    // The drift ends when any client restores the value.
    edit(&engine, &map, "somebody", json!({"data": {"value": "1"}})).await?;
    engine.until("ferry", NOT_DRIFTED).await?;
    // The label with which the watch selects members is also checked for drift.
    let label = json!({"metadata": {"labels": {"plans.portolan.dev/lineage": null}}});
    edit(&engine, &map, "somebody", label).await?;
    let message = engine.until("ferry", DRIFTED).await?;
    assert!(
        message.contains(".metadata.labels.plans.portolan.dev/lineage"),
        "{message}"
    );
    Ok(())
}

/// Fields that the plan applied are reverted after each kind of change. Fields that other managers
/// added are kept.
#[tokio::test]
async fn drift_is_reverted() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-back").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let fixed = limited([namespace, "fixed"]);
    let scaled = limited([namespace, "scaled"]);
    engine.allow_all().await?;
    let mut all = stage("all", &[fixed.clone(), scaled.clone()]);
    all["resources"][1]["lifecycle"] = json!({"ignore": ["/spec/replicas"]});
    let spec = json!({
        "serviceAccountName": INSTALLER, "lifecycle": {"onDrift": "Revert"}, "stages": [all],
    });
    engine.plan_of("ferry", spec).await?;
    engine.until_at_rest("ferry").await?;

    let three = json!({"spec": {"replicas": 3}});
    for of in [&fixed, &scaled] {
        let name = of["metadata"]["name"].as_str().expect("a name");
        let params = PatchParams::default();
        let change = Patch::Merge(three.clone());
        engine.api(of).patch_scale(name, &params, &change).await?;
    }
    let replicas = |of: &DynamicObject| of.data["spec"]["replicas"].clone();
    until_is(&engine, &fixed, "one replica again", |of| replicas(of) == 1).await?;
    engine.until("ferry", NOT_DRIFTED).await?;
    let left = engine.object(&scaled).await?.expect("the object");
    assert_eq!(replicas(&left), 3);

    let container = json!({"name": "main", "image": "ferry.test/ferry:2"});
    let other = json!({"name": "other", "image": "ferry.test/other:1"});
    let change = json!({"spec": {"template": {"spec": {"containers": [container, other]}}}});
    edit(&engine, &scaled, "somebody", change).await?;
    let back = until_is(&engine, &scaled, "its image again", |of| {
        of.data["spec"]["template"]["spec"]["containers"][0]["image"] == "ferry.test/ferry:1"
    });
    let back = back.await?;
    let containers = &back.data["spec"]["template"]["spec"]["containers"];
    assert_eq!(
        containers[1]["name"], "other",
        "what others add is their own"
    );
    assert_eq!(replicas(&back), 3, "an ignored field stays unchanged");
    engine.until("ferry", NOT_DRIFTED).await?;
    Ok(())
}

/// In a sealed object, the controller removes fields that other managers add. It keeps fields that
/// the API server, the controllers of Kubernetes and CA injectors add.
#[tokio::test]
async fn fields_of_other_managers_are_removed_from_sealed_objects() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-seal").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    engine.allow_everywhere().await?;
    let all = kinds(namespace);
    let (map, deployment, role, hook) = (&all[0], &all[1], &all[2], &all[3]);
    let spec = json!({
        "serviceAccountName": INSTALLER, "lifecycle": {"onDrift": "Seal"},
        "stages": [stage("all", &all)],
    });
    engine.plan_of("ferry", spec).await?;
    engine.until_at_rest("ferry").await?;
    let status = engine.status("ferry").await?;
    assert_eq!(status.get("repairs"), None, "defaults are no drift");

    let more = json!({"data": {"more": "1"}, "metadata": {"annotations": {"note": "kept"}}});
    edit(&engine, map, "somebody", more).await?;
    let other = json!({"name": "other", "image": "ferry.test/other:1"});
    let change = json!({"spec": {"paused": true, "template": {"spec": {"containers": [other]}}}});
    edit(&engine, deployment, "somebody", change).await?;
    let rule = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]});
    let rules = json!({"rules": [role["rules"][0], rule]});
    edit(&engine, role, "somebody", rules).await?;
    let bundle = json!({"webhooks": [{
        "name": "ferry.example.test", "clientConfig": {"caBundle": CERTIFICATE},
    }]});
    edit(&engine, hook, "ca-injector", bundle).await?;

    let data = |of: &DynamicObject| of.data["data"] == json!({"value": "1"});
    let map = until_is(&engine, map, "no fields of others", data).await?;
    assert_eq!(map.metadata.annotations.expect("some")["note"], "kept");
    until_is(&engine, deployment, "no fields of others", |of| {
        let containers = &of.data["spec"]["template"]["spec"]["containers"];
        of.data["spec"].get("paused").is_none()
            && containers.as_array().is_some_and(|all| all.len() == 1)
    })
    .await?;
    until_is(&engine, role, "its own rules", |of| {
        of.data["rules"] == role["rules"]
    })
    .await?;
    engine.until("ferry", NOT_DRIFTED).await?;
    let hook = engine.object(hook).await?.expect("the object");
    assert_eq!(
        hook.data["webhooks"][0]["clientConfig"]["caBundle"],
        CERTIFICATE
    );
    Ok(())
}

/// The controller creates a deleted object again, with a create request, after the object no longer
/// exists.
#[tokio::test]
async fn deleted_members_are_recreated() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-gone").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let map = config_map([namespace, "a"], "1");
    let held = config_map([namespace, "held"], "1");
    let lifecycle = json!({"onDeletion": "Recreate"});
    plan(&engine, lifecycle, &[map.clone(), held.clone()]).await?;
    let old = engine.object(&map).await?.expect("the object");
    let finalizer = json!({"metadata": {"finalizers": ["ferry.test/keep"]}});
    engine.patch(&held, finalizer).await?;
    engine.delete(&map).await?;
    engine.delete(&held).await?;
    let new = until_is(&engine, &map, "another one", |of| {
        of.metadata.uid != old.metadata.uid
    });
    let new = new.await?;
    assert_eq!(new.data["data"], json!({"value": "1"}));
    until("the finalizer to be reported", PATIENCE, async || {
        let status = engine.status("ferry").await?.to_string();
        Ok(if status.contains("held by ferry.test/keep") {
            Seen::Yes(())
        } else {
            Seen::NotYet(status)
        })
    })
    .await?;
    engine
        .patch(&held, json!({"metadata": {"finalizers": null}}))
        .await?;
    engine.until_at_rest("ferry").await?;
    Ok(())
}

/// If another manager changes a field back each time, the plan reports this manager. It then keeps
/// the other value until a retry is requested.
#[tokio::test]
async fn contested_drift_is_reported_and_not_reverted() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-fight").await? else {
        return Ok(());
    };
    let map = config_map([engine.namespace(), "a"], "1");
    plan(
        &engine,
        json!({"onDrift": "Revert"}),
        std::slice::from_ref(&map),
    )
    .await?;
    let theirs = json!({"data": {"value": "2"}});
    let is_ours = |of: &DynamicObject| of.data["data"]["value"] == "1";
    for _ in 0..3 {
        edit(&engine, &map, "rival", theirs.clone()).await?;
        until_is(&engine, &map, "ours again", is_ours).await?;
    }
    edit(&engine, &map, "rival", theirs).await?;
    let message = engine
        .until("ferry", ["Drifted", "True", "DriftContested"])
        .await?;
    assert!(
        message.contains("by \"rival\"; the object was repaired 3 times"),
        "{message}"
    );
    let found = engine.object(&map).await?.expect("the object");
    assert!(!is_ours(&found), "the value of the rival stays");
    let labels = format!(
        "{{plan=\"ferry\",plan_namespace=\"{}\"}}",
        engine.namespace()
    );
    let [drifted, contested] =
        ["drifted", "contested"].map(|what| format!("portolan_plans_{what}_members{labels}"));
    for gauge in [&drifted, &contested] {
        until_metric(engine.probes(), &format!("{gauge} 1")).await?;
    }
    until_metric(engine.probes(), "portolan_plans_ready_seconds_count 1").await?;
    engine.retry("ferry").await?;
    until_is(&engine, &map, "ours again", is_ours).await?;
    engine.until("ferry", NOT_DRIFTED).await?;
    for gauge in [&drifted, &contested] {
        until_metric(engine.probes(), &format!("{gauge} 0")).await?;
    }
    engine.delete_plan("ferry").await?;
    engine.until_gone("ferry").await?;
    until("no series of the plan", PATIENCE, async || {
        let metrics = metrics(engine.probes()).await.unwrap_or_default();
        Ok(
            if metrics.contains("portolan_plans_ready_seconds_count 1")
                && !metrics.contains(&labels)
            {
                Seen::Yes(())
            } else {
                Seen::NotYet(metrics)
            },
        )
    })
    .await?;
    Ok(())
}

/// Several objects are changed one after the other. Each change is reverted immediately, without
/// waiting for the other changes.
#[tokio::test]
async fn successive_changes_are_reverted_at_once() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-many").await? else {
        return Ok(());
    };
    let names: Vec<_> = (0..20).map(|place| format!("map-{place}")).collect();
    let maps: Vec<_> = names
        .iter()
        .map(|name| config_map([engine.namespace(), name], "1"))
        .collect();
    plan(&engine, json!({"onDrift": "Revert"}), &maps).await?;
    let status_writes = || {
        let asked = engine.asked()?.within(engine.namespace()).writes();
        Ok::<_, Failure>(asked.of("installplans/status").len())
    };
    let before = status_writes()?;
    let mut took = Vec::new();
    for map in &maps {
        edit(&engine, map, "somebody", json!({"data": {"value": "2"}})).await?;
        let begun = Instant::now();
        while engine.object(map).await?.expect("the object").data["data"]["value"] != "1" {
            assert!(begun.elapsed() < PATIENCE, "the object is reverted");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        took.push(begun.elapsed());
    }
    took.sort();
    println!(
        "engine: reverted in {:?}, and at most {:?}",
        took[10], took[19]
    );
    // If the controller only checked every five seconds, this would take longer, even on a busy
    // machine.
    assert!(took[10] < Duration::from_secs(2), "{took:?}");
    until("all to be counted", PATIENCE, async || {
        let status = engine.status("ferry").await?;
        let counted = status["repairs"].as_object().map_or(0, |all| all.len());
        Ok(match counted {
            20 => Seen::Yes(()),
            counted => Seen::NotYet(format!("{counted} are counted")),
        })
    })
    .await?;
    engine.until("ferry", NOT_DRIFTED).await?;
    // One write of the status reports the drift of an object, and its end. It usually covers many
    // objects.
    let statuses = status_writes()? - before;
    println!("engine: reported in {statuses} statuses");
    assert!(statuses <= maps.len(), "{statuses}");
    engine.until_event("ferry", "MembersDrifted").await
}

/// Without permission to watch, the plan reports that drift is unknown.
#[tokio::test]
async fn drift_is_unknown_without_permission_to_watch() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-blind").await? else {
        return Ok(());
    };
    let verbs = ["create", "get", "patch"];
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]);
    engine.allow("some", rules).await?;
    let map = config_map([engine.namespace(), "a"], "1");
    engine.plan("ferry", json!([stage("all", &[map])])).await?;
    let message = engine
        .until("ferry", ["Drifted", "Unknown", "NotWatched"])
        .await?;
    assert!(
        message.contains("cannot list and watch ConfigMap"),
        "{message}"
    );
    Ok(())
}

/// A change of metadata is not drift. A thousand changes of annotations cause no write.
#[tokio::test]
async fn changed_metadata_causes_no_write() -> Result<(), Failure> {
    let Some(engine) = engine("pl-drift-none").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let map = config_map([namespace, "a"], "1");
    plan(
        &engine,
        json!({"onDrift": "Revert"}),
        std::slice::from_ref(&map),
    )
    .await?;
    let asked = engine
        .asked()?
        .within(namespace)
        .writes()
        .of("configmaps")
        .len();
    let plan = engine.plans().get("ferry").await?;
    for turn in 0..1000 {
        let note = json!({"metadata": {"annotations": {"note": turn.to_string()}}});
        edit(&engine, &map, "somebody", note).await?;
    }
    // After this time, the controller has checked the last change.
    tokio::time::sleep(Duration::from_secs(7)).await;
    let now = engine.asked()?.within(namespace).writes().of("configmaps");
    assert_eq!(
        now.only(|record| record.acting_as == engine.installer())
            .len(),
        asked
    );
    let later = engine.plans().get("ferry").await?;
    assert_same!(
        later.metadata.resource_version,
        plan.metadata.resource_version
    );
    Ok(())
}

/// A self-signed certificate. The API server must be able to parse it.
const CERTIFICATE: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJKVENCelFJVUE=";

/// Returns an object of each kind to which API servers and controllers add fields.
fn kinds(namespace: &str) -> Vec<Value> {
    let at = |name| [namespace, name];
    let mut role = manifest("rbac.authorization.k8s.io/v1", "Role", at("sealed"));
    role["rules"] = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
    let mut hook = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": format!("{namespace}.example.test")},
    });
    hook["webhooks"] = json!([{
        "name": "ferry.example.test", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "failurePolicy": "Ignore",
        "clientConfig": {"service": {"name": "hook", "namespace": namespace}},
        "rules": [{
            "apiGroups": ["ferry.example.test"], "apiVersions": ["v1"], "resources": ["none"],
            "operations": ["CREATE"],
        }],
    }]);
    let mut service = manifest("v1", "Service", at("sealed"));
    service["spec"] = json!({"selector": {"app": "sealed"}, "ports": [{"port": 80}]});
    let mut budget = manifest("policy/v1", "PodDisruptionBudget", at("sealed"));
    budget["spec"] = json!({"minAvailable": 1, "selector": {"matchLabels": {"app": "sealed"}}});
    let mut policy = manifest("networking.k8s.io/v1", "NetworkPolicy", at("sealed"));
    policy["spec"] = json!({"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]});
    let mut cron = manifest("batch/v1", "CronJob", at("sealed"));
    let containers = json!([{"name": "main", "image": "ferry.test/ferry:1"}]);
    cron["spec"] = json!({"schedule": "0 0 1 1 *", "suspend": true, "jobTemplate": {"spec": {
        "template": {"spec": {"restartPolicy": "Never", "containers": containers}},
    }}});
    let mut set = manifest("apps/v1", "StatefulSet", at("ordered"));
    let labels = json!({"app": "ordered"});
    set["spec"] = json!({"serviceName": "sealed", "selector": {"matchLabels": labels}, "template": {
        "metadata": {"labels": labels}, "spec": {"containers": containers},
    }});
    let mut claim = manifest("v1", "PersistentVolumeClaim", at("sealed"));
    claim["spec"] = json!({
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}},
    });
    let mut scaler = manifest("autoscaling/v2", "HorizontalPodAutoscaler", at("sealed"));
    scaler["spec"] = json!({"maxReplicas": 1, "scaleTargetRef": {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "sealed",
    }});
    let group = format!("{namespace}.example.test");
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("skiffs.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"kind": "Skiff", "plural": "skiffs"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                    "type": "object", "properties": {"oars": {"type": "integer", "default": 2}},
                }}},
            }}],
        },
    });
    let mut skiff = manifest(&format!("{group}/v1"), "Skiff", at("sealed"));
    skiff["spec"] = json!({});
    let secret = {
        let mut secret = manifest("v1", "Secret", at("sealed"));
        secret["stringData"] = json!({"key": "value"});
        secret
    };
    vec![
        config_map(at("sealed"), "1"),
        limited([namespace, "sealed"]),
        role,
        hook,
        manifest("v1", "ServiceAccount", at("sealed")),
        service,
        budget,
        policy,
        cron,
        set,
        claim,
        scaler,
        crd,
        skiff,
        secret,
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": format!("{namespace}-in")}}),
    ]
}

/// Returns a Deployment with quantities that the API server writes in another form.
fn limited(at: [&str; 2]) -> Value {
    let mut deployment = deployment(at, at[1]);
    deployment["spec"]["template"]["spec"]["containers"][0]["resources"] =
        json!({"limits": {"cpu": "1000m", "memory": "1024Mi"}});
    deployment
}
