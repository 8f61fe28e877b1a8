//! Tests that need a real control plane, with one module for each area.
//!
//! Tests without faults share three clusters with OLM. At most three tests use a cluster at the
//! same time. All other tests have a separate cluster, which starts with prepared data so that the
//! start is faster. A test mostly waits for other processes. So the workspace runs more tests at
//! the same time than there are cores (`.cargo/config.toml`).

mod approval;
mod bundles;
mod console;
mod dependencies;
mod detour;
mod diagnose;
mod editor;
mod engine;
mod firstuse;
mod foundation;
mod health;
mod images;
mod installed;
mod installs;
mod journeys;
mod kubectl;
mod minutes;
mod mortal;
mod node;
mod note;
mod objects;
mod olmv1;
mod operatorpolicy;
mod operators;
mod permitted;
mod process;
mod program;
mod resolver;
mod rules;
mod templates;
mod updater;
mod v2alpha1;
mod webhook;

use std::sync::LazyLock;

use portolan_rig::{Cluster, Failure, Pool, Template, World, is_left_out};

const SUPERVISOR: &str = env!("CARGO_BIN_EXE_portolan-rig");
/// The template of clusters that only one test uses.
static TEMPLATE: LazyLock<Template> = LazyLock::new(|| Template::of(SUPERVISOR));

/// Returns true if tests with a control plane are not skipped. Counts the calling test for its area
/// of the suite.
fn begin() -> bool {
    if is_left_out() {
        return false;
    }
    minutes::begin();
    true
}

/// Returns true for soak tests (`PORTOLAN_SOAK=1`), which take too long for the gate.
fn is_soak() -> bool {
    std::env::var_os("PORTOLAN_SOAK").is_some_and(|value| value == "1")
}

/// Returns a namespace on a cluster with OLM, or `None` if these tests are skipped.
async fn world(test_name: &str) -> Result<Option<World>, Failure> {
    static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::of(3, SUPERVISOR));
    if !begin() {
        return Ok(None);
    }
    POOL.world(test_name).await.map(Some)
}

/// Returns a cluster without OLM for one test, which may break it. Returns `None` if these tests
/// are skipped.
async fn own_cluster() -> Result<Option<Cluster>, Failure> {
    if !begin() {
        return Ok(None);
    }
    TEMPLATE.start().await.map(Some)
}

/// Returns a namespace on a separate cluster with OLM, for a test that changes global state.
/// Returns `None` if these tests are skipped.
async fn own_world(test_name: &str) -> Result<Option<World>, Failure> {
    if !begin() {
        return Ok(None);
    }
    let cluster = TEMPLATE.with_olm().await?;
    World::on(cluster, test_name).await.map(Some)
}
