//! Tutorial: an Operator adopts an operator of OLM. The Operator follows a version range, uses
//! windows and the updater, and is then returned to OLM.

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
    // The adoption deletes objects of OLM as the ServiceAccount of the adopting plan.
    cluster.allow_foreign_deletes(harbor.home());
    let _catalog = cluster
        .catalog("olm", "demo", &harbor.catalog_folder())
        .await?;
    let reader = Reader::of(cluster).await?;
    let reader = reader.exports("PORTOLAN_RESOLVER", harbor.resolver());
    follow("adopt.md", reader).await
}
