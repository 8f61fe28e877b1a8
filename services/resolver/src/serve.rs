//! The resolver as a process.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;

use clap::Args;
use futures::Stream;
use portolan_guard::Secure;
use portolan_shell::{Bound, Readiness, SecurityFlags, Serve, ServeFlags, Server, signals};
use portolan_world::{Ended, NoWorld, ReachCluster, WorldFlags};
use thiserror::Error;
use tokio::sync::watch;

use crate::Resolver;
use crate::catalogs::Catalogs;
use crate::source::registry::Budget;
use crate::source::{self, CatalogAt, ClusterCatalogs, Reach, ReadCatalogs, Sight};

/// What a resolver needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// A catalog: a name, and where its content is: a folder (or file) of catalog files, the
    /// address of a registry behind grpc://, or the URL of a catalogd. Several times, or with
    /// commas between, for several catalogs. Each is read again when it changes.
    #[arg(
        long = "catalog",
        env = "PORTOLAN_CATALOG",
        value_name = "NAME=PLACE",
        value_delimiter = ','
    )]
    pub catalogs: Vec<CatalogAt>,

    /// Where the CatalogSources and ClusterCatalogs are whose catalogs are followed as well. Without
    /// any of these flags, catalogs of a cluster are followed only where none is given above.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// How sources are reached.
    #[command(flatten)]
    pub reach: Reach,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// Memory that this process may take, in bytes; as much as its container may take if not given,
    /// else 2 GiB. One catalog of a registry may tell an eighth of it, all that are read at one time
    /// a quarter.
    #[arg(
        long,
        env = "PORTOLAN_MEMORY_LIMIT",
        value_name = "BYTES",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Serving"
    )]
    pub memory_limit: Option<u64>,

    /// Whom to serve.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// Why a resolver does not run.
#[derive(Debug, Error)]
pub enum Start {
    /// A catalog cannot be read.
    #[error(transparent)]
    Read(#[from] ReadCatalogs),
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
    #[error("nothing to serve: say --catalog NAME=PLACE, --world PATH, or which cluster")]
    NoCluster(#[source] ReachCluster),
    /// The cluster that was asked for cannot be looked at.
    #[error(transparent)]
    Reach(ReachCluster),
    /// The objects of the cluster are watched no longer.
    #[error("follow the catalogs of the cluster")]
    Ended(#[from] Ended),
    /// Our reading of catalogs panicked.
    #[error("read catalogs in the background")]
    Join(#[from] tokio::task::JoinError),
}

/// A resolver that listens, and answers once it runs.
#[derive(Debug)]
pub struct Listening {
    server: Bound,
    ready: Readiness,
    catalogs: Catalogs,
    given: Vec<CatalogAt>,
    objects: WorldFlags,
    reach: Reach,
}

/// Runs a resolver until this process is told to stop. It listens at once and is ready when it
/// knows which catalogs there are, and each has been read, or found to be unreadable; from then on
/// it follows them.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    Listening::under(flags).await?.run(stops).await
}

async fn follow_objects(
    objects: WorldFlags,
    cluster: ClusterCatalogs,
    known: watch::Sender<Sight>,
) -> Result<Infallible, Start> {
    let world = objects.open().await?;
    Ok(cluster.follow(world, known).await?)
}

/// Says that the resolver can answer once it can.
async fn settle(
    catalogs: &Catalogs,
    mut known: watch::Receiver<Sight>,
    ready: &Readiness,
) -> Infallible {
    let mut snapshot = catalogs.watch();
    // The senders live as long as the resolver, so neither wait can fail before it ends.
    let _ = known.wait_for(|known| *known == Sight::Seen).await;
    let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
    ready.set_ready();
    pending().await
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
    /// Listens on both addresses. Nothing is read or answered before [`Listening::run`].
    pub async fn under(flags: Flags) -> Result<Self, Start> {
        let Flags {
            catalogs: given,
            objects,
            reach,
            serve,
            memory_limit,
            security,
        } = flags;
        let catalogs = Catalogs::within(Budget::of_process(memory_limit));
        let ready = Readiness::pending();
        let resolver = Resolver::new(catalogs.watch()).into_service();
        let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(resolver, ready.clone());
        let server = portolan_guard::secure(server, &security, &objects.access).await?;
        Ok(Self {
            server: server.bind().await?,
            ready,
            catalogs,
            given,
            objects,
            reach,
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
            ready,
            catalogs,
            given,
            objects,
            reach,
        } = self;
        let names: Vec<_> = given.iter().map(|at| at.name.clone()).collect();
        let is_cluster_asked = names.is_empty() || objects.is_given();
        let mut following = source::watch(given, &reach, &catalogs)?;
        let (telling, known) = watch::channel(match is_cluster_asked {
            true => Sight::Pending,
            false => Sight::Seen,
        });
        let cluster = ClusterCatalogs::new(&catalogs, &reach, names);
        let cluster = match &objects.world {
            Some(folder) => cluster.of_folder(folder),
            None => cluster,
        };
        let objects = async {
            match is_cluster_asked {
                true => follow_objects(objects, cluster, telling).await,
                false => pending().await,
            }
        };
        tokio::select! {
            // It listens before it looks whether the catalogs are read, and its log says so.
            biased;
            ended = server.run(stops) => Ok(ended?),
            Some(Err(panicked)) = following.join_next() => Err(panicked.into()),
            ended = objects => match ended? {},
            never = settle(&catalogs, known, &ready) => match never {},
        }
    }
}
