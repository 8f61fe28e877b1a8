//! The definition of policies on a real API server: what it takes, and what it refuses.

use std::path::Path;

use kube::Client;
use kube::api::{DynamicObject, PostParams};
use portolan_rig::{Failure, Kind, until_object};
use serde_json::Value;

const NAME: &str = "operatorpolicies.policy.open-cluster-management.io";

/// Lets the API server know policies, by the manifest that is delivered.
pub(crate) async fn define(client: &Client) -> Result<(), Failure> {
    define_kind(client, NAME).await
}

/// Lets the API server know a kind, by the manifest that is delivered. Tests share clusters: the first
/// that comes does it.
pub(crate) async fn define_kind(client: &Client, name: &str) -> Result<(), Failure> {
    define_as(client, &delivered_as(name)?).await
}

/// The same by a definition of the test's own.
pub(crate) async fn define_as(client: &Client, definition: &DynamicObject) -> Result<(), Failure> {
    let definitions = Kind::CustomResourceDefinition.everywhere(client);
    let name = definition.metadata.name.as_deref().unwrap_or_default();
    match definitions.create(&PostParams::default(), definition).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        made => drop(made?),
    }
    let is_established = |definition: &DynamicObject| {
        let conditions = definition.data["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        conditions.any(|it: &Value| it["type"] == "Established" && it["status"] == "True")
    };
    until_object(&definitions, name, "Established", is_established).await?;
    Ok(())
}

/// The definition that is delivered.
pub(super) fn delivered() -> Result<DynamicObject, Failure> {
    delivered_as(NAME)
}

/// The definition of this name that is delivered.
fn delivered_as(name: &str) -> Result<DynamicObject, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/crds");
    let places = ["", "installs", "operators", "policies"]
        .map(|within| folder.join(within).join(format!("{name}.yaml")));
    let path = places.iter().find(|path| path.exists());
    let path = path.unwrap_or(&places[0]);
    let text = std::fs::read_to_string(path);
    let text = text.map_err(Failure::touch(format!("read {}", path.display())))?;
    serde_saphyr::from_str(&text).map_err(Failure::read("the definition"))
}
