//! Somebody else changes an object of the plan, and it is put right.

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
/// The time that the plan has to learn that it is to put things right.
const HEARD: Duration = Duration::from_secs(2);

/// Returns the duration of each change, in seconds. The next change is made as soon as the one
/// before is put right.
pub(super) async fn put_right(
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
        while !is_right(&maps, &name).await? {
            if begun.elapsed() > PATIENCE {
                return Err(Failure::Expect(format!(
                    "ConfigMap {name} is not put right"
                )));
            }
            tokio::time::sleep(PAUSE).await;
        }
        took.push(begun.elapsed().as_secs_f64());
    }
    Ok(took)
}

/// Returns the time that the command of a peer took to put each change right, in seconds. The time
/// until a user runs it is not included.
pub(super) async fn put_right_by(
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
        if !is_right(&maps, &name).await? {
            let called = peer.called();
            return Err(Failure::Expect(format!(
                "{called} does not put ConfigMap {name} right"
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

async fn is_right(maps: &Api<DynamicObject>, name: &str) -> Result<bool, Failure> {
    let seen = maps.get(name).await.map_err(portolan_rig::Failure::from)?;
    Ok(seen.data["data"]["number"] != "another")
}
