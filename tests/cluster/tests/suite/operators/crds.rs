//! Tests CRDs that lose a version or a field in a newer bundle.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams};
use portolan_kit::TempFolder;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Harbor, harbor, spec_at, version};
use crate::objects::api;
use crate::program::{output, portolan};

#[tokio::test]
async fn crd_upgrade_that_removes_stored_version_is_refused() -> Result<(), Failure> {
    let both = [
        version("ferry", "1.0.0").defining(&["v1alpha1"]),
        version("ferry", "1.1.0").defining(&["v1"]),
    ];
    let Some(harbor) = harbor("operators-definitions", &both).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    preview_compares_with_the_cluster(&harbor).await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let unsafe_ = ["Installing", "False", "CrdUpgradeUnsafe"];
    let message = harbor.until("ferry", unsafe_).await?;
    assert!(message.contains("ships.ferry.example: "), "{message}");
    let refused = "the API server refuses this change, so the change cannot be accepted";
    assert!(message.ends_with(refused), "{message}");
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);
    // The API server does not permit to remove a stored version. A user may accept the change, but
    // then the plan is invalid.
    harbor
        .kubectl(&[
            "annotate",
            "operators.operators.operatorframework.io",
            "ferry",
            "operators.portolan.dev/accept-breaks=ferry.v1.1.0",
        ])
        .await?;
    let invalid = ["Installing", "False", "PlanInvalid"];
    harbor.until("ferry", invalid).await?;
    deletion_reports_remaining_custom_resources(&harbor).await
}

/// A preview from a folder without the installed bundle reads the old CRD from the cluster.
async fn preview_compares_with_the_cluster(harbor: &Harbor) -> Result<(), Failure> {
    let folder = TempFolder::empty();
    let bundles = folder.join("bundles");
    let package = bundles.join("ferry");
    let write = Failure::touch("write a folder of bundles");
    fs::create_dir_all(&package).map_err(write)?;
    let linked = symlink(harbor.bundle("ferry", "1.1.0"), package.join("1.1.0"));
    linked.map_err(Failure::touch("link to a bundle"))?;
    let input = folder.join("ferry.yaml");
    let kind = "operators.operators.operatorframework.io";
    let operator = harbor
        .kubectl(&["get", kind, "ferry", "-o", "yaml"])
        .await?;
    fs::write(&input, operator).map_err(Failure::touch("write an input"))?;
    let mut command = Command::new(portolan().await?);
    command.args(["generate", "ferry=1.1.0", "--diff", "-o", "json"]);
    command.arg("--filename").arg(&input);
    command.arg("--bundles").arg(&bundles);
    let kubeconfig = harbor.world().cluster().kubeconfig();
    command.arg("--kubeconfig").arg(kubeconfig);
    let catalog = harbor.catalog_folder();
    command.arg(format!("--catalog=demo={}", catalog.display()));
    let done = output(command).await?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{complaint}");
    let changes: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let change = &changes[0]["unsafeUpdates"][0]["changes"][0];
    assert_eq!(change["crd"], "ships.ferry.example", "{changes}");
    assert_eq!(change["check"], "storedVersionRemoval", "{changes}");
    assert_eq!(changes[0]["notCompared"], Value::Null, "{changes}");
    Ok(())
}

/// After the deletion of an Operator, its CRD and custom resources are kept. The controller reports
/// the number of custom resources.
async fn deletion_reports_remaining_custom_resources(harbor: &Harbor) -> Result<(), Failure> {
    let ships = api(
        harbor.client(),
        ["ferry.example/v1alpha1", "Ship", harbor.home()],
    );
    for name in ["ann", "bo"] {
        harbor
            .make(&json!({
                "apiVersion": "ferry.example/v1alpha1", "kind": "Ship",
                "metadata": {"name": name, "namespace": harbor.home()},
            }))
            .await?;
    }
    // A finalizer delays the deletion of the last plan, so that the test can read the condition.
    let plans = harbor.plans();
    finalizers(&plans, |all| all.push("story.test/held".to_owned())).await?;
    harbor.delete("ferry").await?;
    let going = ["Installing", "False", "Deleting"];
    let home = harbor.home();
    let stay = format!(
        "2 ships.ferry.example ({home}/ann, {home}/bo) are kept, but no operator manages \
                 them any more"
    );
    until(
        "the custom resources to be reported",
        PATIENCE,
        async || {
            let message = harbor.until("ferry", going).await?;
            Ok(if message.ends_with(&stay) {
                Seen::Yes(())
            } else {
                Seen::NotYet(message)
            })
        },
    )
    .await?;
    finalizers(&plans, |all| all.retain(|it| it != "story.test/held")).await?;
    harbor.until_gone("ferry").await?;
    let ships = ships.list(&ListParams::default()).await?;
    assert_eq!(ships.items.len(), 2);
    Ok(())
}

/// Changes the finalizers of the plan. The list contains the finalizer of the controller.
async fn finalizers(
    plans: &Api<DynamicObject>,
    change: impl Fn(&mut Vec<String>),
) -> Result<(), Failure> {
    until("the finalizers to be changed", PATIENCE, async || {
        let read = plans.get("ferry-1").await?.metadata;
        let mut all = read.finalizers.unwrap_or_default();
        change(&mut all);
        let changed = json!({"metadata": {
            "finalizers": all, "resourceVersion": read.resource_version,
        }});
        let params = PatchParams::default();
        plans
            .patch("ferry-1", &params, &Patch::Merge(changed))
            .await?;
        Ok(Seen::Yes(()))
    })
    .await
}
