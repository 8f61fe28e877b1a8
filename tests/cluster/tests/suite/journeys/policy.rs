//! Tutorial: a policy pins an operator of OLM, allows its upgrade, and removes the operator.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::page::follow;
use super::reader::Reader;
use crate::approval::crds::create_policy_crd;
use crate::own_world;

#[tokio::test]
async fn policy_pins_upgrades_and_removes_an_operator() -> Result<(), Failure> {
    let Some(world) = own_world("policy").await? else {
        return Ok(());
    };
    create_policy_crd(world.client()).await?;
    let offered = catalog("ferry: 1.0.0 -> 1.1.0 -> 1.2.0").installable();
    let folder = offered.temp();
    let _catalog = world.cluster().catalog("olm", "charts", &folder).await?;
    follow("policy.md", Reader::of(world.cluster()).await?).await
}
