//! Catalogs and their contents.

use super::{Seen, State};
use crate::drawing::Graph;
use crate::markup::Icon;
use crate::place::GraphFilter;

/// A catalog, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRow {
    /// The name.
    pub name: String,
    /// The state of the catalog.
    pub state: State,
    /// The reason why the catalog cannot be read.
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
    /// The catalog that contains the package.
    pub catalog: String,
    /// The name.
    pub name: String,
    /// The display name.
    pub title: String,
    /// The default channel.
    pub default_channel: String,
    /// The version at the head of this channel.
    pub version: String,
    /// The deprecation message of the author.
    pub deprecation: String,
}

/// The details of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagePage {
    /// The catalog that contains the package.
    pub catalog: String,
    /// The name.
    pub name: String,
    /// The icon. None if the package has none, or if it is too large.
    pub icon: Option<Icon>,
    /// The facts about the package by its author.
    pub about: About,
    /// The description by the author.
    pub description: String,
    /// The deprecation message of the author.
    pub deprecation: String,
    /// The default channel.
    pub default_channel: String,
    /// The bundles of the package, the newest first.
    pub releases: Vec<ReleaseRow>,
    /// The faults of the catalog.
    pub faults: Vec<String>,
    /// The part of the graph that the visitor wants to see.
    pub asked: GraphFilter,
    /// The channels of the package, by name.
    pub channels: Vec<ChannelRow>,
    /// The graph, or the path that the visitor wants to see. If there is no path, the reason.
    pub graph: Seen<Graph>,
}

/// The facts about a package by its author, from the newest bundle of its default channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The display name.
    pub title: String,
    /// The provider, with its URL.
    pub provider: String,
    /// The maturity, such as `alpha`.
    pub maturity: String,
    /// The links, each with its name.
    pub links: Vec<String>,
    /// The install modes that the bundle supports.
    pub install_modes: Vec<String>,
    /// The description of the bundle.
    pub description: String,
}

/// A channel, in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelRow {
    /// The name.
    pub name: String,
    /// The bundles at its head. A valid channel has one.
    pub heads: Vec<String>,
    /// The number of its entries.
    pub entries: usize,
    /// The deprecation message of the author.
    pub deprecation: String,
}

/// A bundle, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseRow {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The channels.
    pub channels: Vec<String>,
    /// The deprecation message of the author.
    pub deprecation: String,
}

/// The details of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundlePage {
    /// The catalog that contains the bundle.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The name.
    pub name: String,
    /// The display name.
    pub title: String,
    /// The version.
    pub version: String,
    /// The image.
    pub image: String,
    /// The channels.
    pub channels: Vec<String>,
    /// The deprecation message of the author.
    pub deprecation: String,
    /// The install modes that the bundle supports.
    pub install_modes: Vec<String>,
    /// The APIs that it provides.
    pub provides: Vec<String>,
    /// The requirements.
    pub requires: Vec<String>,
    /// The minimum Kubernetes version.
    pub kubernetes: String,
    /// Images that it uses.
    pub images: Vec<String>,
    /// The permissions of the accounts after installation.
    pub permissions: Seen<Vec<Granted>>,
}

/// The permissions of one account, in one namespace or in the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The account, as NAMESPACE/NAME.
    pub account: String,
    /// The scope of the permissions, such as `the cluster`.
    pub place: String,
    /// The permissions, one rule for each.
    pub rules: Vec<String>,
}
