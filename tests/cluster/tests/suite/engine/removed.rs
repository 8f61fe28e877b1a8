//! Portolan goes, in whatever order: what plans made stays, and nothing waits for ever.

use std::fs;
use std::process::Command;

use kube::api::{DeleteParams, DynamicObject, ListParams};
use portolan_controller::release_finalizers;
use portolan_kit::TempFolder;
use portolan_rig::{Failure, HELM, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, own_engine, stage};
use crate::firstuse::manifests::with;
use crate::kubectl::{Kubectl, ROOT};
use crate::program::output;

const DEFINITIONS: &str = "deploy/crds";

/// Two plans that are ready, of which one has all that it made deleted with it, and what they made.
async fn ready(engine: &Engine) -> Result<Vec<DynamicObject>, Failure> {
    engine.allow_everywhere().await?;
    let maps = maps(engine);
    for (name, end, map) in [("goes", "Delete", &maps[0]), ("stays", "Keep", &maps[1])] {
        let spec = json!({
            "serviceAccountName": INSTALLER, "lifecycle": {"onPlanDeletion": end},
            "stages": [stage("all", std::slice::from_ref(map))],
        });
        engine.plan_of(name, spec).await?;
        engine.until_ready(name).await?;
    }
    let plan = engine.plans().get("goes").await?;
    assert_eq!(plan.metadata.finalizers.map(|all| all.len()), Some(1));
    there(engine).await
}

fn maps(engine: &Engine) -> [Value; 2] {
    ["a", "b"].map(|name| config_map([engine.namespace(), name], "1"))
}

/// What the plans made, all of which is there.
async fn there(engine: &Engine) -> Result<Vec<DynamicObject>, Failure> {
    let mut there = Vec::new();
    for map in maps(engine) {
        there.push(engine.object(&map).await?.expect("it stays"));
    }
    Ok(there)
}

async fn is_as_it_was(engine: &Engine, before: &[DynamicObject]) -> Result<(), Failure> {
    let versions = |all: &[DynamicObject]| -> Vec<_> {
        let metadata = all.iter().map(|object| &object.metadata);
        metadata
            .map(|it| (it.uid.clone(), it.resource_version.clone()))
            .collect()
    };
    assert_eq!(versions(&there(engine).await?), versions(before));
    Ok(())
}

/// Where the definitions go first, the controller lets each plan go, and leaves what it made.
#[tokio::test]
async fn definitions_that_go_first_take_nothing_along() -> Result<(), Failure> {
    let Some(engine) = own_engine("pl-gone-kinds").await? else {
        return Ok(());
    };
    let before = ready(&engine).await?;
    // It waits until all plans are gone.
    let delete = [
        "delete",
        "-f",
        DEFINITIONS,
        "--timeout=180s",
        "--ignore-not-found",
    ];
    Kubectl::of(engine.cluster()).says(&delete).await?;
    is_as_it_was(&engine, &before).await
}

/// Where the controller goes first, nobody waits before the definitions go; and then one command lets
/// them go.
#[tokio::test]
async fn a_controller_that_goes_first_leaves_plans_that_are_let_go() -> Result<(), Failure> {
    let Some(mut engine) = own_engine("pl-gone-controller").await? else {
        return Ok(());
    };
    let before = ready(&engine).await?;
    engine.stop();
    let kubectl = Kubectl::of(engine.cluster());
    let delete = [
        "delete",
        "-f",
        DEFINITIONS,
        "--wait=false",
        "--ignore-not-found",
    ];
    kubectl.says(&delete).await?;
    let plans = engine.plans();
    until("the plan to be held", PATIENCE, async || {
        let plan = plans.get("goes").await?;
        Ok(match plan.metadata.deletion_timestamp {
            Some(_) => Seen::Yes(()),
            None => Seen::NotYet("nobody deletes it".to_owned()),
        })
    })
    .await?;
    let freed = release_finalizers(engine.client(), |_| {}).await;
    let freed = freed.expect("plans that can be listed");
    assert_eq!((freed.count, freed.failures), (1, Vec::new()));
    let wait = [
        "wait",
        "--for=delete",
        "--timeout=180s",
        "crd/installplans.plans.portolan.dev",
    ];
    kubectl.says(&wait).await?;
    is_as_it_was(&engine, &before).await
}

/// Helm keeps the definitions, and with them all plans. `kubectl delete` of an overlay takes them along, and then the
/// plans let go.
#[tokio::test]
async fn who_uninstalls_by_helm_or_an_overlay_takes_nothing_along() -> Result<(), Failure> {
    let Some(engine) = own_engine("pl-gone-chart").await? else {
        return Ok(());
    };
    let chart = ["install", "portolan", "deploy/chart", "--create-namespace"];
    // The definitions are there already, as the controller of the story needs them.
    let with_plans = ["--take-ownership", "--set=plans.enabled=true"];
    helm(&engine, &[&chart[..], &with_plans].concat()).await?;
    let before = ready(&engine).await?;
    helm(&engine, &["uninstall", "portolan"]).await?;
    is_as_it_was(&engine, &before).await?;
    let plans = engine.plans().list(&ListParams::default()).await?;
    assert_eq!(plans.items.len(), 2);

    let folder = TempFolder::empty();
    let file = folder.join("overlay.yaml");
    let rendered = with(&["plans"]).await?;
    fs::write(&file, rendered).map_err(Failure::touch("write an overlay"))?;
    let file = file.display().to_string();
    let kubectl = Kubectl::of(engine.cluster());
    let apply = ["apply", "--server-side", "--force-conflicts", "-f", &file];
    kubectl.says(&apply).await?;
    is_as_it_was(&engine, &before).await?;
    // It waits until all plans are gone.
    let delete = ["delete", "-f", &file, "--timeout=180s"];
    kubectl.says(&delete).await?;
    is_as_it_was(&engine, &before).await
}

/// What Helm is to do in the namespace of Portolan, which must be good.
async fn helm(engine: &Engine, words: &[&str]) -> Result<(), Failure> {
    let built = tokio::task::spawn_blocking(|| HELM.program());
    let program = built.await.map_err(Failure::read("the end of a build"))??;
    let mut command = Command::new(program);
    command
        .args(words)
        .arg("--namespace=portolan")
        .arg(format!(
            "--kubeconfig={}",
            engine.cluster().kubeconfig().display()
        ))
        .current_dir(ROOT);
    let said = output(command).await?;
    let complaint = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "helm {words:?}: {complaint}");
    Ok(())
}

/// With a namespace its ServiceAccounts and roles go, often before its plans: these let go of what they
/// made in other namespaces, as nobody can delete that any more.
#[tokio::test]
async fn a_namespace_that_goes_is_not_held_by_its_plans() -> Result<(), Failure> {
    let Some(mut engine) = own_engine("pl-gone-place").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let other = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "pl-gone-other"},
    });
    engine.make(&other).await?;
    let all = [
        config_map([engine.namespace(), "a"], "1"),
        config_map(["pl-gone-other", "b"], "1"),
    ];
    let spec = json!({
        "serviceAccountName": INSTALLER, "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [stage("all", &all)],
    });
    engine.plan_of("ferry", spec).await?;
    engine.until_ready("ferry").await?;
    // Meanwhile nobody looks: all but the plan is gone when somebody does.
    engine.stop();
    let namespaces = Kind::Namespace.everywhere(engine.client());
    let here = engine.namespace().to_owned();
    namespaces.delete(&here, &DeleteParams::default()).await?;
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
        "name": INSTALLER, "namespace": here,
    }});
    until("the account to be gone", PATIENCE, async || {
        Ok(match engine.object(&account).await? {
            None => Seen::Yes(()),
            Some(_) => Seen::NotYet("it is there".to_owned()),
        })
    })
    .await?;
    engine.start().await?;
    until("the namespace to be gone", PATIENCE, async || {
        Ok(match namespaces.get_opt(&here).await? {
            None => Seen::Yes(()),
            Some(namespace) => Seen::NotYet(namespace.data["status"].to_string()),
        })
    })
    .await?;
    assert!(engine.object(&all[1]).await?.is_some(), "it is kept");
    Ok(())
}
