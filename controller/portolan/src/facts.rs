//! Where a query takes its facts from, the same flags for every query.

mod connected;

use std::time::Duration;

use clap::Args;
use portolan_resolver::source::{self, CatalogFolder};
use portolan_resolver::{Resolver, Snapshot};
use portolan_shell::client::{self, Connection};
use thiserror::Error;

pub(crate) use self::connected::Connected;
use crate::failure::Failure;
use crate::progress;

/// Longest time for one answer; people wait for it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Longest time for a stream of questions: whoever asks them may take weeks.
const STREAM: Duration = Duration::from_secs(365 * 24 * 60 * 60);

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
    /// A connection to whatever answers: a service over the network, or one in this process.
    pub(crate) async fn connect(&self) -> Result<Connected, Failure> {
        self.connect_within(DEADLINE).await
    }

    /// A connection for a call that ends when its questions do.
    pub(crate) async fn connect_for_stream(&self) -> Result<Connected, Failure> {
        self.connect_within(STREAM).await
    }

    async fn connect_within(&self, deadline: Duration) -> Result<Connected, Failure> {
        let server = self.server();
        let connection = match &server {
            Some(url) => client::remote(url, deadline).map_err(Failure::refused)?,
            None => self.in_process().await?,
        };
        Ok(Connected::new(connection, server))
    }

    /// The URL of the service to ask, if files do not answer.
    fn server(&self) -> Option<String> {
        if !self.catalogs.is_empty() {
            return None;
        }
        let usual = || std::env::var(SERVER).ok().filter(|url| !url.is_empty());
        self.server.clone().or_else(usual)
    }

    async fn in_process(&self) -> Result<Connection, Failure> {
        if self.catalogs.is_empty() {
            return Err(Failure::refused(NoFacts));
        }
        let snapshot = progress::shown(&self.reading(), self.read()).await?;
        Ok(client::local(Resolver::over(snapshot).into_service()))
    }

    fn reading(&self) -> String {
        let names: Vec<_> = self
            .catalogs
            .iter()
            .map(|each| each.name.as_str())
            .collect();
        format!("reading {}", names.join(", "))
    }

    async fn read(&self) -> Result<Snapshot, Failure> {
        let catalogs = self.catalogs.clone();
        let reading = tokio::task::spawn_blocking(move || source::read(&catalogs));
        let read = reading.await.map_err(Failure::failed)?;
        read.map_err(Failure::refused)
    }
}
