//! Where a query takes its facts from, the same flags for every query.

mod connected;

use std::time::Duration;

use clap::Args;
use portolan_proto::DESCRIPTORS;
use portolan_resolver::Resolver;
use portolan_resolver::source::{self, CatalogAt, Reach, ReadCatalogs, ReadSource};
use portolan_shell::client::{self, Connection, Terms};
use thiserror::Error;

pub(crate) use self::connected::Connected;
use crate::failure::Failure;
use crate::progress;

/// Longest time for one answer; people wait for it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Asked where neither flag is given: a flag wins over the environment.
const SERVER: &str = "PORTOLAN_SERVER";

/// What a query is answered from: catalogs, or a running service.
#[derive(Debug, Args)]
#[command(next_help_heading = "Facts (one of these)")]
pub(crate) struct Facts {
    /// A catalog: a name, and where its content is: a folder (or file) of catalog files, the
    /// address of a registry behind grpc://, or the URL of a catalogd. Several times for several
    /// catalogs.
    #[arg(long = "catalog", value_name = "NAME=PLACE")]
    catalogs: Vec<CatalogAt>,

    /// Ask a running resolver instead of reading catalogs; $PORTOLAN_SERVER if neither is given.
    #[arg(long, value_name = "URL", conflicts_with = "catalogs")]
    server: Option<String>,

    #[command(flatten)]
    reach: Reach,
}

/// A query without facts.
#[derive(Debug, Error)]
#[error(
    "nothing to answer from: --catalog NAME=PLACE reads a catalog, \
     --server URL asks a running resolver"
)]
struct NoFacts;

// === impl Facts ===

impl Facts {
    /// A connection to whatever answers: a service over the network, or one in this process.
    pub(crate) async fn connect(&self) -> Result<Connected, Failure> {
        let server = self.server();
        let connection = match &server {
            Some(url) => {
                let terms = Terms::queries(DESCRIPTORS, DEADLINE);
                client::remote(url, terms).map_err(Failure::refused)?
            }
            None => self.in_process().await?,
        };
        Ok(Connected::new(connection, server))
    }

    /// The URL of the service to ask, if catalogs do not answer.
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
        let names: Vec<_> = self
            .catalogs
            .iter()
            .map(|each| each.name.as_str())
            .collect();
        let reading = format!("reading {}", names.join(", "));
        let read = progress::shown(&reading, source::read(&self.catalogs, &self.reach));
        let snapshot = read.await.map_err(unread)?;
        Ok(client::local(Resolver::over(snapshot).into_service()))
    }
}

/// A name given twice, or a folder that is not there, is a slip of the pen; a server that does not
/// answer is none.
fn unread(error: ReadCatalogs) -> Failure {
    match &error {
        ReadCatalogs::SameName(_) => Failure::refused(error),
        ReadCatalogs::Read { source, .. } => match source {
            ReadSource::Folder(_) => Failure::refused(error),
            ReadSource::Registry(_) | ReadSource::Catalogd(_) => Failure::failed(error),
        },
    }
}
