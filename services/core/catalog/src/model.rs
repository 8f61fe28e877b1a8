//! What a catalog says, parsed and keyed by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_names::{BundleName, ChannelName, PackageName, Version, VersionRange};

use crate::{Digest, Fault};

/// Everything that one source offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The packages; a snapshot shares those that did not change with the one before it.
    pub packages: BTreeMap<PackageName, Arc<Package>>,
    /// What could not be read, in the order of reading.
    pub faults: Vec<Fault>,
    /// Names the content: equal for equal packages, whatever files they came from.
    pub digest: Digest,
}

/// An operator as its author publishes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: PackageName,
    /// The channel for those who ask for none.
    pub default_channel: Option<ChannelName>,
    /// The channels, each a graph of its own.
    pub channels: BTreeMap<ChannelName, Channel>,
    /// The bundles of all channels.
    pub bundles: BTreeMap<BundleName, Bundle>,
}

/// One graph of updates through the bundles of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: ChannelName,
    /// The entries, by the bundle that each places in the channel.
    pub entries: BTreeMap<BundleName, Entry>,
}

/// A bundle's place in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The bundle. A catalog may name one that it does not have.
    pub name: BundleName,
    /// The bundle that this one follows.
    pub replaces: Option<BundleName>,
    /// Bundles that may be updated to this one directly, and are no targets any more.
    pub skips: BTreeSet<BundleName>,
    /// Versions that may be updated to this one directly.
    pub skip_range: Option<VersionRange>,
}

/// One installable version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its name; versions are never read out of it.
    pub name: BundleName,
    /// Its version.
    pub version: Version,
}
