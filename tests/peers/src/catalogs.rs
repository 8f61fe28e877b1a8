//! The catalogs that both servers serve.

use std::path::{Path, PathBuf};

use portolan_kit::real_catalog;
use portolan_proto::registry::ListBundlesRequest;
use portolan_proto::registry::registry_client::RegistryClient;
use tempfile::TempDir;

use crate::Scale;
use crate::failure::Failure;
use crate::generated::{self, Format};
use crate::pair::{Pair, free_port};
use crate::question::{Entry, Question};
use crate::server::Server;

/// A real catalog. It is not part of the repository. The environment variable `PORTOLAN_CATALOGS`
/// contains the path of its folder.
const REAL: &str = "community-v4.20";

/// A catalog in a folder, and the queries about it.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) title: String,
    pub(crate) folder: PathBuf,
    /// The cache that opm has created for the catalog.
    pub(crate) cache: TempDir,
    /// The entries that opm lists, sorted.
    pub(crate) entries: Vec<Entry>,
}

/// The catalogs of a measurement. There is at least one catalog.
#[derive(Debug)]
pub(crate) struct Catalogs {
    all: Vec<Catalog>,
    /// The folder of the generated catalogs. It must exist as long as this value.
    _generated: TempDir,
}

// === impl Catalogs ===

impl Catalogs {
    /// Writes the generated catalogs. For each catalog, runs opm to create its cache and to list
    /// its entries.
    pub(crate) async fn prepared(
        pair: &Pair,
        scale: &Scale,
        is_quick: bool,
    ) -> Result<Self, Failure> {
        let generated = scratch()?;
        let mut all = Vec::new();
        if let Some(folder) = real_catalog(REAL).filter(|_| !is_quick) {
            all.push(Catalog::prepared(pair, format!("{REAL}, YAML"), folder).await?);
        }
        for (format, title) in [(Format::Json, "JSON"), (Format::Yaml, "YAML")] {
            let folder = generated.path().join(title);
            let bytes = generated::write(&folder, scale.packages, format)?;
            let title = format!("generated, {title}, {} MB", bytes / 1_000_000);
            all.push(Catalog::prepared(pair, title, folder).await?);
        }
        Ok(Self {
            all,
            _generated: generated,
        })
    }

    pub(crate) fn all(&self) -> &[Catalog] {
        &self.all
    }

    /// Returns the catalog for single calls. This is the real catalog if it is available.
    pub(crate) fn asked(&self) -> &Catalog {
        &self.all[0]
    }
}

// === impl Catalog ===

impl Catalog {
    pub(crate) async fn prepared(
        pair: &Pair,
        title: String,
        folder: PathBuf,
    ) -> Result<Self, Failure> {
        let cache = scratch()?;
        fill(pair, &folder, cache.path())?;
        let port = free_port()?;
        let command = pair.theirs(&folder, port, Some(cache.path()));
        let entries = entries(Server::start(command, port, scratch()?)?).await?;
        Ok(Self {
            title,
            folder,
            cache,
            entries,
        })
    }
}

/// Creates an empty folder. Dropping the returned value removes the folder.
pub(crate) fn scratch() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(|source| Failure::Touch {
        act: "make a temporary folder".to_owned(),
        source,
    })
}

/// Runs opm to create the cache of a catalog.
fn fill(pair: &Pair, folder: &Path, cache: &Path) -> Result<(), Failure> {
    let mut command = pair.theirs(folder, 0, Some(cache));
    command.arg("--cache-only");
    let output = command.output().map_err(Failure::touch("run", &pair.opm))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(Failure::Expect(format!(
            "opm refuses {}: {}",
            folder.display(),
            String::from_utf8_lossy(&output.stderr)
        )))
    }
}

/// Returns all entries of channels that opm lists.
async fn entries(mut server: Server) -> Result<Vec<Entry>, Failure> {
    server.first_answer(&Question::health()).await?;
    let failed = |status: tonic::Status| Failure::Call {
        method: "ListBundles",
        status: status.into(),
    };
    let client = RegistryClient::new(server.connection());
    let mut client = client.max_decoding_message_size(usize::MAX);
    let listing = client.list_bundles(ListBundlesRequest {}).await;
    let mut listing = listing.map_err(failed)?.into_inner();
    let mut entries = Vec::new();
    while let Some(bundle) = listing.message().await.map_err(failed)? {
        entries.push(Entry {
            package: bundle.package_name,
            channel: bundle.channel_name,
            bundle: bundle.name,
        });
    }
    entries.sort();
    if entries.is_empty() {
        Err(Failure::Expect("opm lists no bundle".to_owned()))
    } else {
        Ok(entries)
    }
}
