//! Where a query takes its facts from, the same flags for every query.

use std::time::Duration;

use clap::Args;
use portolan_resolver::Resolver;
use portolan_resolver::source::{self, CatalogFolder};
use portolan_shell::client::{self, Connection};

use crate::failure::Failure;

/// Longest time for a query; people wait for it.
const DEADLINE: Duration = Duration::from_secs(30);

/// What a query is answered from: files, or a running service.
#[derive(Debug, Args)]
#[command(next_help_heading = "Facts")]
#[group(required = true, multiple = true)]
pub(crate) struct Facts {
    /// Content of a catalog: a name, and a folder (or file) of catalog files. Several times for
    /// several catalogs.
    #[arg(long = "catalog", value_name = "NAME=DIR")]
    catalogs: Vec<CatalogFolder>,

    /// Ask a running resolver instead of reading files.
    #[arg(
        long,
        env = "PORTOLAN_SERVER",
        value_name = "URL",
        conflicts_with = "catalogs"
    )]
    pub(crate) server: Option<String>,
}

// === impl Facts ===

impl Facts {
    /// A connection to whatever answers: a service over the network, or one in this process.
    pub(crate) async fn connect(&self) -> Result<Connection, Failure> {
        if let Some(url) = &self.server {
            return client::remote(url, DEADLINE).map_err(Failure::from_error);
        }
        let catalogs = self.catalogs.clone();
        let reading = tokio::task::spawn_blocking(move || source::read(&catalogs));
        let snapshot = reading
            .await
            .map_err(Failure::from_error)?
            .map_err(Failure::from_error)?;
        Ok(client::local(Resolver::over(snapshot).into_service()))
    }
}
