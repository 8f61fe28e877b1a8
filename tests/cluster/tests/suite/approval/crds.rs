//! Tests of the CRD of policies on a real API server: valid policies and invalid policies.

use std::path::Path;

use kube::Client;
use kube::api::{DynamicObject, PostParams};
use portolan_rig::{Failure, Kind, until_object};
use serde_json::Value;

const NAME: &str = "operatorpolicies.policy.open-cluster-management.io";

/// Creates the CRD of policies from the manifests of a release.
pub(crate) async fn create_policy_crd(client: &Client) -> Result<(), Failure> {
    create_crd(client, NAME).await
}

/// Creates the CRD with this name from the manifests of a release. Tests share a cluster, so only
/// the first test creates the CRD.
pub(crate) async fn create_crd(client: &Client, name: &str) -> Result<(), Failure> {
    create_crd_from(client, &delivered_crd(name)?).await
}

/// Creates this CRD.
pub(crate) async fn create_crd_from(client: &Client, crd: &DynamicObject) -> Result<(), Failure> {
    let crds = Kind::CustomResourceDefinition.everywhere(client);
    let name = crd.metadata.name.as_deref().unwrap_or_default();
    match crds.create(&PostParams::default(), crd).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        made => drop(made?),
    }
    let is_established = |crd: &DynamicObject| {
        let conditions = crd.data["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        conditions.any(|it: &Value| it["type"] == "Established" && it["status"] == "True")
    };
    until_object(&crds, name, "Established", is_established).await?;
    Ok(())
}

/// Returns the CRD of policies from the manifests of a release.
pub(super) fn delivered() -> Result<DynamicObject, Failure> {
    delivered_crd(NAME)
}

/// Returns the CRD with this name from the manifests of a release.
fn delivered_crd(name: &str) -> Result<DynamicObject, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/crds");
    let places = ["", "installs", "operators", "policies"]
        .map(|within| folder.join(within).join(format!("{name}.yaml")));
    let path = places.iter().find(|path| path.exists());
    let path = path.unwrap_or(&places[0]);
    let text = std::fs::read_to_string(path);
    let text = text.map_err(Failure::touch(format!("read {}", path.display())))?;
    serde_saphyr::from_str(&text).map_err(Failure::read("the CRD"))
}
