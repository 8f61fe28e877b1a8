//! Tests with Pods that fail after OLM has installed the operator.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::Failure;
use serde_json::json;

use super::diagnoses::{one, root};
use super::stage::{Dumped, Stage, stage};

const PODS: &str = "operator=eider";
const EIDER: &str = "Deployment eider";

#[tokio::test]
async fn diagnoses_every_failure_of_pods() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-pods").await? else {
        return Ok(());
    };
    let offered = catalog("eider: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("eider").await?;
    stage.well("eider").await?;

    let pods = stage.world.pods();
    pods.unpullable(PODS).await?;
    ails(&stage, Code::ImagePullFailing).await?;
    pods.crash_looping(PODS).await?;
    last_words(&stage).await?;
    ails(&stage, Code::CrashLooping).await?;
    pods.unready(PODS).await?;
    ails(&stage, Code::ProbeFailing).await?;
    pods.pending(PODS).await?;
    waits_for_a_secret(&stage).await?;
    let secret = root("eider", Code::ContainerNotCreated, "Secret feathers");
    stage.external(secret, Dumped::Alike).await?;
    pods.ready(PODS).await?;
    stage.well("eider").await?;
    Ok(())
}

async fn ails(stage: &Stage, code: Code) -> Result<(), Failure> {
    stage
        .external(root("eider", code, EIDER), Dumped::Alike)
        .await
}

/// The container writes the cause to its log before it exits.
async fn last_words(stage: &Stage) -> Result<(), Failure> {
    stage
        .diagnoses
        .until(&root("eider", Code::CrashLooping, EIDER))
        .await;
    let ended = json!({"exitCode": 3, "reason": "Error", "message": "no nest to sit on"});
    change_status(stage, &json!({"lastState": {"terminated": ended}})).await?;
    stage
        .diagnoses
        .shows("its last words", |all| {
            let root = one(all, "eider").and_then(|one| one.cause.as_ref());
            root.is_some_and(|root| {
                let mut quotes = root.quotes.iter();
                let has_words = quotes.any(|quote| quote.text == "no nest to sit on");
                root.message.contains("exit code 3") && has_words
            })
        })
        .await;
    Ok(())
}

async fn waits_for_a_secret(stage: &Stage) -> Result<(), Failure> {
    let waiting = json!({
        "reason": "CreateContainerConfigError",
        "message": "secret \"feathers\" not found",
    });
    let waits = "kubectl -n $NS wait pods -l operator=eider --timeout=180s \
        --for=jsonpath='{.status.containerStatuses[0].state.waiting.reason}'=ContainerCreating";
    stage.types(waits).await?;
    change_status(stage, &json!({"state": {"waiting": waiting}})).await
}

/// Changes the status of the operator's container, which a kubelet would write.
async fn change_status(stage: &Stage, change: &serde_json::Value) -> Result<(), Failure> {
    let (field, value) = change
        .as_object()
        .and_then(|it| it.iter().next())
        .expect("a field");
    let path = format!("/status/containerStatuses/0/{field}");
    let patch = json!([{"op": "add", "path": path, "value": value}]);
    let line = format!(
        "kubectl -n $NS patch --subresource=status --type json -p '{patch}' \
         $(kubectl -n $NS get pods -l {PODS} -o name)"
    );
    stage.types(&line).await
}
