//! Health as a process.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use futures::Stream;
use portolan_shell::{Bound, Serve, ServeFlags, Server, signals};
use portolan_world::{Access, Cluster, Ended, Files, ReachCluster};
use thiserror::Error;
use tokio_util::task::AbortOnDropHandle;

use crate::board::Board;
use crate::census;
use crate::probe::Pace;
use crate::{Health, Reach};

/// What health needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// Where the objects are.
    #[command(flatten)]
    pub objects: Objects,

    /// Only operators of this namespace. The ServiceAccount then needs to read no others.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// Do not ask the registries of catalogs. Those of a folder are never asked.
    #[arg(long)]
    pub no_probes: bool,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,
}

/// Where the objects of operators and catalogs are: in a cluster, or in files. Without any of these
/// flags it is the cluster of the kubeconfig, or the one that this is a pod of.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Objects")]
pub struct Objects {
    /// Folder (or file) of manifests to take for a cluster.
    #[arg(
        long,
        env = "PORTOLAN_WORLD",
        value_name = "PATH",
        conflicts_with_all = ["kubeconfig", "context"]
    )]
    pub world: Option<PathBuf>,

    /// The kubeconfig; that of kubectl if not given.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig; the current one if not given.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

/// Why health does not run.
#[derive(Debug, Error)]
pub enum Start {
    /// The server does not start, or ended.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// The system refuses signal handlers.
    #[error("wait for signals")]
    Signals(#[source] std::io::Error),
    /// There is no cluster to look at.
    #[error("nothing to look at: say --world PATH, or which cluster")]
    NoCluster(#[source] ReachCluster),
    /// The cluster that was asked for cannot be looked at.
    #[error(transparent)]
    Reach(ReachCluster),
    /// The objects of the world are watched no longer.
    #[error("follow the objects of the cluster")]
    Ended(#[from] Ended),
    /// Our looking at them panicked.
    #[error("look at objects in the background")]
    Join(#[from] tokio::task::JoinError),
}

/// Health that listens, and answers once it runs.
#[derive(Debug)]
pub struct Listening {
    server: Bound,
    board: Board,
    objects: Objects,
    reach: Reach,
}

/// Runs health until this process is told to stop. It listens at once and is ready when everything
/// has been looked at; from then on it follows what changes.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    Listening::under(flags).await?.run(stops).await
}

async fn follow(objects: Objects, reach: Reach, board: Board) -> Result<Infallible, Start> {
    let is_given = objects.is_given();
    let Objects {
        world,
        kubeconfig,
        context,
    } = objects;
    if let Some(path) = world {
        // Its registries are those of another place and time.
        let probes = None;
        let reach = Reach { probes, ..reach };
        return Err(census::follow(Files::at(path), reach, board).await.into());
    }
    let access = Access {
        kubeconfig,
        context,
    };
    let world = Cluster::reach(&access).await;
    let world = world.map_err(|error| match (is_given, &error) {
        (false, ReachCluster::Nowhere(_)) => Start::NoCluster(error),
        _ => Start::Reach(error),
    })?;
    Err(census::follow(world, reach, board).await.into())
}

// === impl Listening ===

impl Listening {
    /// Listens on both addresses. Nothing is looked at or answered before [`Listening::run`].
    pub async fn under(flags: Flags) -> Result<Self, Start> {
        let Flags {
            objects,
            only_namespace,
            no_probes,
            serve,
        } = flags;
        let board = Board::new();
        let health = Health::at(&board).into_service();
        let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(health, board.settled());
        Ok(Self {
            server: server.bind().await?,
            board,
            objects,
            reach: Reach {
                namespace: only_namespace,
                probes: (!no_probes).then(Pace::default),
            },
        })
    }

    /// Where gRPC is served.
    pub fn grpc_address(&self) -> SocketAddr {
        self.server.grpc_address()
    }

    /// As [`serve`], until the first of `stops`; see [`Bound::run`].
    pub async fn run(self, stops: impl Stream<Item = ()>) -> Result<(), Start> {
        let Self {
            server,
            board,
            objects,
            reach,
        } = self;
        let following = tokio::spawn(follow(objects, reach, board));
        let following = AbortOnDropHandle::new(following);
        tokio::select! {
            ended = server.run(stops) => Ok(ended?),
            ended = following => match ended?? {},
        }
    }
}

// === impl Objects ===

impl Objects {
    fn is_given(&self) -> bool {
        let Self {
            world,
            kubeconfig,
            context,
        } = self;
        world.is_some() || kubeconfig.is_some() || context.is_some()
    }
}
