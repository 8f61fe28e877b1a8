//! Measures `portolan controller` and the services that it calls, with clusters of hundreds and
//! thousands of policies.
//!
//! The API server and etcd are real. This program writes all objects in their final state. All
//! controllers that would change these objects are stopped.
//!
//! Each policy is in the established form with the action inform. Each policy has its own namespace
//! with a Subscription, ClusterServiceVersion, InstallPlan, Deployment and CatalogSource. The
//! health service connects to the registries of catalogs. One registry serves all catalogs.
//!
//! The established controller does not run here. Its recorded values for the same work are printed
//! next to our values.

mod manifests;
mod processes;
mod report;
mod rounds;
mod site;
mod stage;
mod tally;

use std::path::Path;
use std::time::Duration;

use self::processes::Processes;
use self::rounds::{Rounds, Run};
use self::stage::Stage;
use crate::failure::Failure;
use crate::table::Table;

/// The size of the measurement.
#[derive(Debug, Clone, Copy)]
struct Extent {
    sizes: &'static [usize],
    idle: Duration,
    /// The number of changes of Subscriptions that have no effect on policies.
    edits: usize,
    /// The number of Deployments that become unavailable and then available again, one after the
    /// other.
    flips: usize,
}

const FULL: Extent = Extent {
    sizes: &[200, 1_000, 2_000],
    idle: Duration::from_secs(60),
    edits: 100,
    flips: 40,
};

const QUICK: Extent = Extent {
    sizes: &[2, 4],
    idle: Duration::from_secs(2),
    edits: 4,
    flips: 2,
};

/// Runs all measurements once for each number of policies, each on its own cluster. `sizes`
/// replaces the default numbers.
pub(crate) async fn measure(
    portolan: &Path,
    (is_quick, sizes): (bool, &[usize]),
    table: &mut Table,
) -> Result<(), Failure> {
    let extent = if is_quick { QUICK } else { FULL };
    let sizes = if sizes.is_empty() {
        extent.sizes
    } else {
        sizes
    };
    let mut runs = Vec::new();
    let mut outcome = Ok(());
    for policies in sizes {
        match run(portolan, *policies, &extent).await {
            Ok(run) => runs.push(run),
            // Keeps the results of earlier clusters, because they took long to measure and are
            // still valid.
            Err(failure) => {
                outcome = Err(failure);
                break;
            }
        }
    }
    if let Some(first) = runs.first() {
        report::recorded(first, table);
        report::growth(&runs, table);
    }
    outcome
}

async fn run(portolan: &Path, policies: usize, extent: &Extent) -> Result<Run, Failure> {
    let stage = Stage::set(policies).await?;
    let mut processes = Processes::start(portolan, &stage.cluster).await?;
    let before = processes.memory()?;
    let mut rounds = Rounds::on(&stage, &mut processes).await?;
    let settled = rounds.settle().await?;
    let rest = rounds.rest(extent.idle).await?;
    // Counts the watches now: while Deployments are unavailable, the health service opens
    // additional watches.
    let watches = tally::watches(&stage.cluster)?;
    let edited = rounds.edit(extent.edits).await?;
    let flips = rounds.flip(extent.flips).await?;
    Ok(Run {
        policies,
        before,
        settled,
        rest,
        edited,
        flips,
        watches,
        after: processes.memory()?,
    })
}
