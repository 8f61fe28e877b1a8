//! Definitions that lose something from one version to the next.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams};
use portolan_kit::TempFolder;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Harbor, harbor, version, wish};
use crate::objects::api;
use crate::program::{output, portolan};

#[tokio::test]
async fn a_definition_that_loses_a_stored_version_is_refused() -> Result<(), Failure> {
    let both = [
        version("ferry", "1.0.0").defining(&["v1alpha1"]),
        version("ferry", "1.1.0").defining(&["v1"]),
    ];
    let Some(harbor) = harbor("operators-definitions", &both).await? else {
        return Ok(());
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    preview_compares_with_the_cluster(&harbor).await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let unsafe_ = ["Installing", "False", "DefinitionUnsafe"];
    let said = harbor.until("ferry", unsafe_).await?;
    assert!(said.contains("ships.ferry.example: "), "{said}");
    assert!(
        said.ends_with("operators.portolan.dev/accept-breaks=ferry.v1.1.0"),
        "{said}"
    );
    // What is accepted already stays accepted.
    let accepted = "operators.portolan.dev/accept-breaks=ferry.v0.9.0";
    harbor
        .kubectl(&[
            "annotate",
            "operators.operators.operatorframework.io",
            "ferry",
            accepted,
        ])
        .await?;
    let both = format!("{accepted},ferry.v1.1.0");
    let said = until("the list to be repeated", PATIENCE, async || {
        let said = harbor.until("ferry", unsafe_).await?;
        Ok(if said.ends_with(&both) {
            Seen::Yes(said)
        } else {
            Seen::NotYet(said)
        })
    })
    .await?;
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);
    // The API server keeps a version that is stored, so that the plan says it cannot be applied.
    harbor.type_from(&said).await?;
    let invalid = ["Installing", "False", "PlanInvalid"];
    harbor.until("ferry", invalid).await?;
    goes_and_tells_what_stays(&harbor).await
}

/// The installed bundle is in no folder, so the old CRD comes from the cluster.
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
    let told = output(command).await?;
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{said}");
    let changes: Value = serde_json::from_slice(&told.stdout).expect("it must be JSON");
    let change = &changes[0]["unsafeUpdates"][0]["changes"][0];
    assert_eq!(change["crd"], "ships.ferry.example", "{changes}");
    assert_eq!(change["check"], "storedVersionRemoval", "{changes}");
    assert_eq!(changes[0]["notCompared"], Value::Null, "{changes}");
    Ok(())
}

/// What is stored of a kind stays with its definition, and is counted.
async fn goes_and_tells_what_stays(harbor: &Harbor) -> Result<(), Failure> {
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
    // Somebody holds the last plan, so that it can be read what is said meanwhile.
    let plans = harbor.plans();
    finalizers(&plans, |all| all.push("story.test/held".to_owned())).await?;
    harbor.delete("ferry").await?;
    let going = ["Installing", "False", "Deleting"];
    let home = harbor.home();
    let stay =
        format!("2 ships.ferry.example ({home}/ann, {home}/bo) stay, and nobody looks after them");
    until("what stays to be told", PATIENCE, async || {
        let said = harbor.until("ferry", going).await?;
        Ok(if said.ends_with(&stay) {
            Seen::Yes(())
        } else {
            Seen::NotYet(said)
        })
    })
    .await?;
    finalizers(&plans, |all| all.retain(|it| it != "story.test/held")).await?;
    harbor.until_gone("ferry").await?;
    let ships = ships.list(&ListParams::default()).await?;
    assert_eq!(ships.items.len(), 2);
    Ok(())
}

/// Changes the finalizers of the plan as they are at that moment: the controller has its own among them.
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
        let as_told = PatchParams::default();
        plans
            .patch("ferry-1", &as_told, &Patch::Merge(changed))
            .await?;
        Ok(Seen::Yes(()))
    })
    .await
}
