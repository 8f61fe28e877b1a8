//! Tutorial: a publisher checks and publishes a bundle and a catalog. An Operator installs the
//! bundle.

use portolan_rig::{CRANE, Failure};

use super::page::follow;
use super::reader::Reader;
use crate::images::registry::Store;
use crate::own_cluster;

#[tokio::test]
async fn published_bundle_is_installed_and_upgraded() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let built = tokio::task::spawn_blocking(|| CRANE.program());
    let crane = built.await.map_err(Failure::read("the end of a build"))??;
    let registry = Store::empty().serve("").await?;
    let reader = Reader::of(&cluster).await?;
    let reader = reader.has(&crane, "crane")?;
    follow("publisher.md", reader.exports("REGISTRY", registry.host())).await
}
