//! The content of a catalog, parsed and keyed by name.

mod bundle;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName, VersionRange};

use crate::{Digest, Fault};

pub use self::bundle::{
    Api, Bundle, Display, InstallMode, PackageRequirement, Property, RelatedImage, Requirements,
};

/// Everything that one source offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The packages. A snapshot shares unchanged packages with the previous one.
    pub packages: BTreeMap<PackageName, Arc<Package>>,
    /// The faults, by file and line.
    pub faults: Vec<Fault>,
    /// The number of documents of each foreign schema.
    pub foreign: BTreeMap<String, u64>,
    /// The digest of the content. It is equal for equal packages, even from different files.
    pub digest: Digest,
    /// The digest of the content that is displayed but that no upgrade depends on.
    pub display_digest: Digest,
    /// The digest of the faults, which also depends on the files.
    pub fault_digest: Digest,
}

/// An operator as its author publishes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: PackageName,
    /// The channel for those who ask for none.
    pub default_channel: Option<ChannelName>,
    /// The channels, each a graph of its own.
    pub channels: BTreeMap<ChannelName, Arc<Channel>>,
    /// The bundles of all channels.
    pub bundles: BTreeMap<BundleName, Arc<Bundle>>,
    pub deprecations: Deprecations,
    /// Names what answers about upgrades are made from.
    pub digest: Digest,
    /// Names the rest: descriptions, icons, images.
    pub display_digest: Digest,
    /// The place of its `olm.package`, which has its description and icon.
    pub place: CatalogPlace,
}

/// Messages of deprecation, by what they are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecations {
    pub package: Option<Arc<str>>,
    pub channels: BTreeMap<ChannelName, Arc<str>>,
    pub bundles: BTreeMap<BundleName, Arc<str>>,
}

/// One graph of updates through the bundles of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub name: ChannelName,
    /// The entries, by the bundle that each places in the channel.
    pub entries: BTreeMap<BundleName, Entry>,
    /// The place of its `olm.channel`.
    pub place: CatalogPlace,
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

/// The place of a document, so that what was not kept of it can be read again.
///
/// Offset and length count bytes of the content: of what a zipped file unzips to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CatalogPlace {
    /// The file, as named by the caller.
    pub file: Arc<str>,
    /// The line that the document begins in, counted from 1.
    pub line: u64,
    /// The bytes of the file before it.
    pub offset: u64,
    pub length: u64,
}
