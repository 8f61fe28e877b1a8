//! Operators in a repository are upgraded in lockstep, and removed.

use portolan_kit::catalog;
use portolan_rig::{Failure, World};

use super::page::follow;
use super::reader::Reader;
use super::stage::harbor;
use crate::own_cluster;

#[tokio::test]
async fn generated_operators_are_upgraded_in_lockstep() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let offered = catalog(
        "ferry: 1.0.0 -> 2.0.0; 1.0.0 requires rope >=1.0.0 <2.0.0; 2.0.0 requires rope >=2.0.0 <3.0.0
         rope: 1.0.0 -> 2.0.0",
    );
    let world = World::on(cluster, "generate").await?;
    let harbor = harbor(world, &offered).await?;
    let reader = Reader::of(harbor.world().cluster()).await?;
    let reader = reader.exports("PORTOLAN_SERVER", harbor.resolver());
    follow("generate.md", reader).await
}
