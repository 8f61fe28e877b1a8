//! Functions for control planes and their clients.

use kube::Client;
use portolan_rig::{ADMIN, Cluster, Component};
use serde_json::Value;

use crate::failure::Failure;
use crate::writer::Writer;

/// The CRD of policies.
pub(crate) const POLICIES: &str =
    include_str!("../../../deploy/crds/operatorpolicies.policy.open-cluster-management.io.yaml");

/// The components that would change the objects of a measurement: the controllers for Deployments,
/// for Pods on nodes, and for ClusterServiceVersions.
const SILENCED: [Component; 5] = [
    Component::Olm,
    Component::OlmCatalog,
    Component::ControllerManager,
    Component::Scheduler,
    Component::Kwok,
];

/// Stops these components.
pub(crate) fn silence(cluster: &Cluster) -> Result<(), Failure> {
    for component in SILENCED {
        cluster.kill(component)?;
    }
    Ok(())
}

/// Starts a cluster with OLM. This program is also the supervisor of the cluster, see `main`.
pub(crate) async fn with_olm() -> Result<Cluster, Failure> {
    let own = std::env::current_exe().map_err(|source| Failure::Touch {
        act: "find this program".to_owned(),
        source,
    })?;
    Ok(Cluster::with_olm(own).await?)
}

/// Returns a client that never times out while it waits for changes.
pub(crate) fn patient(cluster: &Cluster) -> Result<Client, Failure> {
    let mut config = cluster.config(ADMIN)?;
    config.read_timeout = None;
    config.write_timeout = None;
    let client = Client::try_from(config).map_err(portolan_rig::Failure::from)?;
    Ok(client)
}

/// Creates a CRD from its YAML.
pub(crate) async fn define(writer: &Writer, definition: &str) -> Result<(), Failure> {
    let definition: Value = serde_saphyr::from_str(definition)
        .map_err(|error| Failure::Expect(format!("the definition: {error}")))?;
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    let name = name.to_owned();
    writer.create(definition).await?;
    writer.until_established(&name).await
}
