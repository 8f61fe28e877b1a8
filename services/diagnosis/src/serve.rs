//! Diagnosis as a process.

use std::convert::Infallible;
use std::net::SocketAddr;

use clap::Args;
use futures::Stream;
use portolan_guard::Secure;
use portolan_health::probe::Pace;
use portolan_resolver::source::{CatalogAt, Reach as SourceReach, ReadCatalogs};
use portolan_shell::{Bound, Readiness, SecurityFlags, Serve, ServeFlags, Server, signals};
use portolan_world::{Ended, NoWorld, ReachCluster, WorldFlags};
use thiserror::Error;

use crate::{Diagnosis, Reach};

/// What a diagnosis needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// Where the objects of operators and catalogs are.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// The content of a CatalogSource: its namespace and name, and a folder (or file) of catalog
    /// files, the address of a registry behind grpc://, or the URL of a catalogd. For those that
    /// cannot be reached, and for all of a --world. Several times, or with commas between, for several
    /// catalogs.
    #[arg(
        long = "catalog",
        env = "PORTOLAN_CATALOG",
        value_name = "NAMESPACE/NAME=PLACE",
        value_delimiter = ','
    )]
    pub catalogs: Vec<CatalogAt>,

    /// Only operators of this namespace. The ServiceAccount then needs to read no others, but for
    /// catalogs and the Jobs that unpack bundles.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// The namespace whose catalogs all namespaces see; that of OLM if not given.
    #[arg(long, value_name = "NAMESPACE")]
    pub global_namespace: Option<String>,

    /// Do not ask the registries of catalogs whether they answer. Those of a folder are never asked.
    #[arg(long)]
    pub no_probes: bool,

    /// How sources are reached.
    #[command(flatten)]
    pub sources: SourceReach,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// Whom to serve.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// Why a diagnosis does not run.
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
    #[error("nothing to look at: say --world PATH, or which cluster")]
    NoCluster(#[source] ReachCluster),
    /// The cluster that was asked for cannot be looked at.
    #[error(transparent)]
    Reach(ReachCluster),
    /// The objects of the world are watched no longer, or our looking at them panicked.
    #[error("follow the objects of the cluster")]
    Ended(#[from] Ended),
}

/// A diagnosis that listens, and answers once it runs.
#[derive(Debug)]
pub struct Listening {
    server: Bound,
    ready: Readiness,
    diagnosis: Diagnosis,
    objects: WorldFlags,
    catalogs: Vec<CatalogAt>,
    sources: SourceReach,
    reach: Reach,
}

/// Runs a diagnosis until this process is told to stop. It listens at once and is ready when
/// everything has been looked at; from then on it follows what changes.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    Listening::under(flags).await?.run(stops).await
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
    pub async fn under(flags: Flags) -> Result<Self, Start> {
        let Flags {
            objects,
            catalogs,
            only_namespace,
            global_namespace,
            no_probes,
            sources,
            serve,
            security,
        } = flags;
        let (diagnosis, ready) = (Diagnosis::unopened(), Readiness::pending());
        let service = diagnosis.clone().into_service();
        let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(service, ready.clone());
        let server = portolan_guard::secure(server, &security, &objects.access).await?;
        Ok(Self {
            server: server.bind().await?,
            ready,
            diagnosis,
            objects,
            catalogs,
            sources,
            reach: Reach {
                namespace: only_namespace,
                probes: (!no_probes).then(Pace::default),
                global_namespace,
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
            ready,
            diagnosis,
            objects,
            catalogs,
            sources,
            reach,
        } = self;
        let following = async {
            let world = objects.open().await?;
            diagnosis.open(world, (catalogs, &sources), reach)?;
            diagnosis.settled().await;
            ready.set_ready();
            diagnosis.ended().await;
            Err::<Infallible, Start>(Ended.into())
        };
        tokio::select! {
            // It listens before it looks at anything, and its log says so.
            biased;
            ended = server.run(stops) => Ok(ended?),
            ended = following => match ended? {},
        }
    }
}
