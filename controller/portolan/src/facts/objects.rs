//! Objects of a cluster, and who judges them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use portolan_health::probe::Pace;
use portolan_health::{Health, Reach};
use portolan_olm::{ClusterServiceVersion, Subscription};
use portolan_shell::client::{self, Connection};
use portolan_world::{Access, Area, Cluster, Fault, Files, Place, ReachCluster, State, World};
use thiserror::Error;

use super::{Judge, Whom};
use crate::failure::Failure;
use crate::{print, progress};

/// What a query about objects is answered from: a cluster, files that are taken for one, or a
/// running service.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Facts (one of these; the cluster of the kubeconfig if none is given)"
)]
pub(crate) struct ObjectFacts {
    /// Folder (or file) of manifests to take for a cluster.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["server", "kubeconfig", "context"])]
    world: Option<PathBuf>,

    /// Ask a running health server instead of looking at objects; $PORTOLAN_SERVER if none of
    /// these is given.
    #[arg(long, value_name = "URL", conflicts_with_all = ["kubeconfig", "context"])]
    server: Option<String>,

    /// The kubeconfig; that of kubectl if not given.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig; the current one if not given.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
}

/// A query without facts.
#[derive(Debug, Error)]
#[error(
    "nothing to answer from: --world PATH reads manifests, --server URL asks a running health \
     server, and there is no cluster"
)]
struct NoFacts(#[source] ReachCluster);

/// There are no manifests where they should be.
#[derive(Debug, Error)]
#[error("read {path} (--world)")]
struct ReadWorld {
    path: String,
    source: io::Error,
}

/// Documents that cannot be read, and nothing besides.
#[derive(Debug, Error)]
#[error("there is no operator in what can be read, and not all can be: {0}")]
struct Unread(String);

/// A world that was looked at.
struct Looked {
    health: Health,
    is_olm_there: bool,
    /// Whether there is no operator, and none is asked for.
    is_empty: bool,
    /// What is wrong with documents that may hold anything.
    unread: BTreeSet<Fault>,
}

/// How many documents that cannot be read are told one by one.
const TOLD: usize = 3;

// === impl ObjectFacts ===

impl ObjectFacts {
    /// A connection to whatever answers: a service over the network, or one in this process. Where
    /// that one may see only one namespace, it had better be asked about that one only.
    pub(crate) async fn connect(&self, namespace: &str) -> Result<Judge, Failure> {
        let Self {
            world,
            server,
            kubeconfig,
            context,
        } = self;
        let are_facts_given = world.is_some() || kubeconfig.is_some() || context.is_some();
        let whom = Whom::of(server.as_deref(), are_facts_given);
        whom.connect(self.in_process(namespace)).await
    }

    /// Of files, the registries are those of another place and time, and are not asked.
    async fn in_process(&self, namespace: &str) -> Result<Connection, Failure> {
        let mut reach = Reach {
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            probes: None,
        };
        let Some(path) = &self.world else {
            let cluster = self.cluster().await?;
            reach.probes = Some(Pace::default());
            let looked = progress::shown("looking at the cluster", look(cluster, reach)).await;
            if !looked.is_olm_there {
                print::warn("the cluster does not know ClusterServiceVersions: it has no OLM (v0)");
            }
            return Ok(client::local(looked.health.into_service()));
        };
        is_there(path).map_err(Failure::refused)?;
        let reading = format!("reading {}", path.display());
        let looked = progress::shown(&reading, look(Files::at(path), reach)).await;
        looked.believe().map_err(Failure::refused)?;
        Ok(client::local(looked.health.into_service()))
    }

    async fn cluster(&self) -> Result<Cluster, Failure> {
        let access = Access {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
        };
        let cluster = Cluster::reach(&access).await;
        cluster.map_err(|error| match error {
            ReachCluster::Nowhere(_) => Failure::refused(NoFacts(error)),
            ReachCluster::Kubeconfig(_) | ReachCluster::Client(_) => Failure::refused(error),
        })
    }
}

/// A world waits for files that are not there yet; a person has mistyped.
fn is_there(path: &Path) -> Result<(), ReadWorld> {
    fs::metadata(path).map(drop).map_err(|source| ReadWorld {
        path: path.display().to_string(),
        source,
    })
}

/// Looks at a world until all that bears on Verdicts has been looked at.
async fn look(world: impl World, reach: Reach) -> Looked {
    let area = reach.namespace.as_deref().map(Area::namespace);
    let area = area.unwrap_or_default();
    let mut csvs = world.objects_in::<ClusterServiceVersion>(area.clone());
    let mut subscriptions = world.objects_in::<Subscription>(area);
    let health = Health::of(world, reach);
    health.settled().await;
    let (csvs, subscriptions) = (csvs.now(), subscriptions.now());
    let is_of_no_object = |fault: &&Fault| match &fault.place {
        Place::Object(_) => false,
        Place::File { object, .. } => object.is_none(),
    };
    let unread = subscriptions.faults.iter().chain(csvs.faults.iter());
    let unread: BTreeSet<_> = unread.filter(is_of_no_object).cloned().collect();
    Looked {
        health,
        is_olm_there: csvs.state != State::NotServed,
        is_empty: csvs.objects.is_empty() && subscriptions.objects.is_empty(),
        unread,
    }
}

// === impl Looked ===

impl Looked {
    /// Tells what could not be read, which may hide anything. Where there is nothing else, it hides
    /// all.
    fn believe(&self) -> Result<(), Unread> {
        let faults: Vec<_> = self.unread.iter().map(ToString::to_string).collect();
        match faults.first().filter(|_| self.is_empty) {
            Some(first) => Err(Unread(first.clone())),
            None => {
                faults
                    .iter()
                    .take(TOLD)
                    .for_each(|fault| print::warn(fault));
                if faults.len() > TOLD {
                    let more = faults.len() - TOLD;
                    print::warn(&format!("and {more} more documents are not read"));
                }
                Ok(())
            }
        }
    }
}
