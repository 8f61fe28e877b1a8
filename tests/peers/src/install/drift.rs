//! Measures the time until a tool reverts a change of an object. Another client makes the change.

use std::time::{Duration, Instant};

use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Api, Client};
use portolan_rig::Kind;
use serde_json::json;

use super::cargo::Cargo;
use super::sides::{Ours, Theirs};
use crate::failure::Failure;

const PAUSE: Duration = Duration::from_millis(2);
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum time until the controller reads that the plan must revert changes.
const HEARD: Duration = Duration::from_secs(2);

/// Returns the seconds until the controller reverts each change. The next change is made
/// immediately after the previous change is reverted.
pub(super) async fn measure_reverts(
    ours: &Ours<'_>,
    client: &Client,
    cargo: &Cargo,
    drifts: usize,
) -> Result<Vec<f64>, Failure> {
    ours.revert().await?;
    let maps = Kind::ConfigMap.within(client, ours.namespace());
    let mut took = Vec::new();
    tokio::time::sleep(HEARD).await;
    for number in 0..drifts {
        let name = cargo.config_map(number);
        change(&maps, &name).await?;
        let begun = Instant::now();
        while !is_reverted(&maps, &name).await? {
            if begun.elapsed() > PATIENCE {
                return Err(Failure::Expect(format!("ConfigMap {name} is not reverted")));
            }
            tokio::time::sleep(PAUSE).await;
        }
        took.push(begun.elapsed().as_secs_f64());
    }
    Ok(took)
}

/// Returns the seconds that the command of another tool needs to revert each change. The time until
/// a user would run the command is not included.
pub(super) async fn revert_by(
    peer: &mut Theirs<'_>,
    client: &Client,
    cargo: &Cargo,
    drifts: usize,
) -> Result<Vec<f64>, Failure> {
    let maps = Kind::ConfigMap.within(client, peer.namespace());
    let mut took = Vec::new();
    for number in 0..drifts {
        let name = cargo.config_map(number);
        change(&maps, &name).await?;
        took.push(peer.install().await?.time);
        if !is_reverted(&maps, &name).await? {
            let called = peer.called();
            return Err(Failure::Expect(format!(
                "{called} does not revert ConfigMap {name}"
            )));
        }
    }
    Ok(took)
}

async fn change(maps: &Api<DynamicObject>, name: &str) -> Result<(), Failure> {
    let (other, change) = (
        PatchParams::default(),
        json!({"data": {"number": "another"}}),
    );
    let changed = maps.patch(name, &other, &Patch::Merge(change)).await;
    changed.map_err(portolan_rig::Failure::from)?;
    Ok(())
}

async fn is_reverted(maps: &Api<DynamicObject>, name: &str) -> Result<bool, Failure> {
    let seen = maps.get(name).await.map_err(portolan_rig::Failure::from)?;
    Ok(seen.data["data"]["number"] != "another")
}
