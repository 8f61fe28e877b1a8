//! The flags of the updater.

use clap::Args;
use clap::builder::BoolishValueParser;
use portolan_api::operator::CATALOG_NAMESPACES;
use portolan_shell::{Credentials, ProbeFlags};
use portolan_world::Access;

/// The settings of the updater.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The options for a single run.
    #[command(flatten)]
    pub once: Once,

    /// URL of the resolver.
    #[arg(
        long,
        env = "PORTOLAN_RESOLVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:50051",
        help_heading = "Services"
    )]
    pub resolver: String,

    /// The certificate authorities of the resolver, and the credentials of the updater.
    #[command(flatten)]
    pub credentials: Credentials,

    /// Namespace of the ConfigMap portolan-updater, and of the InstallPlans of Operators.
    #[arg(
        long,
        env = "PORTOLAN_OPERATORS_NAMESPACE",
        value_name = "NAME",
        default_value = "portolan",
        help_heading = "Operators"
    )]
    pub operators_namespace: String,

    /// Namespaces of CatalogSources to use, in addition to ClusterCatalogs and catalogs of options.
    /// Use the same value as for the controller.
    #[arg(
        long,
        env = "PORTOLAN_CATALOG_NAMESPACES",
        value_name = "NAME",
        value_delimiter = ',',
        default_value = CATALOG_NAMESPACES,
        help_heading = "Operators"
    )]
    pub catalog_namespaces: Vec<String>,

    /// Write without a Lease. Use this option only with a single replica.
    #[arg(
        long,
        env = "PORTOLAN_NO_LEASE",
        value_parser = BoolishValueParser::new(),
        help_heading = "Replicas"
    )]
    pub no_lease: bool,

    /// The address for probes and metrics.
    #[command(flatten)]
    pub probes: ProbeFlags,

    /// The cluster whose Operators the updater upgrades.
    #[command(flatten)]
    pub access: Access,
}

/// The settings of an updater that runs alone or inside another process.
#[derive(Debug, Clone)]
pub struct UpdaterConfig {
    /// The namespace of the ConfigMap and of the Lease.
    pub operators_namespace: String,
    /// The namespaces whose CatalogSources are used.
    pub catalog_namespaces: Vec<String>,
    /// True if the updater writes without a Lease.
    pub no_lease: bool,
    /// The cluster.
    pub access: Access,
}

// === impl Flags ===

impl Flags {
    pub(crate) fn config(&self) -> UpdaterConfig {
        UpdaterConfig {
            operators_namespace: self.operators_namespace.clone(),
            catalog_namespaces: self.catalog_namespaces.clone(),
            no_lease: self.no_lease,
            access: self.access.clone(),
        }
    }
}

/// The options for a single run.
#[derive(Debug, Clone, Copy, Args)]
pub struct Once {
    /// Run once, write and report the changes, and exit.
    #[arg(long)]
    pub once: bool,

    /// With --once: report what would be written, without writing anything.
    #[arg(long, requires = "once")]
    pub dry_run: bool,
}
