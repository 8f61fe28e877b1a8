//! Runs the resolver as a process.

use std::convert::Infallible;
use std::future::pending;

use clap::Args;
use portolan_images::Asker;
use portolan_scaffold::{Listening, Start, secure};
use portolan_shell::{Readiness, SecurityFlags, ServeFlags, Server};
use portolan_world::{AnyWorld, WorldFlags};
use tokio::sync::watch;

use crate::Resolver;
use crate::budget::Budget;
use crate::bundles::BundleFlags;
use crate::catalogs::Catalogs;
use crate::mirrors::Mirrors;
use crate::source::{self, CatalogAt, ClusterCatalogs, Follower, SourceFlags, Visibility};

/// The flags of the resolver.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// A catalog with the name NAME. PLACE is a folder (or file) of catalog files, the address of a
    /// registry as grpc://ADDRESS, the URL of a catalogd, or an image as oci://IMAGE. Can be
    /// repeated, or given as a comma-separated list. Changed catalogs are reloaded.
    #[arg(
        long = "catalog",
        env = "PORTOLAN_CATALOG",
        value_name = "NAME=PLACE",
        value_delimiter = ','
    )]
    pub catalogs: Vec<CatalogAt>,

    /// The source of the CatalogSources and ClusterCatalogs whose catalogs are followed as well.
    /// Without any of these flags, catalogs of a cluster are followed only if no catalog is given
    /// above.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// The flags of sources.
    #[command(flatten)]
    pub reach: SourceFlags,

    /// The flags of bundles.
    #[command(flatten)]
    pub bundles: BundleFlags,

    /// The flags of the server.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// Memory limit of this process, in bytes. Default: the limit of the container, or else 2 GiB.
    /// The content of one catalog of a registry may use an eighth of this limit. All catalogs that
    /// are read at the same time may use a quarter of this limit.
    #[arg(
        long,
        env = "PORTOLAN_MEMORY_LIMIT",
        value_name = "BYTES",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Serving"
    )]
    pub memory_limit: Option<u64>,

    /// The flags of authentication.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// Runs the resolver until the process gets a signal. The resolver listens immediately. The
/// resolver becomes ready when the set of catalogs is known and each catalog has been read or has
/// failed. After that, it watches the catalogs.
///
/// # Errors
/// Returns an error if the resolver cannot listen, if there are no catalogs, or if the catalogs can
/// no longer be watched.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_scaffold::serve(listen(flags)).await
}

/// Listens on both addresses, and starts to read the catalogs from flags. The resolver observes no
/// objects and processes no requests until [`Listening::run`] is called.
///
/// # Errors
/// Returns an error if the resolver cannot listen, or if a catalog cannot be watched.
pub async fn listen(flags: Flags) -> Result<Listening, Start> {
    let Flags {
        catalogs: given,
        objects,
        reach,
        bundles,
        serve,
        memory_limit,
        security,
    } = flags;
    let catalogs = Catalogs::within(Budget::of_process(memory_limit));
    let ready = Readiness::pending();
    let bundles = bundles
        .open(&reach.images, Asker::Server)
        .map_err(|error| Start::Flags(error.into()))?;
    let reach = reach.of(Asker::Server);
    let names: Vec<_> = given.iter().map(|at| at.name.clone()).collect();
    let is_cluster_asked = names.is_empty() || objects.is_given();
    let (folder, access) = (objects.world.clone(), objects.access.clone());
    let world = if is_cluster_asked {
        Some(opened(objects).await?)
    } else {
        None
    };
    let mirrors = world.as_ref().map(Mirrors::of);
    let bundles = match &mirrors {
        Some(mirrors) => bundles.through(mirrors.clone()),
        None => bundles,
    };
    let resolver = Resolver::new(catalogs.watch()).with_bundles(bundles);
    let resolver = resolver.into_service();
    let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(resolver, ready.clone());
    let server = secure(server, &security, &access).await?;
    let server = server.bind().await?;
    let following = source::watch(given, &reach, &catalogs);
    let mut following = following.map_err(|error| Start::Flags(error.into()))?;
    let (telling, known) = watch::channel(if is_cluster_asked {
        Visibility::Pending
    } else {
        Visibility::Seen
    });
    let follower = Follower::new(&catalogs, &reach).through(mirrors);
    let cluster = ClusterCatalogs::new(follower, names);
    let cluster = match &folder {
        Some(folder) => cluster.of_folder(folder),
        None => cluster,
    };
    Ok(Listening::new(server, async move {
        let objects = async {
            match world {
                Some(world) => follow_objects(world, cluster, telling).await,
                None => pending().await,
            }
        };
        tokio::select! {
            Some(Err(source)) = following.join_next() => {
                Err(Start::Join { what: "read catalogs", source })
            }
            ended = objects => ended,
            never = settle(&catalogs, known, &ready) => match never {},
        }
    }))
}

async fn opened(objects: WorldFlags) -> Result<AnyWorld, Start> {
    const NOTHING: &str = "no catalogs to serve: use --catalog NAME=PLACE, --world PATH, or select \
        a cluster";
    let world = objects.open().await;
    world.map_err(|error| Start::without_world(error, NOTHING))
}

async fn follow_objects(
    world: AnyWorld,
    cluster: ClusterCatalogs,
    known: watch::Sender<Visibility>,
) -> Result<Infallible, Start> {
    let followed = cluster.follow(world, known).await;
    followed.map_err(|source| Start::Ended {
        what: "catalogs",
        source,
    })
}

/// Marks the resolver as ready as soon as it can process queries.
async fn settle(
    catalogs: &Catalogs,
    mut known: watch::Receiver<Visibility>,
    ready: &Readiness,
) -> Infallible {
    let mut snapshot = catalogs.watch();
    // The resolver owns the senders, so neither wait can fail before the resolver ends.
    let _ = known.wait_for(|known| *known == Visibility::Seen).await;
    let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
    ready.set_ready();
    pending().await
}
