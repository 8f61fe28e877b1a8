//! Tests catalogs that stop, are available again, and change.

use portolan_kit::catalog;
use portolan_rig::Failure;

use crate::world;

#[tokio::test]
async fn stopped_catalog_is_unhealthy_and_a_restarted_catalog_is_ready() -> Result<(), Failure> {
    let Some(world) = world("catalog").await? else {
        return Ok(());
    };
    let folder = catalog("echo: 1.0.0").installable().temp();
    let mut served = world.catalog("fleet", &folder).await?;
    let before = served.address();

    served.stop()?;
    served.until_state("TRANSIENT_FAILURE").await?;

    served.serve(&folder).await?;
    assert_ne!(served.address(), before, "the address must change");
    served.until_state("READY").await
}

#[tokio::test]
async fn new_catalog_version_becomes_the_next_plan() -> Result<(), Failure> {
    let Some(world) = world("news").await? else {
        return Ok(());
    };
    let old = catalog("fife: 1.0.0").installable().temp();
    let new = catalog("fife: 1.0.0 -> 2.0.0").installable().temp();
    let mut served = world.catalog("fleet", &old).await?;
    let fife = world.operator("fife");
    fife.subscribe(&served, "stable", None).await?;
    fife.install("fife.v1.0.0").await?;

    served.serve(&new).await?;

    fife.install("fife.v2.0.0").await
}
