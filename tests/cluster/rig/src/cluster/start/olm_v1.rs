//! Starts OLM v1.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::Client;

use super::{apply_all, crds, run_all};
use crate::cluster::{ADMIN, Cluster};
use crate::component::Component;
use crate::failure::Failure;

const MANIFESTS: &str = include_str!("../../../config/olm-v1/objects.yaml");

/// Creates the CRDs and the objects of OLM v1.
pub(super) async fn kinds(cluster: &Cluster, client: &Client) -> Result<(), Failure> {
    let site = &cluster.rig.site;
    let files = site.olm_v1().map(|programs| programs.crds()).transpose()?;
    crds(client, files.unwrap_or_default()).await?;
    let path = "mutate-olm-operatorframework-io-v1-clustercatalog";
    let url = format!(
        "https://{}:{}/{path}",
        site.host(),
        site.catalogd_webhook_port()
    );
    let authority = cluster.identity(ADMIN)?.authority;
    let objects = MANIFESTS
        .replace("{url}", &url)
        .replace("{authority}", &STANDARD.encode(authority));
    apply_all(client, &objects).await
}

/// Starts the two programs of OLM v1. Their CRDs must exist already. Returns when both programs
/// serve requests.
pub(super) async fn start(cluster: &Cluster) -> Result<(), Failure> {
    use Component::{Catalogd, OperatorController};
    run_all(cluster, &[Catalogd, OperatorController])?;
    let site = &cluster.rig.site;
    let webhook = format!("{}:{}", site.host(), site.catalogd_webhook_port());
    for address in [
        site.registry(),
        site.catalogd(),
        webhook,
        site.operator_controller(),
    ] {
        let what = format!("a server at {address}");
        cluster.until_listens(what, &address).await?;
    }
    Ok(())
}
