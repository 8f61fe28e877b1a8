//! Health as a process.

use clap::Args;
use portolan_scaffold::{Listening, SnapshotCell, Start, secure};
use portolan_shell::{SecurityFlags, ServeFlags, Server};
use portolan_world::WorldFlags;

use crate::probe::Pace;
use crate::{Health, Options, cache};

/// What health needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// Where the objects of operators and catalogs are.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// Only operators of this namespace. The ServiceAccount then needs to read no others.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// Do not ask the registries of catalogs. Those of a folder are never asked.
    #[arg(long)]
    pub no_probes: bool,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// Whom to serve.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// Runs health until this process is told to stop. It listens at once and is ready when everything
/// has been looked at, and a cluster was there; from then on it follows what changes.
///
/// # Errors
/// It cannot listen, there is nothing to look at, or looking at it has ended.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_scaffold::serve(listen(flags)).await
}

/// Listens on both addresses. Nothing is looked at or answered before [`Listening::run`].
///
/// # Errors
/// It cannot listen.
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
