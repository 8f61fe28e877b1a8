//! Tutorial: Operators in a Git repository are upgraded together, and removed.

use portolan_kit::catalog;
use portolan_rig::{Failure, World};

use super::page::follow;
use super::reader::Reader;
use super::stage::harbor;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_cluster;
use crate::process::{Running, on_free_ports};

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
    let cluster = harbor.world().cluster();
    let kubeconfig = cluster.admit("health", Some("system:masters"))?;
    let flags = on_free_ports("health", [kubeconfig_flag(&kubeconfig)]);
    let listening = portolan_health::listen(flags).await.expect("free ports");
    let health = format!("http://{}", listening.grpc_address());
    let _health = Running::until_dropped(|stops| listening.run(stops));
    let reader = Reader::of(cluster).await?;
    let reader = reader.exports("PORTOLAN_RESOLVER", harbor.resolver());
    let reader = reader.exports("PORTOLAN_HEALTH", &health);
    follow("generate.md", reader).await
}
