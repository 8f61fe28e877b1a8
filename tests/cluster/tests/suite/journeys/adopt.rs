//! An operator of OLM becomes an Operator. It follows a version range, within windows and with the
//! updater, and is then returned to OLM.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::page::follow;
use super::reader::Reader;
use super::stage::harbor;
use crate::own_world;

#[tokio::test]
async fn adopted_operator_is_upgraded_and_released() -> Result<(), Failure> {
    let Some(world) = own_world("adopt").await? else {
        return Ok(());
    };
    let offered = catalog("ferry: 1.0.0 -> 1.1.0 -> 1.2.0");
    let harbor = harbor(world, &offered).await?;
    let cluster = harbor.world().cluster();
    // Objects of OLM are deleted with the ServiceAccount that adopts them.
    cluster.allow_foreign_deletes(harbor.home());
    let _catalog = cluster
        .catalog("olm", "demo", &harbor.catalog_folder())
        .await?;
    let reader = Reader::of(cluster).await?;
    let reader = reader.exports("PORTOLAN_RESOLVER", harbor.resolver());
    follow("adopt.md", reader).await
}
