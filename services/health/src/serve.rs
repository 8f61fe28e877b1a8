//! Runs the health service as a process.

use clap::Args;
use portolan_scaffold::{Listening, SnapshotCell, Start, secure};
use portolan_shell::{SecurityFlags, ServeFlags, Server};
use portolan_world::WorldFlags;

use crate::probe::Pace;
use crate::{Health, Options, cache};

/// The flags of the health service.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The source of the objects of operators and catalogs.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// Only operators of this namespace. The ServiceAccount then needs no access to other
    /// namespaces.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// Do not probe the registries of catalogs. Registries of a --world are never probed.
    #[arg(long)]
    pub no_probes: bool,

    /// The flags of the server.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// The flags of authentication.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// Runs the health service until the process gets a signal. The service listens immediately, and
/// becomes ready when all objects of a cluster have been listed. After that, the service watches
/// the objects for changes.
///
/// # Errors
/// Returns an error if the service cannot listen, if the flags select no world, or if the objects
/// can no longer be watched.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_scaffold::serve(listen(flags)).await
}

/// Listens on both addresses. The service observes no objects and processes no requests until
/// [`Listening::run`] is called.
///
/// # Errors
/// Returns an error if the service cannot listen.
pub async fn listen(flags: Flags) -> Result<Listening, Start> {
    let Flags {
        objects,
        only_namespace,
        no_probes,
        serve,
        security,
    } = flags;
    let options = Options {
        namespace: only_namespace,
        probes: (!no_probes).then(Pace::default),
        keeps_grounds: false,
    };
    let cell = SnapshotCell::default();
    let service = Health::answering(cell.snapshots()).into_service();
    let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(service, cell.heard());
    let server = secure(server, &security, &objects.access).await?;
    let following = async move {
        let world = objects.open().await?;
        Err(cache::follow(world, options, cell).await.into())
    };
    Ok(Listening::new(server.bind().await?, following))
}
