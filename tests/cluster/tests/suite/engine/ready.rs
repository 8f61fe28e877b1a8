//! Tests the rules in a plan that decide if a custom resource is ready.

use kube::api::{Patch, PatchParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{INSTALLER, config_map, engine, manifest, stage};

/// The next stage starts when the rule is true. The rule reads the status, which the controller of
/// the kind writes. Until then, the status of the plan reports what the rule waits for.
#[tokio::test]
async fn cel_rule_decides_when_custom_resource_is_ready() -> Result<(), Failure> {
    let Some(engine) = engine("pl-ready").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let namespace = engine.namespace();
    let group = format!("{namespace}.example.test");
    let ship = manifest(&format!("{group}/v1"), "Ship", [namespace, "ursula"]);
    let after = config_map([namespace, "after"], "1");
    let rule = "self.status.phase == 'Sailing' && self.status.crew >= 2";
    let mut ships = stage("ships", std::slice::from_ref(&ship));
    ships["ready"] = json!([{"kind": format!("Ship.{group}"), "cel": rule}]);
    let stages = json!([
        stage("definitions", &[crd(&group)]),
        ships,
        stage("after", std::slice::from_ref(&after)),
    ]);
    engine.plan("ferry", stages).await?;
    until_message(&engine, "there is no field \"status\"").await?;
    sail(&engine, &ship, json!({"phase": "Sailing", "crew": 1})).await?;
    until_message(&engine, "has a readiness rule that is not true").await?;
    assert!(
        engine.object(&after).await?.is_none(),
        "the next stage waits"
    );
    sail(&engine, &ship, json!({"crew": 2})).await?;
    engine.until_ready("ferry").await?;
    assert!(engine.object(&after).await?.is_some());
    // The rule is evaluated with the current status.
    sail(&engine, &ship, json!({"phase": "Sinking"})).await?;
    engine
        .until("ferry", ["Ready", "False", "MembersNotReady"])
        .await?;
    Ok(())
}

/// The plan reports an invalid rule with its path, and the controller writes no object.
#[tokio::test]
async fn invalid_readiness_rule_is_rejected() -> Result<(), Failure> {
    let Some(engine) = engine("pl-ready-not").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = config_map([engine.namespace(), "a"], "1");
    let mut all = stage("all", std::slice::from_ref(&map));
    all["ready"] = json!([{"kind": "Ship.ferry.example", "cel": "object.status.ready == true"}]);
    let spec = json!({"serviceAccountName": INSTALLER, "stages": [all]});
    engine.plan_of("ferry", spec).await?;
    let message = engine
        .until("ferry", ["Valid", "False", "SpecInvalid"])
        .await?;
    let place = "spec.stages[0].ready[0].cel is no rule: the rule uses \"object\", but only \"self\" exists";
    assert!(message.contains(place), "{message}");
    assert!(engine.object(&map).await?.is_none());
    Ok(())
}

async fn until_message(engine: &super::stage::Engine, sentence: &str) -> Result<(), Failure> {
    until(sentence.to_owned(), PATIENCE, async || {
        let status = engine.status("ferry").await?;
        let mut members = status["members"].as_array().into_iter().flatten();
        let is_reported = members.any(|member| {
            let message = member["message"].as_str();
            message.is_some_and(|message| message.contains(sentence))
        });
        Ok(if is_reported {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

async fn sail(engine: &super::stage::Engine, ship: &Value, status: Value) -> Result<(), Failure> {
    let status = Patch::Merge(json!({"status": status}));
    let api = engine.api(ship);
    api.patch_status("ursula", &PatchParams::default(), &status)
        .await?;
    Ok(())
}

fn crd(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("ships.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"kind": "Ship", "plural": "ships"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                }}},
            }],
        },
    })
}
