//! The resolver as a process.

use std::convert::Infallible;
use std::future::pending;

use clap::Args;
use portolan_shell::{Readiness, Serve, ServeFlags, Server, signals};
use thiserror::Error;

use crate::Resolver;
use crate::catalogs::Catalogs;
use crate::source::{self, CatalogAt, Reach, ReadCatalogs};

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
        value_delimiter = ',',
        required = true
    )]
    pub catalogs: Vec<CatalogAt>,

    /// How sources are reached.
    #[command(flatten)]
    pub reach: Reach,

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

/// Runs a resolver until it is told to stop. It listens at once and is ready when each catalog has
/// been read, or found to be unreadable; from then on it follows them.
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
    let mut following = source::watch(flags.catalogs, &flags.reach, &catalogs)?;
    let settled = async {
        let mut snapshot = catalogs.watch();
        // The sender lives as long as `catalogs`, so the wait cannot fail.
        let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
        ready.set_ready();
        pending::<Infallible>().await
    };
    tokio::select! {
        // It listens before it looks whether the catalogs are read, and its log says so.
        biased;
        ended = server.run(stop) => Ok(ended?),
        Some(Err(panicked)) = following.join_next() => Err(panicked.into()),
        never = settled => match never {},
    }
}
