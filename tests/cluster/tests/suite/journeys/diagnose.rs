//! Tutorial: a dump shows why OLM does not install an operator, and the printed fix solves the
//! problem.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::page::follow;
use super::reader::Reader;
use crate::own_world;

#[tokio::test]
async fn printed_fix_repairs_a_broken_operator() -> Result<(), Failure> {
    let Some(world) = own_world("diagnosed").await? else {
        return Ok(());
    };
    let offered = catalog("ferry: 1.0.0 -> 1.1.0").installable();
    let folder = offered.temp();
    let _catalog = world.cluster().catalog("olm", "charts", &folder).await?;
    follow("diagnose.md", Reader::of(world.cluster()).await?).await
}
