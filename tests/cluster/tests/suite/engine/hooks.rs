//! Webhooks of others that have a say in what a plan applies, and do not answer; and API servers that take
//! their time.

use std::time::{Duration, Instant};

use kube::api::PostParams;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::faults::{behind_proxy, until_told};
use super::stage::{Engine, config_map, engine, stage};

/// How long an API server thinks about a definition.
const THINKS: Duration = Duration::from_secs(3);

/// A webhook for ConfigMaps of the namespace, behind which nobody is.
fn hook(engine: &Engine, failure_policy: &str) -> Value {
    let namespace = engine.namespace();
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": format!("{namespace}.example.test")},
        "webhooks": [{
            "name": "ferry.example.test",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "failurePolicy": failure_policy,
            "timeoutSeconds": 2,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "clientConfig": {"service": {"name": "nobody", "namespace": namespace}},
            "rules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                "operations": ["CREATE", "UPDATE"],
            }],
        }],
    })
}

/// Where the API server refuses without its webhook, the plan waits, says for what, and goes on once the
/// webhook is gone or back; where it does not, the plan does not wait.
#[tokio::test]
async fn a_webhook_that_is_away_holds_a_plan_up_as_its_policy_says() -> Result<(), Failure> {
    let Some(engine) = engine("pl-no-hook").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let fails = hook(&engine, "Fail");
    engine.make(&fails).await?;
    let map = config_map([namespace, "held"], "1");
    until_asked(&engine, &map).await?;
    let stages = json!([stage("all", std::slice::from_ref(&map))]);
    engine.plan("held", stages).await?;
    let status = until_told(&engine, "held", "Applied", "failed calling webhook").await?;
    println!("engine: {}", status["conditions"]);
    assert_eq!(status["phase"], "Applying", "{status:#}");
    assert!(engine.object(&map).await?.is_none());
    engine.delete(&fails).await?;
    engine.until_ready("held").await?;

    let ignores = hook(&engine, "Ignore");
    engine.make(&ignores).await?;
    let map = config_map([namespace, "free"], "1");
    engine.plan("free", json!([stage("all", &[map])])).await?;
    engine.until_ready("free").await?;
    engine.delete(&ignores).await?;
    Ok(())
}

/// Waits until the webhook is asked about an object, which it is a moment after it is there.
async fn until_asked(engine: &Engine, manifest: &Value) -> Result<(), Failure> {
    let object = serde_json::from_value(manifest.clone()).map_err(Failure::read("a manifest"))?;
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    until("the webhook to be asked", PATIENCE, async || {
        let answer = engine.api(manifest).create(&dry, &object).await;
        let said = format!("{answer:?}");
        Ok(if said.contains("failed calling webhook") {
            Seen::Yes(())
        } else {
            Seen::NotYet(said)
        })
    })
    .await
}

/// A definition about which the API server thinks for long holds up its own plan, and no other.
#[tokio::test]
async fn who_thinks_for_long_holds_up_one_plan() -> Result<(), Failure> {
    let Some((engine, proxy, _folder)) = behind_proxy("pl-slow").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let group = format!("{namespace}.example.test");
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("rafts.{group}")},
        "spec": {
            "group": group,
            "names": {"kind": "Raft", "plural": "rafts"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object"},
            }}],
        },
    });
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    proxy.delay(
        portolan_kit::proxy::Matcher::writes().under(definitions),
        THINKS,
    );
    let begun = Instant::now();
    let raft = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Raft",
        "metadata": {"name": "a", "namespace": namespace},
    });
    let stages = json!([stage("all", &[definition.clone(), raft])]);
    engine.plan("slow", stages).await?;
    let map = config_map([namespace, "quick"], "1");
    engine.plan("quick", json!([stage("all", &[map])])).await?;
    engine.until_ready("quick").await?;
    let quick = begun.elapsed();
    engine.until_ready("slow").await?;
    let slow = begun.elapsed();
    println!(
        "engine: {} ms, and {} ms",
        quick.as_millis(),
        slow.as_millis()
    );
    assert!(quick < slow && slow > 2 * THINKS, "a dry run, and an apply");
    engine.delete(&definition).await?;
    Ok(())
}
