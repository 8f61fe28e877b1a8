//! What a catalog says, parsed and keyed by name.

mod bundle;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName, VersionRange};

pub use self::bundle::{
    Api, Bundle, Display, InstallMode, PackageRequirement, Property, RelatedImage, Requirements,
};
use crate::{Digest, Fault, Place};

/// Everything that one source offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The packages; a snapshot shares those that did not change with the one before it.
    pub packages: BTreeMap<PackageName, Arc<Package>>,
    /// What is wrong with it, by file and line.
    pub faults: Vec<Fault>,
    /// How many documents there are of schemas that are other programs' business.
    pub foreign: BTreeMap<String, u64>,
    /// Names the content: equal for equal packages, whatever files they came from.
    pub digest: Digest,
    /// Names what people see of the content and no upgrade depends on.
    pub display_digest: Digest,
    /// Names the faults, which depend on the files as well.
    pub fault_digest: Digest,
}

/// An operator as its author publishes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: PackageName,
    /// The channel for those who ask for none.
    pub default_channel: Option<ChannelName>,
    /// The channels, each a graph of its own.
    pub channels: BTreeMap<ChannelName, Arc<Channel>>,
    /// The bundles of all channels.
    pub bundles: BTreeMap<BundleName, Arc<Bundle>>,
    /// What its author gives up.
    pub deprecations: Deprecations,
    /// Names what answers about upgrades are made from.
    pub digest: Digest,
    /// Names the rest: descriptions, icons, images.
    pub display_digest: Digest,
    /// Where its `olm.package` stands, which has its description and icon.
    pub place: Place,
}

/// Messages of deprecation, by what they are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecations {
    /// About the package as a whole.
    pub package: Option<Arc<str>>,
    /// About channels of the package.
    pub channels: BTreeMap<ChannelName, Arc<str>>,
    /// About bundles of the package.
    pub bundles: BTreeMap<BundleName, Arc<str>>,
}

/// One graph of updates through the bundles of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: ChannelName,
    /// The entries, by the bundle that each places in the channel.
    pub entries: BTreeMap<BundleName, Entry>,
    /// Where its `olm.channel` stands.
    pub place: Place,
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

// === impl Package ===

impl Package {
    /// The channels that have a bundle as an entry, by name.
    pub fn channels_of(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelName> {
        let channels = self.channels.values();
        let having = channels.filter(move |channel| channel.entries.contains_key(bundle));
        having.map(|channel| &channel.name)
    }
}

// === impl Catalog ===

impl Catalog {
    /// Puts packages of an older catalog in the place of equal ones here, so that who holds both
    /// holds them once.
    pub fn share(&mut self, older: &Self) {
        for (name, package) in &mut self.packages {
            if let Some(known) = older.packages.get(name)
                && known == package
            {
                *package = Arc::clone(known);
            }
        }
    }
}
