//! The model of a catalog: its packages, channels, entries and bundles.

mod bundle;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName, VersionRange};

use crate::{Digest, Fault};

pub use self::bundle::{
    Api, Bundle, Display, InstallMode, PackageRequirement, Property, RelatedImage, Requirements,
};

/// A catalog: its packages and its faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The packages. A new snapshot of the catalog shares unchanged packages with the previous
    /// snapshot.
    pub packages: BTreeMap<PackageName, Arc<Package>>,
    /// The faults, ordered by file and line.
    pub faults: Vec<Fault>,
    /// The number of documents of each schema that this crate does not read.
    pub foreign: BTreeMap<String, u64>,
    /// The digest of the content that affects upgrades. Catalogs with equal packages have an equal
    /// digest, even if the packages come from different files.
    pub digest: Digest,
    /// The digest of the content that is only displayed. No upgrade depends on it.
    pub display_digest: Digest,
    /// The digest of the faults. It depends on the names of the files.
    pub fault_digest: Digest,
}

/// A package: an operator that its author publishes in channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: PackageName,
    /// The channel for users who specify no channel.
    pub default_channel: Option<ChannelName>,
    /// The channels. Each channel is a separate graph.
    pub channels: BTreeMap<ChannelName, Arc<Channel>>,
    /// The bundles of all channels.
    pub bundles: BTreeMap<BundleName, Arc<Bundle>>,
    pub deprecations: Deprecations,
    /// The digest of the fields that affect the results of upgrade queries.
    pub digest: Digest,
    /// The digest of the other fields, which are only displayed: descriptions, icons and images.
    pub display_digest: Digest,
    /// The position of the `olm.package` document, which contains the description and the icon.
    pub place: CatalogPlace,
}

/// The deprecated objects of a package, each with the message of its deprecation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecations {
    pub package: Option<Arc<str>>,
    pub channels: BTreeMap<ChannelName, Arc<str>>,
    pub bundles: BTreeMap<BundleName, Arc<str>>,
}

/// A channel: a graph of updates between the bundles of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub name: ChannelName,
    /// The entries. The key is the name of the bundle.
    pub entries: BTreeMap<BundleName, Entry>,
    /// The position of the `olm.channel` document.
    pub place: CatalogPlace,
}

/// An entry of a channel: a bundle, and the bundles and versions that can be updated to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the bundle. The catalog may not contain the bundle.
    pub name: BundleName,
    /// The bundle that this bundle replaces. It can be updated directly to this bundle.
    pub replaces: Option<BundleName>,
    /// Bundles that can be updated directly to this bundle, but are no longer the target of an
    /// update.
    pub skips: BTreeSet<BundleName>,
    /// Versions that can be updated directly to this bundle.
    pub skip_range: Option<VersionRange>,
}

// === impl Package ===

impl Package {
    /// Returns the names of the channels that have an entry for a bundle.
    pub fn channels_of(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelName> {
        let channels = self.channels.values();
        let having = channels.filter(move |channel| channel.entries.contains_key(bundle));
        having.map(|channel| &channel.name)
    }
}

// === impl Catalog ===

impl Catalog {
    /// Replaces packages by the equal packages of an older catalog. A program that keeps both
    /// catalogs then stores these packages only once.
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

/// The position of a document in a file. Skipped content can be read from there later.
///
/// Offset and length are numbers of bytes in the uncompressed file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CatalogPlace {
    /// The name of the file that the caller gave.
    pub file: Arc<str>,
    /// The first line of the document, counted from 1.
    pub line: u64,
    /// The number of bytes before the document.
    pub offset: u64,
    pub length: u64,
}
