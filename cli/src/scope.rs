//! Flags that many queries share: the namespace, the channel, the catalog, the version, and
//! `--watch`.

use clap::Args;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::{self, Format, Render};

/// The optional parts of a query about an installed bundle.
#[derive(Debug, Args)]
pub(crate) struct ChannelArgs {
    /// Version of the installed bundle, for skip ranges if the bundle is missing from the catalog.
    #[arg(long, value_name = "VERSION", hide_short_help = true)]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) installed_version: String,

    /// Channel of the upgrades. Default: all channels of the package.
    #[arg(long, value_name = "CHANNEL")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) channel: String,

    /// Use all channels of the package, even if the operator is subscribed to one channel.
    #[arg(long, conflicts_with = "channel")]
    pub(crate) all_channels: bool,

    #[command(flatten)]
    pub(crate) within: InArgs,
}

/// The catalog of a query.
#[derive(Debug, Args)]
pub(crate) struct InArgs {
    /// Catalog to search.
    ///
    /// Default: for a package, the catalog of highest priority that contains the package; for a
    /// list, all catalogs.
    #[arg(long = "in", id = "in", value_name = "CATALOG")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) catalog: String,
}

/// The flag --in, and its old form --from.
#[derive(Debug, Args)]
pub(crate) struct InOrFromArgs {
    #[command(flatten)]
    within: InArgs,

    /// The old form of --in, before --from named a bundle.
    #[arg(long, value_name = "CATALOG", hide = true, conflicts_with = "in")]
    from: Option<String>,
}

// === impl ChannelArgs ===

impl ChannelArgs {
    /// Returns true if the user specified a channel, a catalog or a version.
    pub(crate) fn is_given(&self) -> bool {
        let texts = [&self.installed_version, &self.channel, &self.within.catalog];
        self.all_channels || texts.iter().any(|it| !it.is_empty())
    }
}

// === impl InOrFromArgs ===

impl InOrFromArgs {
    pub(crate) fn catalog(self) -> String {
        let Some(catalog) = self.from else {
            return self.within.catalog;
        };
        print::warn(&format!(
            "--from {catalog} is deprecated, and will be removed in the next version; use --in \
             {catalog}"
        ));
        catalog
    }
}

/// The flag for watching.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Keep running, and print the answer again whenever the answer changes, until Ctrl-C.
    #[arg(short, long)]
    pub(crate) watch: bool,
}

// === impl WatchArgs ===

impl WatchArgs {
    /// Sends the query and prints the result. With `--watch`, repeats this. Returns the exit code
    /// of the command.
    pub(crate) async fn show<T: Render>(
        &self,
        format: Format,
        mut ask: impl AsyncFnMut() -> Result<T, Failure>,
    ) -> Result<Exit, Failure> {
        if self.watch {
            print::again(format, ask).await?;
            return Ok(Exit::Answered);
        }
        format.show(&ask().await?)
    }
}

/// The namespaces of a query.
#[derive(Debug, Args)]
pub(crate) struct NamespaceArgs {
    /// Only objects of this namespace. Default: all namespaces.
    #[arg(short, long, value_name = "NAMESPACE")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) namespace: String,

    /// All namespaces (the default).
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    all_namespaces: bool,
}
