//! Measures `portolan approval` with a cluster of thousands of InstallPlans.
//!
//! The API server and etcd are real. This program writes all objects. No other tool reviews
//! InstallPlans, so the measurement compares a small cluster and a large cluster. The cost of a
//! review must depend on the size of its namespace, and not on the size of the cluster.

mod changes;
mod manifests;
mod port;
mod report;
mod reviews;
mod stage;
mod subject;

use std::path::Path;
use std::time::Duration;

use self::port::Port;
use self::stage::{Stage, USER};
use self::subject::Subject;
use crate::failure::Failure;
use crate::idle;
use crate::table::Table;

/// The size of the measurement.
#[derive(Debug, Clone, Copy)]
struct Extent {
    port: Port,
    /// The number of reviews. The program requests them one after the other.
    reviews: usize,
    /// The number of changes of policies. The program makes them one after the other.
    changes: usize,
    idle: Duration,
}

const FULL: Extent = Extent {
    port: Port {
        namespaces: 500,
        plans: 10,
        policies: 2,
    },
    reviews: 2_000,
    changes: 200,
    idle: Duration::from_secs(60),
};

const QUICK: Extent = Extent {
    port: Port {
        namespaces: 4,
        plans: 2,
        policies: 2,
    },
    reviews: 10,
    changes: 4,
    idle: Duration::from_secs(2),
};

/// Measures a cluster with one namespace, and then the same cluster with all namespaces.
pub(crate) async fn measure(
    portolan: &Path,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let extent = if is_quick { QUICK } else { FULL };
    let Extent {
        port,
        reviews,
        changes,
        idle,
    } = extent;
    let stage = Stage::set(port).await?;
    let (subject, _) = Subject::start(portolan, &stage.kubeconfig, port.alone()).await?;
    let alone = reviews::measure(&subject, port.alone(), reviews).await?;
    drop(subject);
    stage.fill().await?;
    let (subject, started) = Subject::start(portolan, &stage.kubeconfig, port).await?;
    report::start(port, &started, table);
    let among = reviews::measure(&subject, port, reviews).await?;
    report::reviews(&among, &alone, table);
    let reported = changes::measure(&stage, &subject, changes).await?;
    report::changes(&reported, table);
    let idle = idle::measure(&stage.cluster, USER, subject.pid, idle).await?;
    idle::report(&idle, None, table);
    Ok(())
}
