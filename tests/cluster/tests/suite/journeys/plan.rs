//! Tutorial: the output of Helm becomes an InstallPlan. The plan is upgraded, merged and deleted.

use portolan_kit::catalog;
use portolan_rig::{Failure, HELM, World};

use super::page::follow;
use super::reader::Reader;
use super::stage::harbor;
use crate::own_cluster;

#[tokio::test]
async fn plans_of_charts_are_upgraded_merged_and_deleted() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let world = World::on(cluster, "plan").await?;
    let harbor = harbor(world, &catalog("ferry: 1.0.0")).await?;
    let built = tokio::task::spawn_blocking(|| HELM.program());
    let helm = built.await.map_err(Failure::read("the end of a build"))??;
    let reader = Reader::of(harbor.world().cluster()).await?;
    follow("plan.md", reader.has(&helm, "helm")?).await
}
