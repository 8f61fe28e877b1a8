//! The resolver as a process.

use std::convert::Infallible;
use std::future::pending;
use std::path::PathBuf;

use clap::Args;
use portolan_shell::{Readiness, Serve, ServeFlags, Server, signals};
use portolan_world::{Access, Cluster, Ended, Files, ReachCluster};
use thiserror::Error;
use tokio::sync::watch;

use crate::Resolver;
use crate::catalogs::Catalogs;
use crate::source::{self, CatalogAt, ClusterCatalogs, Reach, ReadCatalogs};

/// What a resolver needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// A catalog: a name, and where its content is: a folder (or file) of catalog files, the address
    /// of a registry behind grpc://, or the URL of a catalogd. Several times, or with commas
    /// between, for several catalogs. Each is read again when it changes.
    #[arg(
        long = "catalog",
        env = "PORTOLAN_CATALOG",
        value_name = "NAME=PLACE",
        value_delimiter = ','
    )]
    pub catalogs: Vec<CatalogAt>,

    /// Where the objects are that name further catalogs.
    #[command(flatten)]
    pub objects: Objects,

    /// How sources are reached.
    #[command(flatten)]
    pub reach: Reach,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,
}

/// Where the CatalogSources and ClusterCatalogs are whose catalogs are followed as well: in a
/// cluster, or in files. Without any of these flags, and without a catalog, it is the cluster of
/// the kubeconfig, or the one that this is a pod of.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Objects")]
pub struct Objects {
    /// Folder (or file) of manifests to take for a cluster.
    #[arg(long, env = "PORTOLAN_WORLD", value_name = "PATH", conflicts_with_all = ["kubeconfig", "context"])]
    pub world: Option<PathBuf>,

    /// The kubeconfig; that of kubectl if not given.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig; the current one if not given.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
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
    /// The system refuses signal handlers.
    #[error("wait for signals")]
    Signals(#[source] std::io::Error),
    /// There is no cluster to look at.
    #[error("nothing to serve: say --catalog NAME=PLACE, --world PATH, or which cluster")]
    NoCluster(#[from] ReachCluster),
    /// The objects of the cluster are watched no longer.
    #[error("follow the catalogs of the cluster")]
    Ended(#[from] Ended),
    /// Our reading of catalogs panicked.
    #[error("read catalogs in the background")]
    Join(#[from] tokio::task::JoinError),
}

/// Runs a resolver until it is told to stop. It listens at once and is ready when it knows which
/// catalogs there are, and each has been read, or found to be unreadable; from then on it follows
/// them.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stop = signals::stop().map_err(Start::Signals)?;
    let catalogs = Catalogs::new();
    let ready = Readiness::pending();
    let server = Server::new(flags.serve, portolan_proto::DESCRIPTORS)
        .host(
            Resolver::new(catalogs.watch()).into_service(),
            ready.clone(),
        )
        .bind()
        .await?;
    let given: Vec<_> = flags.catalogs.iter().map(|at| at.name.clone()).collect();
    let is_cluster_asked = given.is_empty() || flags.objects.is_given();
    let mut following = source::watch(flags.catalogs, &flags.reach, &catalogs)?;
    let (known, is_known) = watch::channel(!is_cluster_asked);
    let cluster = ClusterCatalogs::new(catalogs.clone(), flags.reach, given);
    let objects = async {
        match is_cluster_asked {
            true => follow_objects(flags.objects, cluster, known).await,
            false => pending().await,
        }
    };
    tokio::select! {
        // It listens before it looks whether the catalogs are read, and its log says so.
        biased;
        ended = server.run(stop) => Ok(ended?),
        Some(Err(panicked)) = following.join_next() => Err(panicked.into()),
        ended = objects => match ended? {},
        never = settle(&catalogs, is_known, &ready) => match never {},
    }
}

async fn follow_objects(
    objects: Objects,
    cluster: ClusterCatalogs,
    known: watch::Sender<bool>,
) -> Result<Infallible, Start> {
    let Objects {
        world,
        kubeconfig,
        context,
    } = objects;
    if let Some(path) = world {
        return Ok(cluster.follow(Files::at(path), known).await?);
    }
    let access = Access {
        kubeconfig,
        context,
    };
    let world = Cluster::reach(&access).await?;
    Ok(cluster.follow(world, known).await?)
}

/// Says that the resolver can answer once it can.
async fn settle(
    catalogs: &Catalogs,
    mut is_known: watch::Receiver<bool>,
    ready: &Readiness,
) -> Infallible {
    let mut snapshot = catalogs.watch();
    // The senders live as long as the resolver, so neither wait can fail before it ends.
    let _ = is_known.wait_for(|known| *known).await;
    let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
    ready.set_ready();
    pending().await
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
