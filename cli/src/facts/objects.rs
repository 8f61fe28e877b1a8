//! Objects of a cluster, and who judges them or reviews them.

mod local;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use portolan_shell::client::Connection;
use portolan_world::{
    Access, AnyWorld, Area, Cluster, Fault, Files, Place, ReachCluster, State, World as _,
};
use thiserror::Error;

use self::local::LocalService;
use super::connected::Client;
use super::left_out::left_out;
use super::{ApprovalConnection, Connected, Endpoint, HealthConnection, Trust};
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
    #[arg(long, value_name = "PATH", conflicts_with_all = ["server", "kubeconfig", "context", "user"])]
    world: Option<PathBuf>,

    /// Ask a running service instead of looking at objects; $PORTOLAN_SERVER if none of these is
    /// given.
    #[arg(long, value_name = "URL", conflicts_with_all = ["kubeconfig", "context", "user"])]
    server: Option<String>,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    access: Access,
}

/// A query without facts.
#[derive(Debug, Error)]
#[error(
    "nothing to answer from: --world PATH reads manifests, --server URL asks {server} that runs, \
     and there is no cluster"
)]
struct NoFacts {
    server: &'static str,
    source: ReachCluster,
}

/// There are no manifests where they should be.
#[derive(Debug, Error)]
#[error("read {path} (--world)")]
pub(super) struct ReadWorld {
    path: String,
    source: io::Error,
}

/// Documents that cannot be read, and nothing besides.
#[derive(Debug, Error)]
#[error("there is no {what} in what can be read, and not all can be: {first}")]
struct Unread {
    what: &'static str,
    first: String,
}

/// A world that was looked at.
struct Looked<S> {
    local: S,
    /// What the world does not know at all, as sentences.
    unknown: Vec<&'static str>,
    /// Whether there is nothing of what is asked about.
    is_empty: bool,
    /// What is wrong with documents that may hold anything.
    unread: BTreeSet<Fault>,
}

/// How many documents that cannot be read are told one by one.
const TOLD: usize = 3;

// === impl ObjectFacts ===

impl ObjectFacts {
    /// A connection to health: a service over the network, or one in this process. Where that one may see
    /// only one namespace, it had better be asked about that one only.
    pub(crate) async fn health(&self, namespace: &str) -> Result<HealthConnection, Failure> {
        self.connect(namespace, |world, namespace| {
            Ok(local::health(world, namespace))
        })
        .await
    }

    /// A connection to approval, likewise.
    pub(crate) async fn approval(&self, namespace: &str) -> Result<ApprovalConnection, Failure> {
        self.connect(namespace, |world, namespace| {
            Ok(local::approval(world, namespace))
        })
        .await
    }

    /// Whoever looks at these objects: a service over the network, or the one of this process that
    /// `open` has look at them from now on.
    pub(super) async fn connect<S: LocalService, C: Client>(
        &self,
        namespace: &str,
        open: impl FnOnce(AnyWorld, Option<&str>) -> Result<S, Failure>,
    ) -> Result<Connected<C>, Failure> {
        let Self {
            world,
            server,
            trust,
            access,
        } = self;
        let are_facts_given = world.is_some() || access.is_given();
        let endpoint = Endpoint::of(server.as_deref(), trust, are_facts_given);
        let local = self.in_process(namespace, C::SERVER, open);
        endpoint.connect(local).await
    }

    async fn in_process<S: LocalService>(
        &self,
        namespace: &str,
        server: &'static str,
        open: impl FnOnce(AnyWorld, Option<&str>) -> Result<S, Failure>,
    ) -> Result<Connection, Failure> {
        let namespace = (!namespace.is_empty()).then_some(namespace);
        let Some(path) = &self.world else {
            let cluster = self.cluster(server).await?;
            let looking = look(AnyWorld::Cluster(cluster), namespace, open);
            let looked = progress::shown("looking at the cluster", looking).await?;
            looked.unknown.iter().for_each(|what| print::warn(what));
            return Ok(looked.local.into_connection());
        };
        is_there(path).map_err(Failure::refused)?;
        let reading = format!("reading {}", path.display());
        let world = AnyWorld::Files(Files::at(path));
        let looking = look(world.clone(), namespace, open);
        let looked = progress::shown(&reading, looking).await?;
        looked.believe().map_err(Failure::refused)?;
        if !looked.is_empty {
            let left_out = left_out(&world, S::LEANS_ON).await;
            left_out.iter().for_each(|what| print::warn(what));
        }
        Ok(looked.local.into_connection())
    }

    async fn cluster(&self, server: &'static str) -> Result<Cluster, Failure> {
        let cluster = Cluster::reach(&self.access).await;
        super::reached(cluster, |source| NoFacts { server, source })
    }
}

/// A world waits for files that are not there yet; a person has mistyped.
pub(super) fn is_there(path: &Path) -> Result<(), ReadWorld> {
    fs::metadata(path).map(drop).map_err(|source| ReadWorld {
        path: path.display().to_string(),
        source,
    })
}

/// Looks at a world until all that bears on Verdicts has been looked at.
async fn look<S: LocalService>(
    world: AnyWorld,
    namespace: Option<&str>,
    open: impl FnOnce(AnyWorld, Option<&str>) -> Result<S, Failure>,
) -> Result<Looked<S>, Failure> {
    let area = namespace.map(Area::namespace).unwrap_or_default();
    let mut asked_about = world.objects_in::<S::AskedAbout>(area.clone());
    let mut besides = world.objects_in::<S::Besides>(S::area_besides(area));
    let local = open(world, namespace)?;
    local.settled().await;
    let (asked_about, besides) = (asked_about.now(), besides.now());
    let is_of_no_object = |fault: &&Fault| match &fault.place {
        Place::Object(_) => false,
        Place::File { object, .. } => object.is_none(),
    };
    let unread = asked_about.faults.iter().chain(besides.faults.iter());
    let unread: BTreeSet<_> = unread.filter(is_of_no_object).cloned().collect();
    let states = [
        (&asked_about.state, S::UNKNOWN[0]),
        (&besides.state, S::UNKNOWN[1]),
    ];
    let unknown = states
        .iter()
        .filter(|(state, _)| **state == State::NotServed);
    Ok(Looked {
        local,
        unknown: unknown.filter_map(|(_, sentence)| *sentence).collect(),
        is_empty: asked_about.objects.is_empty() && besides.objects.is_empty(),
        unread,
    })
}

// === impl Looked ===

impl<S: LocalService> Looked<S> {
    /// Tells what could not be read, which may hide anything. Where there is nothing else, it hides
    /// all.
    fn believe(&self) -> Result<(), Unread> {
        let faults: Vec<_> = self.unread.iter().map(ToString::to_string).collect();
        match faults.first().filter(|_| self.is_empty) {
            Some(first) => Err(Unread {
                what: S::WHAT,
                first: first.clone(),
            }),
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
