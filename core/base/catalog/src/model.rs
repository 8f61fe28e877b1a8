//! The content of a catalog, parsed and keyed by name.

mod bundle;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName, VersionRange};

use crate::{Digest, Fault};

pub use self::bundle::{
    Api, Bundle, Display, InstallMode, PackageRequirement, Property, RelatedImage, Requirements,
};

/// The packages of one catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The packages. A snapshot shares unchanged packages with the previous one.
    pub packages: BTreeMap<PackageName, Arc<Package>>,
    /// The faults, by file and line.
    pub faults: Vec<Fault>,
    /// The number of documents of each foreign schema.
    pub foreign: BTreeMap<String, u64>,
    /// The digest of the content. Equal packages have an equal digest, even if they come from
    /// different files.
    pub digest: Digest,
    /// The digest of the displayed content, on which no upgrade depends.
    pub display_digest: Digest,
    /// The digest of the faults, which also depends on the files.
    pub fault_digest: Digest,
}

/// An operator, as published by its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: PackageName,
    /// The channel for users who request no channel.
    pub default_channel: Option<ChannelName>,
    /// The channels. Each is a separate graph.
    pub channels: BTreeMap<ChannelName, Arc<Channel>>,
    /// The bundles of all channels.
    pub bundles: BTreeMap<BundleName, Arc<Bundle>>,
    pub deprecations: Deprecations,
    /// The digest of the fields that affect the results of upgrade queries.
    pub digest: Digest,
    /// The digest of the remaining fields: descriptions, icons and images.
    pub display_digest: Digest,
    /// The position of the `olm.package` document, which contains the description and the icon.
    pub place: CatalogPlace,
}

/// The messages of deprecations, by deprecated object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecations {
    pub package: Option<Arc<str>>,
    pub channels: BTreeMap<ChannelName, Arc<str>>,
    pub bundles: BTreeMap<BundleName, Arc<str>>,
}

/// A graph of updates between the bundles of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub name: ChannelName,
    /// The entries, by the name of their bundle.
    pub entries: BTreeMap<BundleName, Entry>,
    /// The place of the `olm.channel` document.
    pub place: CatalogPlace,
}

/// The entry of a bundle in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the bundle. A catalog may name a bundle that it does not contain.
    pub name: BundleName,
    /// The bundle that this bundle replaces directly.
    pub replaces: Option<BundleName>,
    /// Bundles that may be updated to this bundle directly, but to which no update leads any
    /// longer.
    pub skips: BTreeSet<BundleName>,
    /// Versions that may be updated to this bundle directly.
    pub skip_range: Option<VersionRange>,
}

// === impl Package ===

impl Package {
    /// Returns the channels that contain a bundle as an entry, by name.
    pub fn channels_of(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelName> {
        let channels = self.channels.values();
        let having = channels.filter(move |channel| channel.entries.contains_key(bundle));
        having.map(|channel| &channel.name)
    }
}

// === impl Catalog ===

impl Catalog {
    /// Replaces packages by equal packages of an older catalog, so that a program with both
    /// catalogs stores these packages only once.
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

/// The position of a document, from which skipped content can be read later.
///
/// Offset and length count bytes of the uncompressed content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CatalogPlace {
    /// The file, as named by the caller.
    pub file: Arc<str>,
    /// The first line of the document, counted from 1.
    pub line: u64,
    /// The number of bytes of the file before the document.
    pub offset: u64,
    pub length: u64,
}
