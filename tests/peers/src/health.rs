//! Measures `portolan health-server` over a cluster of thousands of operators.
//!
//! The API server and etcd are real. This program writes all objects, and all controllers that
//! would act on them are stopped. No other tool does the same work as `portolan health-server`. A
//! simple watcher in this program shows how much of the time the API server needs. OLM, on a
//! separate cluster, shows how soon OLM reports the same facts about its own operators.

pub(crate) mod filler;
pub(crate) mod fleet;
mod heavy;
mod installing;
pub(crate) mod manifests;
mod plans;
mod report;
mod rival;
pub(crate) mod sightings;
mod stage;
mod storm;
mod subject;
mod turns;
pub(crate) mod workload;

use std::path::Path;
use std::time::Duration;

use portolan_rig::Kind;

use self::fleet::Fleet;
use self::heavy::Heavy;
use self::sightings::{Sightings, Standing};
use self::stage::{Stage, USER};
use self::storm::{Scene, wave};
use self::subject::Subject;
use crate::failure::Failure;
use crate::gauge::Gauge;
use crate::idle;
use crate::table::Table;

/// The size of the measurement.
#[derive(Debug, Clone, Copy)]
struct Extent {
    fleet: Fleet,
    heavy: Heavy,
    /// The number of Deployment changes. The program makes them one after the other.
    changes: usize,
    /// The number of Deployments that fail at the same time.
    storm: usize,
    idle: Duration,
    /// The number of times that the Pods of an operator crash and are observed.
    crashes: usize,
}

const FULL: Extent = Extent {
    fleet: Fleet {
        operators: 2_000,
        namespaces: 500,
    },
    heavy: Heavy {
        pods: 10_000,
        plans: 100,
    },
    changes: 300,
    storm: 500,
    idle: Duration::from_secs(60),
    crashes: 20,
};

const QUICK: Extent = Extent {
    fleet: Fleet {
        operators: 20,
        namespaces: 5,
    },
    heavy: Heavy { pods: 50, plans: 2 },
    changes: 6,
    storm: 10,
    idle: Duration::from_secs(2),
    crashes: 2,
};

/// Creates the cluster with all operators, and measures. Then measures OLM and our service together
/// on another cluster.
pub(crate) async fn measure(
    portolan: &Path,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let extent = if is_quick { QUICK } else { FULL };
    on_stage(portolan, &extent, table).await?;
    let reactions = rival::measure(portolan, extent.crashes).await?;
    report::rival(&reactions, table);
    Ok(())
}

async fn on_stage(portolan: &Path, extent: &Extent, table: &mut Table) -> Result<(), Failure> {
    let stage = Stage::set(extent.fleet).await?;
    let operators = extent.fleet.operators;
    let (subject, started) = Subject::start(portolan, &stage.kubeconfig, operators).await?;
    let Fleet {
        operators,
        namespaces,
    } = extent.fleet;
    let title = format!("Health of {operators} operators in {namespaces} namespaces");
    report::start(title, &started, table);
    live(&stage, &subject, extent, table).await?;
    let gauge = Gauge::of(subject.pid);
    stage.burden(extent.heavy).await?;
    let (arriving, settled) = (gauge.peak()?, subject.memory()?);
    drop((gauge, subject));
    let (_subject, started) = Subject::start(portolan, &stage.kubeconfig, operators).await?;
    let Heavy { pods, plans } = extent.heavy;
    let title = format!("Beside {pods} foreign Pods and {plans} InstallPlans of 1.4 MB");
    report::start(title, &started, table);
    report::burden(arriving, settled, table);
    Ok(())
}

/// Measures the process while it is running.
async fn live(
    stage: &Stage,
    subject: &Subject,
    extent: &Extent,
    table: &mut Table,
) -> Result<(), Failure> {
    let mut ours = Sightings::of_health(subject.connection()).await?;
    let deployments = Kind::Deployment.everywhere(&stage.client);
    let mut watcher = Sightings::of_deployments(deployments).await?;
    let turns = turns::measure(stage, &mut ours, &mut watcher, extent.changes).await?;
    report::turns(&turns, table);
    let idle = idle::measure(&stage.cluster, USER, subject.pid, extent.idle).await?;
    idle::report(&idle, Some(report::MEMORY), table);
    let mut scene = Scene {
        stage,
        subject,
        ours: &mut ours,
        watcher: &mut watcher,
    };
    let fall = wave(&mut scene, extent.storm, Standing::Ill).await?;
    let rise = wave(&mut scene, extent.storm, Standing::Well).await?;
    report::storm(extent, &[("fail", fall), ("recover", rise)], table);
    Ok(())
}
