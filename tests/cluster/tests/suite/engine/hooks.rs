//! Tests with webhooks of other owners that do not respond, and with slow API servers.

use std::time::{Duration, Instant};

use kube::api::PostParams;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::faults::{behind_proxy, until_message};
use super::stage::{Engine, config_map, engine, stage};

/// The time that the API server needs to admit a CRD in this test.
const THINKS: Duration = Duration::from_secs(3);

/// Returns a webhook configuration for ConfigMaps in the namespace. Its Service does not exist.
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

/// With the failure policy Fail, the plan waits and reports the webhook. It continues when the
/// webhook is deleted or responds. With the failure policy Ignore, the plan does not wait.
#[tokio::test]
async fn unavailable_webhook_blocks_plan_by_failure_policy() -> Result<(), Failure> {
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
    let status = until_message(&engine, "held", "Applied", "failed calling webhook").await?;
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

/// Waits until the API server calls the webhook for an object. This happens shortly after the
/// webhook is created.
async fn until_asked(engine: &Engine, manifest: &Value) -> Result<(), Failure> {
    let object = serde_json::from_value(manifest.clone()).map_err(Failure::read("a manifest"))?;
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    until("the webhook to be called", PATIENCE, async || {
        let answer = engine.api(manifest).create(&dry, &object).await;
        let answer_text = format!("{answer:?}");
        Ok(if answer_text.contains("failed calling webhook") {
            Seen::Yes(())
        } else {
            Seen::NotYet(answer_text)
        })
    })
    .await
}

/// The API server needs a long time to admit a CRD. This delays only the plan with the CRD, and no
/// other plan.
#[tokio::test]
async fn slow_admission_of_one_plan_does_not_delay_other_plans() -> Result<(), Failure> {
    let Some((engine, proxy, _folder)) = behind_proxy("pl-slow").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let group = format!("{namespace}.example.test");
    let crd = json!({
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
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    proxy.delay(portolan_kit::proxy::Matcher::writes().under(crds), THINKS);
    let begun = Instant::now();
    let raft = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Raft",
        "metadata": {"name": "a", "namespace": namespace},
    });
    let stages = json!([stage("all", &[crd.clone(), raft])]);
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
    engine.delete(&crd).await?;
    Ok(())
}
