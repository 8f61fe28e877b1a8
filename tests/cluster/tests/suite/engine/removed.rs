//! Tests the uninstall of Portolan, in any order. The objects of plans are kept, and no deletion
//! blocks forever.

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
use crate::objects::api;
use crate::program::output;

const CRDS: &str = "deploy/crds";

/// Creates two plans, and waits until both are ready. Returns their objects. The deletion of one of
/// the plans would also delete its objects.
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

/// Returns the objects of the plans. Panics if an object is missing.
async fn there(engine: &Engine) -> Result<Vec<DynamicObject>, Failure> {
    let mut there = Vec::new();
    for map in maps(engine) {
        there.push(engine.object(&map).await?.expect("the object"));
    }
    Ok(there)
}

async fn is_unchanged(engine: &Engine, before: &[DynamicObject]) -> Result<(), Failure> {
    let versions = |all: &[DynamicObject]| -> Vec<_> {
        let metadata = all.iter().map(|object| &object.metadata);
        metadata
            .map(|it| (it.uid.clone(), it.resource_version.clone()))
            .collect()
    };
    assert_eq!(versions(&there(engine).await?), versions(before));
    Ok(())
}

/// If a user deletes the CRDs first, the controller removes the finalizer of each plan, and keeps
/// the objects.
#[tokio::test]
async fn deleting_crds_first_keeps_objects_of_plans() -> Result<(), Failure> {
    let Some(engine) = own_engine("pl-gone-kinds").await? else {
        return Ok(());
    };
    let before = ready(&engine).await?;
    // The command waits until all plans are deleted.
    let delete = ["delete", "-f", CRDS, "--timeout=180s", "--ignore-not-found"];
    Kubectl::of(engine.cluster()).run(&delete).await?;
    is_unchanged(&engine, &before).await
}

/// If a user removes the controller first, the deletion of the CRDs blocks until a command removes
/// the finalizers of the plans.
#[tokio::test]
async fn plans_without_controller_are_released_by_command() -> Result<(), Failure> {
    let Some(mut engine) = own_engine("pl-gone-controller").await? else {
        return Ok(());
    };
    let before = ready(&engine).await?;
    engine.stop();
    let kubectl = Kubectl::of(engine.cluster());
    let delete = ["delete", "-f", CRDS, "--wait=false", "--ignore-not-found"];
    kubectl.run(&delete).await?;
    let plans = engine.plans();
    until("the plan to be held", PATIENCE, async || {
        let plan = plans.get("goes").await?;
        Ok(match plan.metadata.deletion_timestamp {
            Some(_) => Seen::Yes(()),
            None => Seen::NotYet("it is not being deleted".to_owned()),
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
    kubectl.run(&wait).await?;
    is_unchanged(&engine, &before).await
}

/// An uninstall with Helm keeps the CRDs and all plans. `kubectl delete` of an overlay deletes the
/// CRDs, and the finalizers of the plans are removed.
#[tokio::test]
async fn uninstall_by_helm_or_overlay_keeps_objects_of_plans() -> Result<(), Failure> {
    let Some(engine) = own_engine("pl-gone-chart").await? else {
        return Ok(());
    };
    // The CRDs already exist, because the controller of the test needs them, so Helm must take them
    // over.
    let chart = ["portolan", "deploy/chart", "--take-ownership"];
    let install = ["install", "--create-namespace"];
    helm(&engine, &[&install[..], &chart].concat()).await?;
    let secrets = api(engine.client(), ["v1", "Secret", "portolan"]);
    let issued = secrets.get("portolan-health-tls").await?;
    let with_plans = ["--set=plans.enabled=true"];
    helm(&engine, &[&["upgrade"], &chart[..], &with_plans].concat()).await?;
    let kept = secrets.get("portolan-health-tls").await?;
    assert_eq!(
        kept.data["data"], issued.data["data"],
        "an upgrade keeps certificates"
    );
    let before = ready(&engine).await?;
    // Without a kubelet, the Job that removes the finalizers would never run.
    helm(&engine, &["uninstall", "portolan", "--no-hooks"]).await?;
    is_unchanged(&engine, &before).await?;
    let left = secrets.list(&ListParams::default()).await?;
    assert_eq!(left.items.len(), 0, "the chart removes its Secrets");
    let plans = engine.plans().list(&ListParams::default()).await?;
    assert_eq!(plans.items.len(), 2);

    let folder = TempFolder::empty();
    let file = folder.join("overlay.yaml");
    let rendered = with(&["plans"]).await?;
    fs::write(&file, rendered).map_err(Failure::touch("write an overlay"))?;
    let file = file.display().to_string();
    let kubectl = Kubectl::of(engine.cluster());
    let apply = ["apply", "--server-side", "--force-conflicts", "-f", &file];
    kubectl.run(&apply).await?;
    is_unchanged(&engine, &before).await?;
    // The command waits until all plans are deleted.
    let delete = ["delete", "-f", &file, "--timeout=180s"];
    kubectl.run(&delete).await?;
    is_unchanged(&engine, &before).await
}

/// Runs Helm in the namespace of Portolan. Panics if Helm fails.
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
    let done = output(command).await?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "helm {words:?}: {complaint}");
    Ok(())
}

/// The ServiceAccounts and roles of a deleted namespace are often deleted before its plans. Such a
/// plan keeps its objects in other namespaces, because no ServiceAccount is left that could delete
/// these objects.
#[tokio::test]
async fn namespace_deletion_is_not_blocked_by_its_plans() -> Result<(), Failure> {
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
    // Starts no controller until only the plan is left in the namespace.
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
            Some(_) => Seen::NotYet("it still exists".to_owned()),
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
    assert!(
        engine.object(&all[1]).await?.is_some(),
        "the object is kept"
    );
    Ok(())
}
