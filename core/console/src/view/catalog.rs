//! Catalogs, and what they offer.

use portolan_core_drawing::Graph;

use super::{Seen, State};

/// A catalog, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRow {
    /// Its name.
    pub name: String,
    /// Whether it can be read.
    pub state: State,
    /// Why not.
    pub why: String,
    /// How many packages it has.
    pub packages: usize,
    /// How many bundles it has.
    pub bundles: usize,
    /// How much is wrong with it.
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
    /// Why its author advises against it.
    pub deprecation: String,
}

/// All about a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagePage {
    /// The catalog that has it.
    pub catalog: String,
    /// Its name.
    pub name: String,
    /// What its author says of it.
    pub description: String,
    /// Why its author advises against it.
    pub deprecation: String,
    /// The channel for those who ask for none.
    pub default_channel: String,
    /// Its bundles, the newest first.
    pub releases: Vec<ReleaseRow>,
    /// What is wrong with it.
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
    /// Why its author advises against it.
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
    /// Why its author advises against it.
    pub deprecation: String,
    /// How it can be installed.
    pub install_modes: Vec<String>,
    /// The APIs that it brings.
    pub provides: Vec<String>,
    /// What it needs.
    pub requires: Vec<String>,
    /// The oldest Kubernetes that it runs on.
    pub kubernetes: String,
    /// Images that it uses.
    pub images: Vec<String>,
    /// What it may do once it is installed, a rule each.
    pub permissions: Seen<Vec<String>>,
}
