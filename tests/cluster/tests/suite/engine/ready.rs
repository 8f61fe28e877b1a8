//! When custom resources are ready, as the author of a plan says.

use kube::api::{Patch, PatchParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{INSTALLER, config_map, engine, manifest, stage};

/// The next stage waits until the rule is true of what the controller of the kind writes; until then it is
/// told what is missing.
#[tokio::test]
async fn a_rule_says_when_a_custom_resource_is_ready() -> Result<(), Failure> {
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
        stage("definitions", &[definition(&group)]),
        ships,
        stage("after", std::slice::from_ref(&after)),
    ]);
    engine.plan("ferry", stages).await?;
    told(&engine, "there is no field \"status\"").await?;
    sail(&engine, &ship, json!({"phase": "Sailing", "crew": 1})).await?;
    told(&engine, "its rule is not true").await?;
    assert!(engine.object(&after).await?.is_none(), "it waits");
    sail(&engine, &ship, json!({"crew": 2})).await?;
    engine.until_ready("ferry").await?;
    assert!(engine.object(&after).await?.is_some());
    // It is as it is now.
    sail(&engine, &ship, json!({"phase": "Sinking"})).await?;
    engine
        .until("ferry", ["Ready", "False", "MembersNotReady"])
        .await?;
    Ok(())
}

/// A rule that nobody can judge is told with its place, and nothing is written.
#[tokio::test]
async fn a_rule_that_cannot_be_judged_is_no_plan() -> Result<(), Failure> {
    let Some(engine) = engine("pl-ready-not").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = config_map([engine.namespace(), "a"], "1");
    let mut all = stage("all", std::slice::from_ref(&map));
    all["ready"] = json!([{"kind": "Ship.ferry.example", "cel": "object.status.ready == true"}]);
    let spec = json!({"serviceAccountName": INSTALLER, "stages": [all]});
    engine.plan_of("ferry", spec).await?;
    let told = engine
        .until("ferry", ["Valid", "False", "SpecInvalid"])
        .await?;
    let place = "spec.stages[0].ready[0].cel is no rule: the rule names \"object\", and there is only \"self\"";
    assert!(told.contains(place), "{told}");
    assert!(engine.object(&map).await?.is_none());
    Ok(())
}

async fn told(engine: &super::stage::Engine, sentence: &str) -> Result<(), Failure> {
    until(sentence.to_owned(), PATIENCE, async || {
        let status = engine.status("ferry").await?;
        let mut members = status["members"].as_array().into_iter().flatten();
        let is_told = members.any(|member| {
            let message = member["message"].as_str();
            message.is_some_and(|message| message.contains(sentence))
        });
        Ok(if is_told {
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

fn definition(group: &str) -> Value {
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
