//! Catalogs, and what they offer.

use super::{Seen, State};
use crate::drawing::Graph;

/// A catalog, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRow {
    /// Its name.
    pub name: String,
    /// Whether it can be read.
    pub state: State,
    /// The reason why it cannot be read.
    pub why: String,
    /// The number of its packages.
    pub packages: usize,
    /// The number of its bundles.
    pub bundles: usize,
    /// The number of its faults.
    pub faults: usize,
}

/// A package, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRow {
    /// The catalog that has it.
    pub catalog: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The channel for those who ask for none.
    pub default_channel: String,
    /// The version that this channel leads to.
    pub version: String,
    /// The reason why its author advises against it.
    pub deprecation: String,
}

/// All about a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagePage {
    /// The catalog that has it.
    pub catalog: String,
    /// Its name.
    pub name: String,
    /// The description by its author.
    pub description: String,
    /// The reason why its author advises against it.
    pub deprecation: String,
    /// The channel for those who ask for none.
    pub default_channel: String,
    /// Its bundles, the newest first.
    pub releases: Vec<ReleaseRow>,
    /// Its faults.
    pub faults: Vec<String>,
    /// Its graph.
    pub graph: Seen<Graph>,
}

/// A bundle, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseRow {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its channels.
    pub channels: Vec<String>,
    /// The reason why its author advises against it.
    pub deprecation: String,
}

/// All about a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundlePage {
    /// The catalog that has it.
    pub catalog: String,
    /// Its package.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Its image.
    pub image: String,
    /// Its channels.
    pub channels: Vec<String>,
    /// The reason why its author advises against it.
    pub deprecation: String,
    /// The install modes that it supports.
    pub install_modes: Vec<String>,
    /// The APIs that it brings.
    pub provides: Vec<String>,
    /// Its requirements.
    pub requires: Vec<String>,
    /// The oldest Kubernetes that it runs on.
    pub kubernetes: String,
    /// Images that it uses.
    pub images: Vec<String>,
    /// The permissions that its accounts have once it is installed.
    pub permissions: Seen<Vec<Granted>>,
}

/// The permissions of one account in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The account, as NAMESPACE/NAME.
    pub account: String,
    /// Where they hold, such as `the cluster`.
    pub place: String,
    /// The permissions, a rule each.
    pub rules: Vec<String>,
}
