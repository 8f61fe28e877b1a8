//! Tests `plan diff --live` and `plan status --watch` on a real control plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_kit::TempFolder;
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, stage};
use crate::program::{output, portolan};

/// Runs `portolan plan` with a kubeconfig. Returns the exit code and all output.
async fn plan(kubeconfig: &Path, words: &[&str]) -> Result<(Option<i32>, String), Failure> {
    let mut command = Command::new(portolan().await?);
    command
        .arg("plan")
        .args(words)
        .arg("--kubeconfig")
        .arg(kubeconfig);
    let Output {
        status,
        stdout,
        stderr,
    } = output(command).await?;
    let printed = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    println!("plan {words:?}: {status}\n{}", printed.concat());
    Ok((status.code(), printed.concat()))
}

fn secret(namespace: &str, password: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "door", "namespace": namespace},
        "stringData": {"password": password},
    })
}

/// Writes the next version of a plan into a file, and returns its path.
fn next(engine: &Engine, folder: &TempFolder, resources: &[Value]) -> Result<PathBuf, Failure> {
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "b", "namespace": engine.namespace()},
        "spec": {
            "serviceAccountName": INSTALLER,
            "replaces": [{"name": "a"}],
            "stages": [stage("all", resources)],
        },
    });
    let file = folder.join("next.json");
    fs::write(&file, plan.to_string()).map_err(Failure::touch("write a plan"))?;
    Ok(file)
}

#[tokio::test]
async fn plan_diff_compares_with_cluster_and_status_watches() -> Result<(), Failure> {
    let Some(engine) = engine("pl-live").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let here = engine.namespace().to_owned();
    let admin = engine.cluster().kubeconfig();
    let map = |name, value| config_map([&here, name], value);
    let first = [
        map("shared", "1"),
        map("changed", "1"),
        map("dropped", "1"),
        secret(&here, "open"),
    ];
    engine.plan("a", json!([stage("all", &first)])).await?;
    let words = ["status", "a", "-n", &here, "--watch", "--timeout", "120"];
    let (code, printed) = plan(&admin, &words).await?;
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains(&format!("{here}/a: Ready")), "{printed}");

    // An object without an owner already exists. It has the name of an object that the plan adds.
    engine.make(&map("found", "1")).await?;
    let folder = TempFolder::empty();
    let second = [
        map("shared", "1"),
        map("changed", "2"),
        map("added", "1"),
        map("found", "1"),
        secret(&here, "shut"),
    ];
    let file = next(&engine, &folder, &second)?.display().to_string();
    let before = engine.object(&first[1]).await?.expect("the object");
    let (code, printed) = plan(&admin, &["diff", &file, "--live"]).await?;
    assert_eq!(code, Some(1), "{printed}");
    let expected = format!(
        "b on the cluster\n\nCreated:\n  ConfigMap {here}/added\n\nChanged:\n  ConfigMap {here}/changed\n    \
         .data.value\n    - \"1\"\n    + \"2\"\n  Secret {here}/door\n    .data.password\n    - (hidden)\n    + \
         (hidden)\n\nDeleted:\n  ConfigMap {here}/dropped\n\nRejected:\n  ConfigMap {here}/found: already exists"
    );
    assert!(printed.contains(&expected), "{printed}");
    assert!(printed.contains("1 object unchanged."), "{printed}");
    assert!(
        engine.object(&second[2]).await?.is_none(),
        "nothing is written"
    );
    let after = engine.object(&first[1]).await?.expect("the object");
    assert_eq!(
        after.metadata.resource_version,
        before.metadata.resource_version
    );

    // A user without write permission gets the reason why each dry run is denied.
    let viewer = engine.cluster().admit("viewer", None)?;
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "live-viewer"},
        "rules": [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]},
            {"apiGroups": ["plans.portolan.dev"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
        ],
    });
    engine.make(&role).await?;
    engine
        .make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "live-viewer"},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "live-viewer",
            },
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "viewer"}],
        }))
        .await?;
    let (code, printed) = plan(&viewer, &["diff", &file, "--live"]).await?;
    assert_eq!(code, Some(1), "{printed}");
    let denied = format!(
        "ConfigMap {here}/changed: the API server rejects the object: configmaps \"changed\" is \
         forbidden"
    );
    assert!(printed.contains(&denied), "{printed}");
    let unread = format!("Not compared:\n  Secret {here}/door: cannot be read: ");
    assert!(printed.contains(&unread), "{printed}");

    let third = [
        map("shared", "1"),
        map("changed", "2"),
        secret(&here, "shut"),
    ];
    next(&engine, &folder, &third)?;
    let manifest: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    engine.make(&manifest).await?;
    engine.until_at_rest("b").await?;
    engine
        .until("a", ["Replaced", "True", "HandedOver"])
        .await?;
    let (code, printed) = plan(&admin, &["diff", "b", "-n", &here, "--live"]).await?;
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains("Nothing changes: 3 objects unchanged."),
        "{printed}"
    );
    let (code, printed) = plan(&admin, &["diff", "a", "-n", &here, "--live"]).await?;
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains("a changes nothing: b has replaced this plan"),
        "{printed}"
    );
    Ok(())
}
