//! A cluster with OLM whose components tests may stop. Tests use the cluster one after the other.

use std::sync::{Arc, LazyLock};

use portolan_rig::{Cluster, Failure, World};
use tokio::sync::{Mutex, MutexGuard, OnceCell};

use super::fleet::Fleet;
use super::stage::{Stage, stage_of};
use crate::{SUPERVISOR, begin};

/// A stage whose cluster no other test uses. Dropping this value releases the cluster.
pub(super) struct Breakable {
    pub(super) stage: Stage,
    _turn: MutexGuard<'static, ()>,
}

/// Returns `None` if tests with a cluster are skipped.
pub(super) async fn breakable(
    test_name: &str,
    offered: &portolan_kit::Catalog,
) -> Result<Option<Breakable>, Failure> {
    static SHARED: OnceCell<Result<Cluster, Arc<Failure>>> = OnceCell::const_new();
    static TURN: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);
    if !begin() {
        return Ok(None);
    }
    let turn = TURN.lock().await;
    let started =
        SHARED.get_or_init(async || Cluster::with_olm(SUPERVISOR).await.map_err(Arc::new));
    let cluster = match started.await {
        Ok(cluster) => cluster.clone(),
        Err(failure) => panic!("the shared cluster must start: {failure:?}"),
    };
    let world = World::on(cluster, test_name).await?;
    let fleet = Fleet::of(&world).await?;
    let stage = stage_of(world, fleet, offered).await?;
    Ok(Some(Breakable { stage, _turn: turn }))
}
