//! Catalogs, and who answers questions about them.

use clap::Args;
use portolan_resolver::source::{self, CatalogAt, Reach, ReadCatalogs, ReadSource};
use portolan_shell::client::{self, Connection};
use thiserror::Error;

use super::{Resolver, Whom};
use crate::failure::Failure;
use crate::progress;

/// What a query about catalogs is answered from: catalogs, or a running service.
#[derive(Debug, Args)]
#[command(next_help_heading = "Facts (one of these)")]
pub(crate) struct CatalogFacts {
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

// === impl CatalogFacts ===

impl CatalogFacts {
    /// A connection to whatever answers: a service over the network, or one in this process.
    pub(crate) async fn connect(&self) -> Result<Resolver, Failure> {
        let whom = Whom::of(self.server.as_deref(), !self.catalogs.is_empty());
        whom.connect(self.in_process()).await
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
        let resolver = portolan_resolver::Resolver::over(snapshot);
        Ok(client::local(resolver.into_service()))
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
