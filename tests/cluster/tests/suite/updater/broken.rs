//! Tests errors that stop all updates.

use std::fs;

use kube::api::ListParams;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{CONDITION, configure, configure_by, frozen, install, lone, wanted};
use crate::objects::api;
use crate::operators::stage::version;
use crate::process::until_metric;

/// The input is broken in three cases: an unreadable ConfigMap, a catalog that `opm` would reject,
/// and a version that another user set. The updater changes nothing and reports the problem. The
/// updates continue when the ConfigMap and the catalog are fixed.
#[tokio::test]
async fn invalid_configuration_changes_nothing_on_the_cluster() -> Result<(), Failure> {
    let first = ["ferry", "rope"].map(|name| version(name, "1.0.0"));
    let Some(harbor) = frozen("updater-broken", &first).await? else {
        return Ok(());
    };
    harbor
        .operator("rope", json!({"version": "1.0.0", "settleSeconds": 0}))
        .await?;
    let good = json!({"mode": "Serial", "operators": install(&[("*", "latest")])});
    configure(&harbor, &good).await?;
    let (probes, _running) = lone(&harbor).await?;
    harbor
        .until("ferry", [CONDITION, "True", "UpToDate"])
        .await?;
    let theirs = [CONDITION, "False", "VersionManagedElsewhere"];
    let theirs = harbor.until("rope", theirs).await?;
    assert!(
        theirs.starts_with("spec.version is written by a-person; "),
        "{theirs}"
    );

    configure_by(&harbor, "mode: Sideways\noperators: {install: []}").await?;
    let why = harbor
        .until("ferry", [CONDITION, "False", "ConfigurationInvalid"])
        .await?;
    assert!(
        why.contains("mode is \"Sideways\"; write Parallel or Serial"),
        "{why}"
    );
    until_metric(probes, "portolan_updater_invalid_configurations_total 1").await?;
    until_event(&harbor.client().clone(), harbor.home()).await?;

    // The error is written before the new version. Otherwise the updater might already use the new
    // version.
    let broken = harbor.catalog_folder().join("broken.yaml");
    fs::write(&broken, "schema: olm.bundle\npackage: ferry\nname: [")
        .map_err(Failure::touch("break"))?;
    let all = ["ferry", "rope"].map(|name| ["1.0.0", "1.1.0"].map(|it| version(name, it)));
    harbor.publish(&all.into_iter().flatten().collect::<Vec<_>>())?;
    configure(&harbor, &good).await?;
    let why = harbor
        .until("ferry", [CONDITION, "False", "CatalogBroken"])
        .await?;
    assert!(why.contains("catalog demo is broken: "), "{why}");
    for (name, version) in [("ferry", ""), ("rope", "1.0.0")] {
        assert_eq!(wanted(&harbor, name).await?, version);
    }

    fs::remove_file(&broken).map_err(Failure::touch("mend"))?;
    harbor.until_installed("ferry", "1.1.0").await?;
    assert_eq!(wanted(&harbor, "rope").await?, "1.0.0");
    Ok(())
}

/// Waits for an event that reports an invalid configuration.
async fn until_event(client: &kube::Client, namespace: &str) -> Result<(), Failure> {
    let events = api(client, ["v1", "Event", namespace]);
    until("an event of the configuration", PATIENCE, async || {
        let all = events.list(&ListParams::default()).await?.items;
        let mut reasons = all.iter().map(|event| &event.data["reason"]);
        Ok(if reasons.any(|reason| reason == "ConfigurationInvalid") {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{} events", all.len()))
        })
    })
    .await
}
