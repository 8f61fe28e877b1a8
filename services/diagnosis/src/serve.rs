//! Runs the diagnosis service as a process.

use clap::Args;
use portolan_health::probe::Pace;
use portolan_resolver::bundles::Asker;
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_scaffold::{Listening, Start, secure};
use portolan_shell::{Readiness, SecurityFlags, ServeFlags, Server};
use portolan_world::{Ended, WorldFlags};

use crate::readiness::{ReadinessFlags, ReadinessServer, ReadinessSources};
use crate::{DiagnosisService, Options};

/// The flags of the diagnosis service.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The source of the objects of operators and catalogs.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// Content of the CatalogSource NAMESPACE/NAME. PLACE is a folder (or file) of catalog files,
    /// the address of a registry as grpc://ADDRESS, the URL of a catalogd, or an image as
    /// oci://IMAGE. Use this option for unreachable catalogs. With --world, use this option for
    /// every catalog. Can be repeated, or given as a comma-separated list.
    #[arg(
        long = "catalog",
        env = "PORTOLAN_CATALOG",
        value_name = "NAMESPACE/NAME=PLACE",
        value_delimiter = ','
    )]
    pub catalogs: Vec<CatalogAt>,

    /// Only operators of this namespace. The ServiceAccount then needs no access to other
    /// namespaces, except to catalogs and the Jobs that unpack bundles.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// Namespace whose catalogs are visible in all namespaces. Default: the namespace of OLM.
    #[arg(long, value_name = "NAMESPACE")]
    pub global_namespace: Option<String>,

    /// Do not probe the registries of catalogs. Registries of a --world are never probed.
    #[arg(long)]
    pub no_probes: bool,

    /// The flags of sources.
    #[command(flatten)]
    pub sources: SourceFlags,

    /// The flags of the server.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// The flags of authentication.
    #[command(flatten)]
    pub security: SecurityFlags,

    /// The flags about cluster upgrades.
    #[command(flatten)]
    pub readiness: ReadinessFlags,
}

/// Runs the diagnosis service until the process gets a signal. The service listens immediately, and
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
        catalogs,
        only_namespace,
        global_namespace,
        no_probes,
        sources,
        serve,
        security,
        readiness,
    } = flags;
    let options = Options {
        namespace: only_namespace.clone(),
        probes: (!no_probes).then(Pace::default),
        global_namespace,
    };
    let (diagnosis, ready) = (DiagnosisService::unopened(), Readiness::pending());
    let service = diagnosis.clone().into_service();
    let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(service, ready.clone());
    let server = secure(server, &security, &objects.access).await?;
    let gauge = ReadinessServer::gauge();
    let mut bound = server.bind().await?;
    bound.measure(&gauge);
    let following = async move {
        let world = objects.open().await?;
        let later = ReadinessSources::of_server(readiness, &sources, &world);
        let later = later.map_err(|error| Start::Flags(error.into()))?;
        diagnosis.judging(ReadinessServer::of(world.clone(), only_namespace, later));
        let opened = diagnosis.open(world, (catalogs, &sources.of(Asker::Server)), options);
        opened.map_err(|error| Start::Flags(error.into()))?;
        diagnosis.settled().await;
        diagnosis.heard().await;
        ready.set_ready();
        tokio::select! {
            () = diagnosis.wait_for_end() => {}
            never = diagnosis.measure_readiness(&gauge) => match never {},
        }
        Err(Ended.into())
    };
    Ok(Listening::new(bound, following))
}
