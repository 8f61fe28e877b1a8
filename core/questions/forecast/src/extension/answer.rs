//! The forecast for a ClusterExtension.

use std::fmt;

use portolan_core_names::Version;
use portolan_core_names::codes;
use portolan_core_names::text::{cite, listed};
use thiserror::Error;

use super::versions::InvalidVersions;

/// The bundles that OLM v1 is predicted to install for a ClusterExtension, and the reason why it
/// stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionForecast {
    /// The ClusterCatalogs of the cluster, by name. The roles of the catalogs describe the first
    /// step.
    pub catalogs: Vec<CatalogUse>,
    /// The bundles that OLM v1 installs, in this order.
    pub path: Vec<ExtensionStep>,
    /// The error with which OLM v1 stops after the path. None if OLM v1 stops without an error.
    pub stop: Option<ExtensionBlock>,
    /// The bundles that are newer than the last bundle of the path, newest first. Empty if no
    /// bundle is installed.
    pub newer: Vec<NewerBundle>,
}

codes! {
    /// The next action of OLM v1 for a ClusterExtension.
    pub enum ExtensionState;
    /// OLM v1 installs the first bundle.
    Install,
    /// OLM v1 installs a newer bundle.
    Upgrade,
    /// OLM v1 installs an older bundle.
    Downgrade,
    /// The newest bundle is installed.
    UpToDate,
    /// There are newer bundles, but OLM v1 may not install them.
    Held,
    /// OLM v1 changes nothing, and reports an error until an object or a catalog changes.
    Blocked,
    /// The content of a catalog is unknown.
    Unknown,
}

/// A ClusterCatalog and its role for a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogUse {
    /// The name of the ClusterCatalog.
    pub name: String,
    /// The priority of the ClusterCatalog.
    pub priority: i32,
    /// The role of the ClusterCatalog in the first step.
    pub role: CatalogRole,
}

/// The role of a ClusterCatalog for a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogRole {
    /// The selector of the ClusterExtension does not match the labels of the catalog.
    NotSelected,
    /// A user has disabled the catalog.
    Disabled,
    /// catalogd does not serve the catalog.
    NotServed,
    /// The content of the catalog is unknown. Contains the reason.
    Unread(String),
    /// The catalog does not have the package.
    WithoutPackage,
    /// The catalog contains the package, but no bundle that OLM v1 may install.
    WithoutBundle,
    /// OLM v1 prefers another catalog, or OLM v1 cannot choose a catalog. Contains the best bundle
    /// of this catalog.
    Outranked(String),
    /// OLM v1 uses this catalog. Contains the chosen bundle.
    Used(String),
}

/// One predicted installation of a bundle by OLM v1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionStep {
    /// The name of the bundle that OLM v1 installs.
    pub bundle: String,
    /// The version of the bundle.
    pub version: Version,
    /// The ClusterCatalog that contains the bundle.
    pub catalog: String,
    /// The kind of change: install, upgrade or downgrade.
    pub change: Change,
    /// The deprecation message of the bundle. None if the bundle is not deprecated.
    pub deprecation: Option<String>,
}

/// The kind of change of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The bundle is the first installation of the package.
    Install,
    /// The change from a lower version to this version.
    Upgrade,
    /// The change from a higher version to this version.
    Downgrade,
}

/// The error that OLM v1 reports instead of an upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExtensionBlock {
    /// The version range is invalid.
    #[error("spec.source.catalog.version: {0}")]
    VersionsInvalid(InvalidVersions),
    /// The label selector for catalogs is invalid.
    #[error("spec.source.catalog.selector is invalid")]
    SelectorInvalid,
    /// No enabled catalog matches the selector.
    #[error("{}", no_catalog(*.has_others))]
    NoCatalog {
        /// True if the cluster has ClusterCatalogs. All of them are disabled or not selected.
        has_others: bool,
    },
    /// catalogd does not serve a selected catalog.
    #[error("OLM v1 resolves nothing while {} not served", are("ClusterCatalog", .catalogs))]
    CatalogNotServed {
        /// The names of the ClusterCatalogs that are not served.
        catalogs: Vec<String>,
    },
    /// The content of a selected catalog is unknown.
    #[error("the content of ClusterCatalog {catalog} is unknown: {}", cite(.reason))]
    CatalogUnread {
        /// The name of the ClusterCatalog.
        catalog: String,
        /// The reason why the content is unknown.
        reason: String,
    },
    /// No selected catalog has the package.
    #[error("package {} not found in {}", cite(.package), kinds("ClusterCatalog", .catalogs))]
    PackageMissing {
        /// The name of the missing package.
        package: String,
        /// The names of the selected ClusterCatalogs.
        catalogs: Vec<String>,
    },
    /// The package has no bundle in the requested channels.
    #[error(
        "package {package} has no bundle in {}; its channels are {}",
        kinds("channel", .channels), listed(.known)
    )]
    ChannelMissing {
        /// The name of the package.
        package: String,
        /// The requested channels.
        channels: Vec<String>,
        /// The channels of the package.
        known: Vec<String>,
    },
    /// No bundle is in the version range.
    #[error(
        "package {package} has no version in \"{}\"; its versions are {}",
        cite(.range), listed(.known)
    )]
    VersionMissing {
        /// The name of the package.
        package: String,
        /// The required version range.
        range: String,
        /// The versions of the requested channels, newest first.
        known: Vec<Version>,
    },
    /// The catalogs contain no allowed bundle that is the installed bundle or a direct upgrade of
    /// it.
    #[error("{}", no_upgrade(.from, .range, .upgrades))]
    NoUpgrade {
        /// The name of the installed bundle.
        from: String,
        /// The required version range. Empty if all versions are allowed.
        range: String,
        /// The versions of direct upgrades outside of the range, newest first.
        upgrades: Vec<Version>,
    },
    /// Several catalogs with the highest priority have an allowed bundle.
    #[error(
        "{} have an allowed bundle, and no ClusterCatalog has the highest priority",
        kinds("ClusterCatalog", .catalogs)
    )]
    CatalogsAmbiguous {
        /// The catalogs that have an allowed bundle.
        catalogs: Vec<String>,
    },
    /// The chosen bundle has a dependency.
    #[error(
        "OLM v1 does not support dependencies, and {bundle} requires {}",
        listed(.requirements)
    )]
    DependencyUnsupported {
        /// The name of the chosen bundle.
        bundle: String,
        /// The dependencies of the bundle.
        requirements: Vec<String>,
    },
    /// The chosen bundle does not support installation for all namespaces.
    #[error("{}", only_modes(.bundle, .modes))]
    InstallModeUnsupported {
        /// The name of the chosen bundle.
        bundle: String,
        /// The supported install modes.
        modes: Vec<String>,
    },
    /// The bundle does not support the configured namespace.
    #[error(
        "spec.config.inline.watchNamespace is \"{}\", but {bundle} {fault}",
        cite(.namespace)
    )]
    WatchNamespaceInvalid {
        /// The bundle.
        bundle: String,
        /// The namespace.
        namespace: String,
        /// The reason.
        fault: WatchFault,
    },
    /// The ServiceAccount does not exist. OLM v1.11 and later do not use it.
    #[error("ServiceAccount {account} does not exist")]
    AccountMissing {
        /// The namespace and the name of the ServiceAccount.
        account: String,
    },
    /// The ServiceAccount lacks permissions. OLM v1.11 and later do not use it.
    #[error("ServiceAccount {account} lacks permissions for {bundle}: {}", listed(.rules))]
    PermissionMissing {
        /// The bundle.
        bundle: String,
        /// The namespace and the name of the ServiceAccount.
        account: String,
        /// The missing rules.
        rules: Vec<String>,
    },
    /// The bundle changes CRDs incompatibly.
    #[error("{bundle} changes CRDs incompatibly: {}", listed(.changes))]
    CrdUpgradeUnsafe {
        /// The name of the chosen bundle.
        bundle: String,
        /// The incompatible changes, each as text.
        changes: Vec<String>,
    },
    /// The bundle contains objects that already exist and that belong to another owner.
    #[error("{bundle} contains objects of another owner: {}", listed(.objects))]
    ObjectNotOwned {
        /// The name of the chosen bundle.
        bundle: String,
        /// The objects with their owners.
        objects: Vec<String>,
    },
    /// OLM v1 continues after the maximum number of steps in a forecast.
    #[error("there are more steps than the forecast lists")]
    TooManySteps,
}

/// The reason why a bundle does not support the configured namespace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WatchFault {
    /// The bundle supports only all namespaces.
    #[error("always watches all namespaces")]
    NotConfigurable,
    /// The namespace is not that of the operator.
    #[error("can watch only its own namespace {0}")]
    NotOwn(String),
    /// The namespace is that of the operator.
    #[error("cannot watch its own namespace")]
    Own,
}

/// A bundle that OLM v1 does not install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewerBundle {
    /// The name of the newer bundle.
    pub bundle: String,
    /// The version of the newer bundle.
    pub version: Version,
    /// The ClusterCatalog that contains the newer bundle.
    pub catalog: String,
    /// The reasons why OLM v1 does not choose the bundle. Empty if only an error stops OLM v1.
    pub exclusions: Vec<Exclusion>,
}

/// The reason why OLM v1 does not install a newer bundle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Exclusion {
    /// The bundle is not in any requested channel.
    #[error("spec.source.catalog.channels excludes it: it is in {}", place(.channels))]
    Channels {
        /// The channels of the bundle.
        channels: Vec<String>,
    },
    /// The version is outside of the range.
    #[error("spec.source.catalog.version \"{}\" excludes it", cite(.range))]
    Versions {
        /// The required version range.
        range: String,
    },
    /// The installed bundle cannot be upgraded to the bundle in one step.
    #[error("the catalog has no direct upgrade from {from}")]
    NoUpgrade {
        /// The installed bundle, or the last bundle of the path.
        from: String,
    },
    /// The bundle is deprecated, and another allowed bundle is not deprecated.
    #[error("it is deprecated, and OLM v1 prefers a bundle that is not")]
    Deprecated,
    /// OLM v1 prefers another catalog.
    #[error("OLM v1 prefers ClusterCatalog {preferred}")]
    Priority {
        /// The name of the ClusterCatalog that OLM v1 prefers.
        preferred: String,
    },
}

// === impl ExtensionForecast ===

impl ExtensionForecast {
    /// Returns the next action of OLM v1.
    pub fn state(&self) -> ExtensionState {
        match (self.path.first(), &self.stop) {
            (Some(step), _) => step.change.into(),
            (None, Some(ExtensionBlock::CatalogUnread { .. })) => ExtensionState::Unknown,
            (None, Some(_)) => ExtensionState::Blocked,
            (None, None) if self.newer.is_empty() => ExtensionState::UpToDate,
            (None, None) => ExtensionState::Held,
        }
    }

    /// Removes the step to a bundle and all later steps, because OLM v1 chooses the bundle but
    /// refuses to install it.
    pub fn stop_before(&mut self, bundle: &str, block: ExtensionBlock) {
        if let Some(at) = self.path.iter().position(|step| step.bundle == bundle) {
            self.path.truncate(at);
            self.stop = Some(block);
        }
    }

    /// Returns the ClusterCatalog of the bundle that OLM v1 chooses first. This bundle may already
    /// be installed.
    pub fn used_catalog(&self) -> Option<&CatalogUse> {
        let mut catalogs = self.catalogs.iter();
        catalogs.find(|it| matches!(it.role, CatalogRole::Used(_)))
    }
}

impl From<Change> for ExtensionState {
    fn from(change: Change) -> Self {
        match change {
            Change::Install => Self::Install,
            Change::Upgrade => Self::Upgrade,
            Change::Downgrade => Self::Downgrade,
        }
    }
}

// === impl ExtensionBlock ===

impl ExtensionBlock {
    /// Returns the code of the error for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::VersionsInvalid(_) => "VersionsInvalid",
            Self::SelectorInvalid => "SelectorInvalid",
            Self::NoCatalog { .. } => "NoCatalog",
            Self::CatalogNotServed { .. } => "CatalogNotServed",
            Self::CatalogUnread { .. } => "CatalogUnread",
            Self::PackageMissing { .. } => "PackageMissing",
            Self::ChannelMissing { .. } => "ChannelMissing",
            Self::VersionMissing { .. } => "VersionMissing",
            Self::NoUpgrade { .. } => "NoUpgrade",
            Self::CatalogsAmbiguous { .. } => "CatalogsAmbiguous",
            Self::DependencyUnsupported { .. } => "DependencyUnsupported",
            Self::InstallModeUnsupported { .. } => "InstallModeUnsupported",
            Self::WatchNamespaceInvalid { .. } => "WatchNamespaceInvalid",
            Self::AccountMissing { .. } => "AccountMissing",
            Self::PermissionMissing { .. } => "PermissionMissing",
            Self::CrdUpgradeUnsafe { .. } => "CrdUpgradeUnsafe",
            Self::ObjectNotOwned { .. } => "ObjectNotOwned",
            Self::TooManySteps => "TooManySteps",
        }
    }
}

// === impl CatalogRole ===

impl fmt::Display for CatalogRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSelected => f.write_str("not selected"),
            Self::Disabled => f.write_str("disabled"),
            Self::NotServed => f.write_str("not served"),
            Self::Unread(reason) => write!(f, "unknown: {}", cite(reason)),
            Self::WithoutPackage => f.write_str("does not have the package"),
            Self::WithoutBundle => f.write_str("has no allowed bundle"),
            Self::Outranked(bundle) => write!(f, "not used: {bundle}"),
            Self::Used(bundle) => write!(f, "used: {bundle}"),
        }
    }
}

fn no_catalog(has_others: bool) -> &'static str {
    if has_others {
        "spec.source.catalog.selector selects no ClusterCatalog that is available"
    } else {
        "the cluster has no ClusterCatalog"
    }
}

fn no_upgrade(from: &str, range: &str, upgrades: &[Version]) -> String {
    match (upgrades, range) {
        ([], "") => format!("the catalogs have neither {from} nor a direct upgrade of it"),
        ([], range) => {
            let range = cite(range);
            format!("version \"{range}\" allows neither {from} nor a direct upgrade of it")
        }
        (upgrades, range) => format!(
            "{from} can be upgraded directly only to {}, which version \"{}\" excludes",
            listed(upgrades),
            cite(range)
        ),
    }
}

fn only_modes(bundle: &str, modes: &[String]) -> String {
    let supports = match modes {
        [] => "no install mode".to_owned(),
        modes => format!("only {}", listed(modes)),
    };
    format!("OLM v1 installs operators for all namespaces, and {bundle} supports {supports}")
}

/// Formats names with their kind, such as `channels fast and stable`.
fn kinds(kind: &str, names: &[String]) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    format!("{kind}{plural} {}", cite(&listed(names)))
}

fn are(kind: &str, names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", kinds(kind, names))
}

fn place(channels: &[String]) -> String {
    match channels {
        [] => "no channel".to_owned(),
        channels => kinds("channel", channels),
    }
}
