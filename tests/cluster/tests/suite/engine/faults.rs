//! Tests faults of the API server: it rejects requests, drops connections, freezes and restarts.
//! Other tests delete kinds and namespaces that contain objects of a plan.

use std::time::Duration;

use kube::api::DynamicObject;
use portolan_kit::proxy::Matcher;
use portolan_kit::{Proxy, TempFolder};
use portolan_rig::{Component, Failure, PATIENCE, Seen, until, until_gone};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, manifest, own_engine, stage};
use crate::detour;
use crate::health::written;
use crate::is_soak;

/// A delay that is longer than the first timeout of a request.
const SLOW: Duration = Duration::from_secs(12);
/// A number of failures that is larger than the number of requests in a test.
const MANY: usize = 10_000;
const ALL_APPLIED: [&str; 3] = ["Applied", "True", "AllApplied"];

/// Returns an engine whose API server is behind a separate proxy.
pub(super) async fn behind_proxy(
    test: &str,
) -> Result<Option<(Engine, Proxy, TempFolder)>, Failure> {
    let Some(mut engine) = engine(test).await? else {
        return Ok(None);
    };
    engine.stop();
    engine.allow_all().await?;
    let proxy = detour::proxy(engine.cluster()).await?;
    let (through, folder) = written::through(&proxy);
    engine.start_at(&through).await;
    Ok(Some((engine, proxy, folder)))
}

/// Returns a spec of a plan that reverts changes and creates deleted objects again.
fn spec(stages: Value) -> Value {
    json!({
        "serviceAccountName": INSTALLER,
        "lifecycle": {"onDrift": "Revert", "onDeletion": "Recreate"},
        "stages": stages,
    })
}

/// Waits until the message of a condition contains this text.
pub(super) async fn until_message(
    engine: &Engine,
    plan: &str,
    type_: &str,
    words: &str,
) -> Result<Value, Failure> {
    until(
        format!("{plan}: {type_}: {words:?}"),
        PATIENCE,
        async || {
            let status = engine.status(plan).await?;
            let mut conditions = status["conditions"].as_array().into_iter().flatten();
            let is_reported = conditions.any(|condition| {
                let message = condition["message"].as_str().unwrap_or_default();
                condition["type"] == type_ && message.contains(words)
            });
            Ok(if is_reported {
                Seen::Yes(status)
            } else {
                Seen::NotYet(status.to_string())
            })
        },
    )
    .await
}

/// The controller retries writes that fail with a temporary error. The status contains the object
/// and the error.
#[tokio::test]
async fn rejected_writes_are_reported_and_retried() -> Result<(), Failure> {
    let Some((engine, proxy, _folder)) = behind_proxy("pl-storm").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
    for code in [409, 429, 500] {
        let plan = format!("storm-{code}");
        let map = |last| config_map([namespace, &format!("{plan}-{last}")], "1");
        let [first, second] = [map("first"), map("second")];
        proxy.answer(Matcher::writes().under(&maps).without("dryRun"), code, MANY);
        let stages = json!([stage("all", &[first.clone(), second])]);
        engine.plan_of(&plan, spec(stages)).await?;
        let object = format!("ConfigMap {namespace}/{plan}-first");
        let status = until_message(&engine, &plan, "Applied", &object).await?;
        println!("engine: {code}: {}", status["conditions"]);
        if code != 409 {
            let status = until_message(&engine, &plan, "Applied", "written again").await?;
            assert_eq!(status["phase"], "Applying", "{status:#}");
        }
        assert!(engine.object(&first).await?.is_none());
        proxy.clear();
        engine.until_ready(&plan).await?;
    }
    Ok(())
}

/// If a request exceeds its timeout, the next attempt has a longer timeout.
#[tokio::test]
async fn slow_dry_run_is_retried_with_a_longer_timeout() -> Result<(), Failure> {
    let Some((engine, proxy, _folder)) = behind_proxy("pl-slow").await? else {
        return Ok(());
    };
    let map = config_map([engine.namespace(), "slow"], "1");
    let maps = format!("/api/v1/namespaces/{}/configmaps", engine.namespace());
    let dry = format!("PATCH {maps}?dryRun=All");
    proxy.delay(dry.as_str(), SLOW);
    let stages = json!([stage("all", std::slice::from_ref(&map))]);
    engine.plan_of("slow", spec(stages)).await?;
    engine.until_ready("slow").await?;
    // The first request exceeded its timeout, and the second succeeded.
    assert_eq!(proxy.count(dry.as_str()), 2);
    Ok(())
}

/// While members cannot be read, the status reports this.
#[tokio::test]
async fn rejected_reads_are_reported_and_retried() -> Result<(), Failure> {
    let Some((engine, proxy, _folder)) = behind_proxy("pl-storm-reads").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let reads = format!("GET /api/v1/namespaces/{namespace}/configmaps/");
    for code in [429, 500] {
        let plan = format!("storm-{code}");
        let map = config_map([namespace, &plan], "1");
        proxy.answer(reads.as_str(), code, MANY);
        let stages = json!([stage("all", std::slice::from_ref(&map))]);
        engine.plan_of(&plan, spec(stages)).await?;
        let status = until_message(&engine, &plan, "Valid", "is retried").await?;
        println!("engine: {code}: {}", status["conditions"]);
        proxy.clear();
        engine.until_ready(&plan).await?;
    }
    Ok(())
}

/// The controller notices all changes, even if a watch is interrupted or cannot resume.
#[tokio::test]
async fn interrupted_watch_misses_no_change() -> Result<(), Failure> {
    let Some((engine, proxy, _folder)) = behind_proxy("pl-cut").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let map = config_map([namespace, "a"], "1");
    let stages = json!([stage("all", std::slice::from_ref(&map))]);
    engine.plan_of("ferry", spec(stages)).await?;
    engine.until_at_rest("ferry").await?;
    let members = format!("GET /api/v1/namespaces/{namespace}/configmaps?watch=");
    let plans =
        format!("GET /apis/plans.portolan.dev/v1alpha1/namespaces/{namespace}/installplans?watch=");
    for (round, expires) in [false, true].into_iter().enumerate() {
        if expires {
            proxy.answer(members.as_str(), 410, 1);
            proxy.answer(plans.as_str(), 410, 1);
        }
        for watch in [&members, &plans] {
            until(format!("{watch} to be cut"), PATIENCE, async || {
                Ok(match proxy.cut(watch.as_str()) {
                    0 => Seen::NotYet(format!("{:?}", proxy.requests())),
                    _ => Seen::Yes(()),
                })
            })
            .await?;
        }
        engine
            .patch(&map, json!({"data": {"value": "another"}}))
            .await?;
        let name = format!("late-{round}");
        let late = config_map([namespace, &name], "1");
        engine.plan(&name, json!([stage("all", &[late])])).await?;
        until_is(&engine, &map).await?;
        engine.until_ready(&name).await?;
    }
    Ok(())
}

/// Waits until an object equals its manifest.
async fn until_is(engine: &Engine, manifest: &Value) -> Result<(), Failure> {
    until(manifest["metadata"].to_string(), PATIENCE, async || {
        let found = engine.object(manifest).await?;
        let found = found.map(|found| found.data);
        let is_so = ["data", "spec"].iter().all(|part| {
            let found = found.as_ref();
            found.is_some_and(|found| found.get(part) == manifest.get(part))
        });
        Ok(if is_so {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{found:?}"))
        })
    })
    .await
}

/// While a large plan is applied, the API server freezes for longer than the timeout of a request,
/// and is killed later. The plan recovers without an action of a user.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plan_survives_frozen_and_restarted_api_server() -> Result<(), Failure> {
    let frozen = Duration::from_secs(if is_soak() { 60 } else { 12 });
    let Some(engine) = own_engine("pl-frozen").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let (cluster, namespace) = (engine.cluster(), engine.namespace());
    for name in ["frozen", "restarted"] {
        let maps: Vec<_> = (0..300)
            .map(|place| config_map([namespace, &format!("{name}-{place}")], "1"))
            .collect();
        let spec = spec(json!([stage("all", &maps)]));
        engine.plan_of(name, spec).await?;
        until("the first objects to be counted", PATIENCE, async || {
            let status = engine.status(name).await?;
            let applied = status.pointer("/counts/applied").and_then(Value::as_u64);
            Ok(match applied {
                Some(1..) => Seen::Yes(()),
                _ => Seen::NotYet(status.to_string()),
            })
        })
        .await?;
        if name == "frozen" {
            cluster.freeze(Component::ApiServer)?;
            tokio::time::sleep(frozen).await;
            cluster.thaw(Component::ApiServer)?;
        } else {
            cluster.restart(Component::ApiServer).await?;
        }
        engine.until_ready(name).await?;
        let asked = engine.asked()?.within(namespace).of("configmaps");
        let made = asked
            .clone()
            .only(|record| record.code == 201 && record.name.starts_with(name));
        println!(
            "engine: {name}: {} answers that something was made",
            made.len()
        );
        assert!(asked.verb("delete").is_empty(), "nothing is made twice");
    }
    Ok(())
}

/// Returns a CRD without a schema. `plural` is the plural of its kind.
fn crd(group: &str, plural: &str, kind: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                },
            }}],
        },
    })
}

/// A member is deleted together with its CRD, which does not belong to the plan. The plan reports
/// this. When the CRD exists again, the controller creates the member again.
#[tokio::test]
async fn member_is_recreated_with_its_crd() -> Result<(), Failure> {
    let Some(engine) = engine("pl-kind-gone").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let group = format!("{namespace}.test");
    let crd = crd(&group, "dinghies", "Dinghy");
    engine.make(&crd).await?;
    let mut dinghy = manifest(&format!("{group}/v1"), "Dinghy", [namespace, "one"]);
    dinghy["spec"] = json!({"oars": 2});
    let map = config_map([namespace, "a"], "1");
    let stages = json!([stage("all", &[map.clone(), dinghy.clone()])]);
    engine.plan_of("ferry", spec(stages)).await?;
    engine.until_at_rest("ferry").await?;

    engine.delete(&crd).await?;
    let name = crd["metadata"]["name"].as_str().expect("a name");
    until_gone(&engine.api(&crd), name).await?;
    let status = until_message(&engine, "ferry", "Ready", "Dinghy").await?;
    println!("engine: without its kind: {status:#}");
    // The controller still reverts changes of objects whose kinds are served.
    engine
        .patch(&map, json!({"data": {"value": "another"}}))
        .await?;
    until_is(&engine, &map).await?;

    engine.make(&crd).await?;
    until_is(&engine, &dinghy).await?;
    engine.until_at_rest("ferry").await?;
    Ok(())
}

/// One object cannot be converted from its stored version. It must not delay other objects, because
/// one of them may be the conversion webhook that must be created again.
#[tokio::test]
async fn unconvertible_object_delays_no_other_object() -> Result<(), Failure> {
    let Some(engine) = own_engine("pl-unconverted").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let group = format!("{namespace}.test");
    let mut crd = crd(&group, "dinghies", "Dinghy");
    let mut served = crd["spec"]["versions"][0].clone();
    served["name"] = json!("v2");
    served["storage"] = json!(false);
    let versions = crd["spec"]["versions"].as_array_mut();
    versions.expect("versions").push(served);
    engine.make(&crd).await?;
    let dinghy = manifest(&format!("{group}/v2"), "Dinghy", [namespace, "one"]);
    let map = config_map([namespace, "a"], "1");
    let stages = json!([stage("all", &[map.clone(), dinghy.clone()])]);
    engine.plan_of("ferry", spec(stages)).await?;
    engine.until_at_rest("ferry").await?;

    let unavailable = json!({"strategy": "Webhook", "webhook": {
        "clientConfig": {"url": "https://127.0.0.1:1/convert"}, "conversionReviewVersions": ["v1"],
    }});
    let conversion = |it| json!({"spec": {"conversion": it}});
    engine.patch(&crd, conversion(unavailable)).await?;
    until("the conversion to fail", PATIENCE, async || {
        Ok(match engine.object(&dinghy).await {
            Ok(_) => Seen::NotYet("it is converted".to_owned()),
            Err(failure) if format!("{failure:?}").contains("conversion webhook for") => {
                Seen::Yes(())
            }
            Err(failure) => return Err(failure),
        })
    })
    .await?;
    engine.delete(&map).await?;
    until_is(&engine, &map).await?;
    let words = format!("Dinghy.{group} {namespace}/one cannot be checked");
    let status = until_message(&engine, "ferry", "Ready", &words).await?;
    println!("engine: conversion fails: {status:#}");

    let none = json!({"strategy": "None", "webhook": null});
    engine.patch(&crd, conversion(none)).await?;
    engine.until_at_rest("ferry").await?;
    Ok(())
}

/// If the CRD is also a member, the controller creates it again together with its objects.
#[tokio::test]
async fn crd_member_is_recreated_with_its_objects() -> Result<(), Failure> {
    let Some(engine) = engine("pl-kind-back").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let group = format!("{namespace}.test");
    let crd = crd(&group, "yawls", "Yawl");
    let mut yawl = manifest(&format!("{group}/v1"), "Yawl", [namespace, "one"]);
    yawl["spec"] = json!({"masts": 2});
    let stages = json!([stage("all", &[crd.clone(), yawl.clone()])]);
    engine.plan_of("ferry", spec(stages)).await?;
    engine.until_at_rest("ferry").await?;
    let old = engine.object(&yawl).await?.expect("the object");
    engine.delete(&crd).await?;
    until("another one", PATIENCE, async || {
        let found = engine.object(&yawl).await.ok().flatten();
        let is_another = |found: &DynamicObject| found.metadata.uid != old.metadata.uid;
        Ok(match found {
            Some(found) if is_another(&found) => Seen::Yes(()),
            found => Seen::NotYet(format!("{found:?}")),
        })
    })
    .await?;
    engine.until_at_rest("ferry").await?;
    Ok(())
}

/// The Namespace of members is being deleted, and a finalizer delays the deletion. The plan reports
/// this, and the controller does not retry all the time. When the Namespace exists again, the
/// controller creates the members.
#[tokio::test]
async fn members_are_recreated_with_their_namespace() -> Result<(), Failure> {
    let Some(engine) = engine("pl-ns-gone").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let inner = format!("{}-inner", engine.namespace());
    let outer = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner}});
    engine.make(&outer).await?;
    let [ours, theirs] = ["ours", "theirs"].map(|name| config_map([&inner, name], "1"));
    engine.make(&theirs).await?;
    let hold = |all: &[&str]| json!({"metadata": {"finalizers": all}});
    engine.patch(&theirs, hold(&["ferry.test/hold"])).await?;
    let stages = json!([stage("all", std::slice::from_ref(&ours))]);
    engine.plan_of("ferry", spec(stages)).await?;
    engine.until_at_rest("ferry").await?;

    engine.delete(&outer).await?;
    let status = until_message(&engine, "ferry", "Drifted", "being terminated").await?;
    println!("engine: in a namespace that goes: {status:#}");
    engine.patch(&theirs, hold(&[])).await?;
    until_gone(&engine.api(&outer), &inner).await?;
    let status = until_message(&engine, "ferry", "Drifted", "not found").await?;
    println!("engine: in a namespace that is gone: {status:#}");
    engine.make(&outer).await?;
    until_is(&engine, &ours).await?;
    engine.until_at_rest("ferry").await?;
    engine.until("ferry", ALL_APPLIED).await?;
    Ok(())
}
