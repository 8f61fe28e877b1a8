//! Prepares clusters for the tests of the updater. The specs of their Operators contain no version,
//! so each Operator keeps its first version.

use std::net::SocketAddr;
use std::path::Path;

use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::core::DynamicObject;
use portolan_rig::{Failure, PATIENCE, Seen, World, until};
use portolan_updater::listen;
use serde_json::{Value, json};

use crate::objects::api;
use crate::operatorpolicy::fleet;
use crate::operators::stage::{Harbor, Version, harbor_on};
use crate::own_cluster;
use crate::process::{Running, on_free_probes};

/// The type of the condition that the updater writes.
pub(super) const CONDITION: &str = "AutomaticUpdates";

/// Creates a harbor with an Operator for each of these versions. All are installed, and their specs
/// contain no version. Returns `None` if tests with a cluster are skipped.
pub(super) async fn frozen(
    test_name: &str,
    versions: &[Version<'_>],
) -> Result<Option<Harbor>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let harbor = harbor_on(World::on(cluster, test_name).await?, versions).await?;
    for one in versions {
        harbor
            .operator(one.package, json!({"settleSeconds": 0}))
            .await?;
    }
    for one in versions {
        harbor.until_installed(one.package, one.version).await?;
    }
    Ok(Some(harbor))
}

/// Returns the flags of an updater for a harbor. The updater acts as the user of the kubeconfig.
pub(super) fn flags(harbor: &Harbor, kubeconfig: &Path) -> Vec<String> {
    vec![
        fleet::kubeconfig_flag(kubeconfig),
        format!("--operators-namespace={}", harbor.home()),
        format!("--resolver={}", harbor.resolver()),
    ]
}

/// Starts an updater with these flags. Returns the address of its probes, and the running updater.
pub(super) async fn updater(flags: Vec<String>) -> (SocketAddr, Running) {
    let listening = listen(on_free_probes("updater", flags)).await;
    let listening = listening.expect("free ports must exist");
    let probes = listening.probes_address().expect("it listens");
    (probes, Running::until_dropped(|stops| listening.run(stops)))
}

/// Starts an updater without a Lease, with all permissions.
pub(super) async fn lone(harbor: &Harbor) -> Result<(SocketAddr, Running), Failure> {
    let kubeconfig = harbor
        .world()
        .cluster()
        .admit("updater", Some("system:masters"))?;
    let alone = ["--no-lease".to_owned()];
    Ok(updater(
        flags(harbor, &kubeconfig)
            .into_iter()
            .chain(alone)
            .collect(),
    )
    .await)
}

/// Writes the configuration of the updater.
pub(super) async fn configure(harbor: &Harbor, configuration: &Value) -> Result<(), Failure> {
    configure_by(harbor, &configuration.to_string()).await
}

/// Writes this text as the configuration of the updater.
pub(super) async fn configure_by(harbor: &Harbor, text: &str) -> Result<(), Failure> {
    let config_map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "portolan-updater", "namespace": harbor.home()},
        "data": {"updater.yaml": text},
    });
    let params = PatchParams::apply("a-person").force();
    let config_maps = config_maps(harbor);
    config_maps
        .patch("portolan-updater", &params, &Patch::Apply(config_map))
        .await?;
    Ok(())
}

/// Turns the updater off. This deletes the ConfigMap with its configuration.
pub(super) async fn turn_off(harbor: &Harbor) -> Result<(), Failure> {
    let deleted = DeleteParams::default();
    config_maps(harbor)
        .delete("portolan-updater", &deleted)
        .await?;
    Ok(())
}

fn config_maps(harbor: &Harbor) -> Api<DynamicObject> {
    api(harbor.client(), ["v1", "ConfigMap", harbor.home()])
}

/// Returns the part of the configuration for these names and version rules.
pub(super) fn install(rules: &[(&str, &str)]) -> Value {
    let entries = rules.iter();
    let entries = entries.map(|(name, version)| json!({"name": name, "version": version}));
    json!({"install": entries.collect::<Vec<_>>()})
}

/// Returns the version in an Operator's spec, or an empty string.
pub(super) async fn wanted(harbor: &Harbor, name: &str) -> Result<String, Failure> {
    let operator = harbor.operators().get(name).await?;
    let version = operator.data["spec"]["version"].as_str();
    Ok(version.unwrap_or_default().to_owned())
}

/// Returns the updater's condition of an Operator, if any.
pub(super) async fn condition(harbor: &Harbor, name: &str) -> Result<Option<Value>, Failure> {
    let status = harbor.status(name).await?;
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let mut own = conditions.filter(|it| it["type"] == CONDITION);
    Ok(own.next().cloned())
}

/// Waits until the updater's condition of an Operator is removed.
pub(super) async fn until_silent(harbor: &Harbor, name: &str) -> Result<(), Failure> {
    until(format!("no condition of {name}"), PATIENCE, async || {
        Ok(match condition(harbor, name).await? {
            None => Seen::Yes(()),
            Some(condition) => Seen::NotYet(condition.to_string()),
        })
    })
    .await
}
