//! Where a query takes its facts from, the same flags for every query.

use std::time::Duration;

use clap::Args;
use portolan_proto::DESCRIPTORS;
use portolan_resolver::Resolver;
use portolan_resolver::source::{self, CatalogFolder};
use portolan_shell::client::{self, Connection, Terms};
use thiserror::Error;

use crate::failure::Failure;

/// Longest time for a query; people wait for it.
const DEADLINE: Duration = Duration::from_secs(30);

/// Asked where neither flag is given: a flag wins over the environment.
const SERVER: &str = "PORTOLAN_SERVER";

/// What a query is answered from: files, or a running service.
#[derive(Debug, Args)]
#[command(next_help_heading = "Facts (one of these)")]
pub(crate) struct Facts {
    /// Content of a catalog: a name, and a folder (or file) of catalog files. Several times for
    /// several catalogs.
    #[arg(long = "catalog", value_name = "NAME=DIR")]
    catalogs: Vec<CatalogFolder>,

    /// Ask a running resolver instead of reading files; $PORTOLAN_SERVER if neither is given.
    #[arg(long, value_name = "URL", conflicts_with = "catalogs")]
    server: Option<String>,
}

/// A query without facts.
#[derive(Debug, Error)]
#[error(
    "nothing to answer from: --catalog NAME=DIR reads the files of a catalog, \
     --server URL asks a running resolver"
)]
struct NoFacts;

// === impl Facts ===

impl Facts {
    /// The URL of the service to ask, if files do not answer.
    pub(crate) fn server(&self) -> Option<String> {
        if !self.catalogs.is_empty() {
            return None;
        }
        let usual = || std::env::var(SERVER).ok().filter(|url| !url.is_empty());
        self.server.clone().or_else(usual)
    }

    /// A connection to whatever answers: a service over the network, or one in this process.
    pub(crate) async fn connect(&self) -> Result<Connection, Failure> {
        if let Some(url) = self.server() {
            let terms = Terms::queries(DESCRIPTORS, DEADLINE);
            return client::remote(&url, terms).map_err(Failure::refused);
        }
        if self.catalogs.is_empty() {
            return Err(Failure::refused(NoFacts));
        }
        let catalogs = self.catalogs.clone();
        let reading = tokio::task::spawn_blocking(move || source::read(&catalogs));
        let snapshot = reading
            .await
            .map_err(Failure::failed)?
            .map_err(Failure::refused)?;
        Ok(client::local(Resolver::over(snapshot).into_service()))
    }
}
