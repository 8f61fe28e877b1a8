//! Where to look, the same flags for every query of a sort.

use clap::Args;

/// What a question about an installed bundle may leave out.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// Version of the installed bundle, for skip ranges where the catalog does not have it.
    #[arg(long, value_name = "VERSION")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) installed_version: String,

    /// Channel to stay in; all channels of the package if not given.
    #[arg(long, value_name = "CHANNEL")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) channel: String,

    /// All channels of the package, also where an operator follows one.
    #[arg(long, conflicts_with = "channel")]
    pub(crate) all_channels: bool,

    #[command(flatten)]
    pub(crate) within: Within,
}

/// Which catalog is asked for a package.
#[derive(Debug, Args)]
pub(crate) struct Within {
    /// Catalog to look in; if not given, the one of highest priority that has the package.
    #[arg(long, value_name = "NAME")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) from: String,
}

/// Which catalogs are asked about.
#[derive(Debug, Args)]
pub(crate) struct Among {
    /// Only this catalog; all if not given.
    #[arg(long, value_name = "NAME")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) from: String,
}

/// Whose operators are asked about.
#[derive(Debug, Args)]
pub(crate) struct Whose {
    /// Only what is in this namespace; all namespaces if not given.
    #[arg(short, long, value_name = "NAMESPACE")]
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) namespace: String,

    /// All namespaces (the default).
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    all_namespaces: bool,
}
