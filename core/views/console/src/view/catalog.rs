//! Views of catalogs, packages and bundles.

use super::{Seen, State};
use crate::drawing::Graph;
use crate::markup::Icon;
use crate::place::GraphFilter;

/// A catalog, as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogRow {
    /// The name.
    pub name: String,
    /// The state of the catalog.
    pub state: State,
    /// The reason why the catalog cannot be read. Empty if the catalog can be read.
    pub why: String,
    /// The number of packages in the catalog.
    pub packages: usize,
    /// The number of bundles in the catalog.
    pub bundles: usize,
    /// The number of faults in the catalog.
    pub faults: usize,
}

/// A package, as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRow {
    /// The name of the catalog that contains the package.
    pub catalog: String,
    /// The name.
    pub name: String,
    /// The display name.
    pub title: String,
    /// The default channel.
    pub default_channel: String,
    /// The version of the head of the default channel.
    pub version: String,
    /// The deprecation message of the package author. Empty if the package is not deprecated.
    pub deprecation: String,
}

/// The data of the page of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagePage {
    /// The name of the catalog that contains the package.
    pub catalog: String,
    /// The name.
    pub name: String,
    /// The icon. None if the package has no icon, or if the icon is too large.
    pub icon: Option<Icon>,
    /// The information from the package author.
    pub about: About,
    /// The description from the package author.
    pub description: String,
    /// The deprecation message of the package author. Empty if the package is not deprecated.
    pub deprecation: String,
    /// The default channel.
    pub default_channel: String,
    /// The bundles of the package, the newest first.
    pub releases: Vec<ReleaseRow>,
    /// The messages of the faults that the catalog has in this package.
    pub faults: Vec<String>,
    /// The part of the graph that the visitor has selected.
    pub asked: GraphFilter,
    /// The channels of the package, by name.
    pub channels: Vec<ChannelRow>,
    /// The graph of the package, or the selected upgrade path. If there is no such path, the
    /// reason.
    pub graph: Seen<Graph>,
}

/// The information from the package author, read from the newest bundle of the default channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The display name.
    pub title: String,
    /// The name of the provider, with its URL.
    pub provider: String,
    /// The maturity, such as `alpha`.
    pub maturity: String,
    /// The links, as texts that contain a name and a URL.
    pub links: Vec<String>,
    /// The install modes that the bundle supports.
    pub install_modes: Vec<String>,
    /// The description of the bundle.
    pub description: String,
}

/// A channel, as a row of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelRow {
    /// The name.
    pub name: String,
    /// The names of the head bundles. A valid channel has exactly one head.
    pub heads: Vec<String>,
    /// The number of entries in the channel.
    pub entries: usize,
    /// The deprecation message of the package author. Empty if the channel is not deprecated.
    pub deprecation: String,
}

/// A bundle, as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseRow {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The names of the channels that contain the bundle.
    pub channels: Vec<String>,
    /// The deprecation message of the package author. Empty if the bundle is not deprecated.
    pub deprecation: String,
}

/// The data of the page of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundlePage {
    /// The name of the catalog that contains the bundle.
    pub catalog: String,
    /// The name of the package.
    pub package: String,
    /// The name.
    pub name: String,
    /// The display name.
    pub title: String,
    /// The version.
    pub version: String,
    /// The reference of the bundle image.
    pub image: String,
    /// The names of the channels that contain the bundle.
    pub channels: Vec<String>,
    /// The deprecation message of the package author. Empty if the bundle is not deprecated.
    pub deprecation: String,
    /// The install modes that the bundle supports.
    pub install_modes: Vec<String>,
    /// The APIs that the bundle provides.
    pub provides: Vec<String>,
    /// The APIs and packages that the bundle requires.
    pub requires: Vec<String>,
    /// The minimum Kubernetes version of the bundle.
    pub kubernetes: String,
    /// The images that the operator uses.
    pub images: Vec<String>,
    /// The permissions that the operator's accounts get after the installation.
    pub permissions: Seen<Vec<Granted>>,
}

/// The permissions of one account, in one namespace or in the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The ServiceAccount, as NAMESPACE/NAME.
    pub account: String,
    /// The scope of the permissions, such as `the cluster`.
    pub place: String,
    /// The permissions, one text for each rule.
    pub rules: Vec<String>,
}
