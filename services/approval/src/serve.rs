//! Approval as a process.

use std::convert::Infallible;
use std::net::SocketAddr;

use clap::Args;
use futures::Stream;
use portolan_guard::Secure;
use portolan_shell::{Bound, SecurityFlags, Serve, ServeFlags, Server, signals};
use portolan_world::{Ended, NoWorld, ReachCluster, WorldFlags};
use thiserror::Error;
use tokio_util::task::AbortOnDropHandle;

use crate::board::Board;
use crate::census;
use crate::{Approval, Reach};

/// What approval needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// Where the InstallPlans and the policies are.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// Only InstallPlans of this namespace. Policies are read in all of them.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// Whom to serve.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// Why approval does not run.
#[derive(Debug, Error)]
pub enum Start {
    /// The server does not start, or ended.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// The server cannot be made secure.
    #[error(transparent)]
    Secure(#[from] Secure),
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

/// Approval that listens, and answers once it runs.
#[derive(Debug)]
pub struct Listening {
    server: Bound,
    board: Board,
    objects: WorldFlags,
    reach: Reach,
}

/// Runs approval until this process is told to stop. It listens at once and is ready when
/// everything has been looked at; from then on it follows what changes.
///
/// # Errors
/// It cannot listen, there is nothing to look at, or looking at it has ended.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    Listening::under(flags).await?.run(stops).await
}

async fn follow(objects: WorldFlags, reach: Reach, board: Board) -> Result<Infallible, Start> {
    let world = objects.open().await?;
    Err(census::follow(world, reach, board).await.into())
}

// === impl Start ===

impl From<NoWorld> for Start {
    fn from(error: NoWorld) -> Self {
        match error {
            NoWorld::NotGiven(source) => Self::NoCluster(source),
            NoWorld::Reach(error) => Self::Reach(error),
        }
    }
}

// === impl Listening ===

impl Listening {
    /// Listens on both addresses. Nothing is looked at or answered before [`Listening::run`].
    ///
    /// # Errors
    /// It cannot listen.
    pub async fn under(flags: Flags) -> Result<Self, Start> {
        let Flags {
            objects,
            only_namespace,
            serve,
            security,
        } = flags;
        let board = Board::new();
        let approval = Approval::at(&board).into_service();
        let server =
            Server::new(serve, portolan_proto::DESCRIPTORS).host(approval, board.settled());
        let server = portolan_guard::secure(server, &security, &objects.access).await?;
        Ok(Self {
            server: server.bind().await?,
            board,
            objects,
            reach: Reach {
                keeps_grounds: false,
                namespace: only_namespace,
            },
        })
    }

    /// Where gRPC is served.
    pub fn grpc_address(&self) -> SocketAddr {
        self.server.grpc_address()
    }

    /// As [`serve`], until the first of `stops`; see [`Bound::run`].
    ///
    /// # Errors
    /// As [`serve`].
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
