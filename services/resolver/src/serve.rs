//! The resolver as a process.

use std::sync::Arc;

use clap::Args;
use portolan_shell::{Readiness, Serve, ServeFlags, Server, signals};
use thiserror::Error;
use tokio::sync::watch;

use crate::source::{self, CatalogFolder, ReadCatalogs};
use crate::{Resolver, Snapshot};

/// What a resolver needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// Content of a catalog: a name, and a folder (or file) of catalog files. Several times,
    /// or with commas between, for several catalogs.
    #[arg(
        long = "catalog",
        env = "PORTOLAN_CATALOG",
        value_name = "NAME=DIR",
        value_delimiter = ',',
        required = true
    )]
    pub catalogs: Vec<CatalogFolder>,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,
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
    /// Our reading of catalogs panicked.
    #[error("read catalogs in the background")]
    Join(#[from] tokio::task::JoinError),
}

/// Runs a resolver until it is told to stop. It listens at once and is ready when its catalogs
/// are read; a catalog that cannot be read at all ends it.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stop = signals::stop().map_err(Start::Signals)?;
    let (sender, snapshot) = watch::channel(Arc::new(source::unread(&flags.catalogs)));
    let ready = Readiness::pending();
    let server = Server::new(flags.serve, portolan_proto::DESCRIPTORS)
        .host(Resolver::new(snapshot).into_service(), ready.clone())
        .bind()
        .await?;
    let mut served = std::pin::pin!(server.run(stop));

    let catalogs = flags.catalogs;
    let mut reading = tokio::task::spawn_blocking(move || source::read(&catalogs));
    tokio::select! {
        // It listens before it looks whether the catalogs are read, and its log says so.
        biased;
        ended = &mut served => return Ok(ended?),
        read = &mut reading => {
            let snapshot = read??;
            log(&snapshot);
            sender.send_replace(Arc::new(snapshot));
            ready.set_ready();
        }
    }
    Ok(served.await?)
}

fn log(snapshot: &Snapshot) {
    for (name, offer) in &snapshot.offers {
        let Some(content) = offer.content() else {
            continue;
        };
        let catalog = &content.catalog;
        let packages = catalog.packages.len();
        let faults = catalog.faults.len();
        tracing::info!(catalog = %name, packages, faults, digest = %catalog.digest, "catalog read");
        for fault in &catalog.faults {
            tracing::warn!(catalog = %name, reason = %fault, "catalog fault");
        }
    }
}
