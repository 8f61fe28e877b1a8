//! Tests with Pods that prevent a plan from becoming ready.

use std::time::Instant;

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, deployment, engine, stage};

/// Returns a Deployment whose Pods crash repeatedly.
fn crashing(namespace: &str) -> Value {
    let mut ferry = deployment([namespace, "ferry"], "ferry");
    let annotations = json!({"rig.test/pod-state": "crash-looping"});
    ferry["spec"]["template"]["metadata"]["annotations"] = annotations;
    ferry
}

/// Waits until the message about the first object in the status contains this text.
async fn until_message(engine: &Engine, plan: &str, words: &str) -> Result<Value, Failure> {
    until(format!("{plan}: {words}"), PATIENCE, async || {
        let status = engine.status(plan).await?;
        let member = status["members"][0].clone();
        let message = member["message"].as_str().unwrap_or_default();
        Ok(if message.contains(words) {
            Seen::Yes(member)
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

/// While the stage waits, the status contains the Pod, its container and its exit code, if the
/// ServiceAccount may list Pods.
#[tokio::test]
async fn pod_that_crash_loops_is_named() -> Result<(), Failure> {
    let Some(engine) = engine("pl-pods").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let verbs = ["create", "get", "list", "patch", "watch"];
    let rules = json!([{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": verbs}]);
    engine.allow("deployments", rules).await?;
    let begun = Instant::now();
    engine
        .plan("ferry", json!([stage("all", &[crashing(namespace)])]))
        .await?;
    until_message(
        &engine,
        "ferry",
        "its Pods cannot be listed to find the cause: pods is forbidden",
    )
    .await?;
    println!(
        "engine: the missing permission to list Pods is reported after {:?}",
        begun.elapsed()
    );

    let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]);
    engine.allow("pods", rules).await?;
    let member = until_message(&engine, "ferry", "crash-loops").await?;
    println!("engine: the Pod is named after {:?}", begun.elapsed());
    let pod = &member["pod"];
    let reported = [
        &pod["cause"],
        &pod["container"],
        &pod["reason"],
        &pod["exitCode"],
    ];
    assert_eq!(
        reported.map(Value::clone),
        [
            json!("CrashLooping"),
            json!("main"),
            json!("CrashLoopBackOff"),
            json!(1),
        ],
        "{member}"
    );
    let name = pod["name"].as_str().expect("a Pod");
    let message = engine
        .until("ferry", ["Applied", "False", "Applying"])
        .await?;
    assert!(
        message.contains(&format!("Pod {namespace}/{name}")),
        "{message}"
    );
    Ok(())
}
