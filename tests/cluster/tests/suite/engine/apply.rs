//! Tests which objects a plan applies, in which order, and which objects it does not change.

use std::time::Duration;

use portolan_kit::assert_same;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{config_map, deployment, engine, manifest, stage};

/// The time in which a plan at rest must send no requests. It is longer than the interval between
/// two reconciles.
const QUIET: Duration = Duration::from_secs(7);

/// The stages are applied one after the other, as the ServiceAccount of the plan. The field manager
/// is the lineage. After that, the controller sends no more requests.
#[tokio::test]
async fn stages_of_a_plan_are_applied_in_order() -> Result<(), Failure> {
    let Some(engine) = engine("pl-stages").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let account = manifest("v1", "ServiceAccount", [namespace, "ferry"]);
    let first = stage(
        "config",
        &[account.clone(), config_map([namespace, "a"], "1")],
    );
    let mut second = stage("works", &[of_account([namespace, "ferry"])]);
    second["resources"]
        .as_array_mut()
        .expect("a list")
        .push(json!({
            "manifest": config_map([namespace, "b"], "2"),
        }));
    second["order"] = "Any".into();
    engine.plan("ferry", json!([first, second])).await?;

    engine
        .until("ferry", ["Applied", "True", "AllApplied"])
        .await?;
    engine.pods().ready("app=ferry").await?;
    engine.until_ready("ferry").await?;
    let status = engine.status("ferry").await?;
    assert_eq!(status["phase"], "Ready");
    assert_eq!(
        status["counts"],
        json!({"members": 4, "applied": 4, "ready": 4})
    );
    let plan = engine.plans().get("ferry").await?;
    let lineage = plan.metadata.uid.expect("a uid");
    for manifest in [
        account.clone(),
        of_account([namespace, "ferry"]),
        config_map([namespace, "b"], "2"),
    ] {
        let object = engine.object(&manifest).await?.expect("the applied object");
        let labels = object.metadata.labels.unwrap_or_default();
        assert_eq!(labels.get("plans.portolan.dev/lineage"), Some(&lineage));
        let managers = object.metadata.managed_fields.unwrap_or_default();
        let ours = format!("plans.portolan.dev/{lineage}");
        let mut managers = managers.iter().filter_map(|entry| entry.manager.as_deref());
        assert!(managers.any(|manager| manager == ours), "{manifest}");
    }

    let on_members = |kinds: [&str; 3]| {
        let installer = engine.installer();
        let others = engine.asked()?.only(|record| {
            kinds.contains(&record.resource.as_str()) && record.acting_as != installer
        });
        Ok::<_, Failure>(others.records().to_vec())
    };
    let mut versions = Vec::new();
    for manifest in [
        account.clone(),
        config_map([namespace, "a"], "1"),
        config_map([namespace, "b"], "2"),
    ] {
        let object = engine.object(&manifest).await?.expect("the applied object");
        let version = object.metadata.resource_version.expect("a version");
        versions.push(version.parse::<u64>().expect("a number"));
    }
    assert!(versions.is_sorted(), "{versions:?}");
    let asked = engine.asked()?.of("deployments").writes();
    assert_eq!(asked.len(), 2, "a dry run, and a write");
    let others = on_members(["configmaps", "deployments", "serviceaccounts"])?;
    // There are no other requests, except a check that the ServiceAccount exists.
    let others = others
        .into_iter()
        .filter(|record| record.name != super::stage::INSTALLER);
    assert_same!(others.collect::<Vec<_>>(), Vec::new());
    Ok(())
}

/// One plan contains a CRD and a custom resource of this CRD, a Namespace and an object in it, and
/// a role and its binding. The controller checks the permissions for all objects only once.
#[tokio::test]
async fn plan_waits_for_the_crds_and_namespaces_that_it_applies() -> Result<(), Failure> {
    let Some(engine) = engine("pl-order").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let inner = format!("{namespace}-inner");
    let plural = "skiffs";
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{namespace}.test")},
        "spec": {
            "group": format!("{namespace}.test"),
            "names": {"kind": "Skiff", "plural": plural},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"oars": {"type": "integer"}}},
                }},
            }}],
        },
    });
    let mut skiff = manifest(&format!("{namespace}.test/v1"), "Skiff", [&inner, "one"]);
    skiff["spec"] = json!({"oars": 2});
    let outer = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner}});
    let rbac = "rbac.authorization.k8s.io/v1";
    let mut role = manifest(rbac, "Role", [&inner, "reader"]);
    role["rules"] = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let mut binding = manifest(rbac, "RoleBinding", [&inner, "reader"]);
    binding["roleRef"] =
        json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"});
    binding["subjects"] =
        json!([{"kind": "ServiceAccount", "name": "default", "namespace": inner}]);
    let all = [outer, crd, role, binding, skiff.clone()];
    engine.plan("skiffs", json!([stage("all", &all)])).await?;
    engine.until_ready("skiffs").await?;
    let skiff = engine.object(&skiff).await?.expect("the applied object");
    assert_eq!(skiff.data["spec"], json!({"oars": 2}));
    Ok(())
}

/// By default, a plan does not change an object that already exists. With `collisions: Adopt`, the
/// plan adopts the object.
#[tokio::test]
async fn existing_object_is_not_overwritten() -> Result<(), Failure> {
    let Some(engine) = engine("pl-collision").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let theirs = config_map([namespace, "taken"], "theirs");
    engine.make(&theirs).await?;
    let stages = json!([stage(
        "all",
        &[
            config_map([namespace, "free"], "ours"),
            config_map([namespace, "taken"], "ours"),
        ]
    )]);
    engine.plan("taker", stages).await?;
    let message = engine
        .until("taker", ["Applied", "False", "ObjectNotOwned"])
        .await?;
    assert!(
        message.contains(&format!("ConfigMap {namespace}/taken")),
        "{message}"
    );
    let free = config_map([namespace, "free"], "ours");
    assert!(
        engine.object(&free).await?.is_none(),
        "nothing is written before all objects are checked"
    );

    engine
        .change("taker", json!({"collisions": "Adopt"}))
        .await?;
    engine.until_ready("taker").await?;
    let taken = engine.object(&theirs).await?.expect("the existing object");
    assert_eq!(taken.data["data"], json!({"value": "ours"}));
    Ok(())
}

/// A suspended plan writes nothing, and continues when it is resumed.
#[tokio::test]
async fn suspended_plan_writes_nothing() -> Result<(), Failure> {
    let Some(engine) = engine("pl-suspended").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let map = config_map([namespace, "late"], "1");
    engine
        .plan_of(
            "late",
            json!({
                "serviceAccountName": super::stage::INSTALLER,
                "suspend": true,
                "stages": [stage("all", std::slice::from_ref(&map))],
            }),
        )
        .await?;
    engine
        .until("late", ["Applied", "False", "Suspended"])
        .await?;
    assert!(engine.object(&map).await?.is_none());
    engine.change("late", json!({"suspend": false})).await?;
    engine.until_ready("late").await?;
    Ok(())
}

/// A plan at rest sends no requests. It detects changes of its members by other managers, but does
/// not revert them.
#[tokio::test]
async fn idle_plan_sends_no_requests() -> Result<(), Failure> {
    let Some(engine) = engine("pl-rest").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let names: Vec<_> = (0..20).map(|place| format!("map-{place}")).collect();
    let maps: Vec<_> = names
        .iter()
        .map(|name| config_map([namespace, name], "1"))
        .collect();
    engine.plan("calm", json!([stage("all", &maps)])).await?;
    engine.until_ready("calm").await?;
    let requests = || {
        let asked = engine.asked()?.only(|record| {
            let is_watch = record.verb == "watch" || record.verb == "list";
            record.namespace == namespace && !is_watch
        });
        Ok::<_, Failure>(asked.len())
    };
    // The controller checks the last write again after five seconds, or later on a busy machine.
    // Then it sends no more requests.
    until("seven seconds without a request", PATIENCE, async || {
        let before = requests()?;
        tokio::time::sleep(QUIET).await;
        let after = requests()?;
        Ok(if after == before {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{before} requests, and {after} later"))
        })
    })
    .await?;

    engine.delete(&maps[3]).await?;
    let message = engine
        .until("calm", ["Ready", "False", "MembersNotReady"])
        .await?;
    assert!(message.contains("map-3 is gone"), "{message}");
    let writes = engine.asked()?.writes().within(namespace).of("configmaps");
    assert_eq!(writes.len(), 40, "20 dry runs, and 20 objects");
    Ok(())
}

/// A plan of 600 objects reports its progress in the status.
#[tokio::test]
async fn large_plan_reports_progress() -> Result<(), Failure> {
    let Some(engine) = engine("pl-large").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let maps: Vec<_> = (0..600)
        .map(|place| config_map([namespace, &format!("map-{place}")], "1"))
        .collect();
    let mut all = stage("all", &maps);
    all["order"] = "Any".into();
    let begun = std::time::Instant::now();
    engine.plan("large", json!([all])).await?;
    until("the first objects to be counted", PATIENCE, async || {
        let status = engine.status("large").await?;
        let applied = status.pointer("/counts/applied").and_then(Value::as_u64);
        Ok(match applied {
            Some(1..) => Seen::Yes(()),
            _ => Seen::NotYet(status.to_string()),
        })
    })
    .await?;
    engine.until_ready("large").await?;
    println!("engine: 600 objects: {} ms", begun.elapsed().as_millis());
    Ok(())
}

/// Returns a Deployment. Its Pods use the ServiceAccount with the same name.
fn of_account(at: [&str; 2]) -> Value {
    let mut deployment = deployment(at, at[1]);
    deployment["spec"]["template"]["spec"]["serviceAccountName"] = json!(at[1]);
    deployment
}
