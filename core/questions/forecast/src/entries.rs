//! The entries that OLM can choose from, sorted as OLM sorts them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use portolan_core_catalog::{Candidate, Catalog, Channel, Package, Requirements};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, VersionRange};

use crate::state::State;
use crate::{BundleId, Origin, Source};

/// An entry of a channel together with its bundle, or an installed bundle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The index of this entry in [`EntryTable::entries`].
    pub(crate) at: usize,
    /// The catalog that contains the entry, as an index into [`EntryTable::catalogs`].
    pub(crate) catalog: usize,
    pub(crate) name: &'a BundleName,
    /// The channel of the entry. None for installed bundles.
    pub(crate) channel: Option<&'a ChannelName>,
    pub(crate) is_default: bool,
    pub(crate) replaces: Option<&'a BundleName>,
    skips: Option<&'a BTreeSet<BundleName>>,
    pub(crate) skip_range: Option<&'a VersionRange>,
    pub(crate) candidate: Candidate<'a>,
    pub(crate) requires: &'a Requirements,
    pub(crate) is_prohibited: bool,
    /// True if the bundle is installed without a Subscription.
    pub(crate) is_unreferenced: bool,
}

/// The entries of one catalog, or the installed bundles.
#[derive(Debug)]
pub(crate) struct CatalogEntries<'a> {
    /// The name of the catalog. None for installed bundles.
    pub(crate) name: Option<&'a CatalogName>,
    priority: i64,
    /// The index range in [`EntryTable::entries`]: the first index, and the index after the last
    /// entry.
    entries: (usize, usize),
}

/// The catalogs that are visible from a namespace. The first catalog contains the installed
/// operators.
#[derive(Debug)]
pub(crate) struct EntryTable<'a> {
    namespace: &'a str,
    pub(crate) catalogs: Vec<CatalogEntries<'a>>,
    /// The entries of all catalogs, sorted by catalog, package, channel and name.
    pub(crate) entries: Vec<Entry<'a>>,
}

/// The index of the installed operators in [`EntryTable::catalogs`]. They form a separate catalog.
pub(crate) const INSTALLED: usize = 0;

// === impl Entry ===

impl<'a> Entry<'a> {
    pub(crate) fn skips(&self) -> impl Iterator<Item = &'a BundleName> + use<'a> {
        self.skips.into_iter().flatten()
    }

    pub(crate) fn package(&self) -> Option<&'a PackageName> {
        self.candidate.package
    }

    /// Returns true if the entry updates an installed entry by `replaces`, `skips` or `skipRange`.
    pub(crate) fn follows(&self, installed: &Entry<'_>) -> bool {
        let covers = |range: &VersionRange| {
            let version = installed.candidate.version;
            version.is_some_and(|version| range.matches(version))
        };
        self.replaces == Some(installed.name)
            || self
                .skips
                .is_some_and(|skips| skips.contains(installed.name))
            || self.skip_range.is_some_and(covers)
    }
}

// === impl EntryTable ===

impl<'a> EntryTable<'a> {
    pub(crate) fn of(state: &State<'a>, sources: &[&'a Source<'a>]) -> Self {
        let mut table = Self {
            namespace: state.name(),
            catalogs: Vec::new(),
            entries: Vec::new(),
        };
        table.put(None, 0, |table| table.put_installed(state));
        for source in sources {
            table.put(Some(&source.name), source.priority, |table| {
                if let Ok(catalog) = source.content {
                    table.put_catalog(catalog);
                }
            });
        }
        table
    }

    fn put(&mut self, name: Option<&'a CatalogName>, priority: i64, fill: impl FnOnce(&mut Self)) {
        let first = self.entries.len();
        fill(self);
        self.catalogs.push(CatalogEntries {
            name,
            priority,
            entries: (first, self.entries.len()),
        });
    }

    fn put_installed(&mut self, state: &State<'a>) {
        for installed in state.visible() {
            let entry = Entry {
                at: self.entries.len(),
                catalog: self.catalogs.len(),
                name: installed.name,
                channel: None,
                is_default: false,
                replaces: None,
                skips: None,
                skip_range: None,
                candidate: Candidate {
                    package: state.package_of(installed),
                    version: Some(installed.version),
                    provides: installed.provides,
                    properties: installed.properties,
                },
                requires: installed.requires,
                is_prohibited: installed.is_prohibited,
                is_unreferenced: !state.is_referenced(installed.name),
            };
            self.entries.push(entry);
        }
    }

    fn put_catalog(&mut self, catalog: &'a Catalog) {
        for package in catalog.packages.values() {
            for channel in package.channels.values() {
                self.put_channel(package, channel);
            }
        }
    }

    /// Adds the entries of a channel. Entries whose bundle is missing are omitted, because OLM
    /// ignores them.
    fn put_channel(&mut self, package: &'a Package, channel: &'a Channel) {
        for entry in channel.entries.values() {
            let Some(bundle) = package.bundles.get(&entry.name) else {
                continue;
            };
            self.entries.push(Entry {
                at: self.entries.len(),
                catalog: self.catalogs.len(),
                name: &bundle.name,
                channel: Some(&channel.name),
                is_default: package.default_channel.as_ref() == Some(&channel.name),
                replaces: entry.replaces.as_ref(),
                skips: Some(&entry.skips),
                skip_range: entry.skip_range.as_ref(),
                candidate: Candidate::of(&package.name, bundle),
                requires: &bundle.requires,
                is_prohibited: bundle.is_prohibited,
                is_unreferenced: false,
            });
        }
    }

    /// Returns the entries of a catalog.
    pub(crate) fn entries_of(&self, catalog: usize) -> &[Entry<'a>] {
        let (first, behind) = self.catalogs[catalog].entries;
        &self.entries[first..behind]
    }

    /// Returns the index of a catalog. Returns None if the namespace does not see the catalog.
    pub(crate) fn of_catalog(&self, name: &CatalogName) -> Option<usize> {
        let is_it = |catalog: &CatalogEntries<'_>| catalog.name == Some(name);
        self.catalogs.iter().position(is_it)
    }

    /// Returns the indexes of the catalogs in the order in which OLM searches for dependencies of a
    /// bundle from catalog `own`.
    pub(crate) fn order_for(&self, own: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..self.catalogs.len()).collect();
        order.sort_by_key(|at| {
            let catalog = &self.catalogs[*at];
            let is_foreign = catalog.name.and_then(CatalogName::namespace) != Some(self.namespace);
            (
                *at != INSTALLED,
                *at != own,
                Reverse(catalog.priority),
                is_foreign,
                catalog.name.map(CatalogName::object),
            )
        });
        order
    }

    /// Returns the name that OLM uses for a bundle.
    pub(crate) fn id(&self, entry: &Entry<'_>) -> BundleId {
        let origin = match (self.catalogs[entry.catalog].name, entry.channel) {
            (Some(catalog), Some(channel)) => Origin::Offered {
                catalog: catalog.clone(),
                channel: channel.clone(),
            },
            (_, _) => Origin::Installed(self.namespace.into()),
        };
        BundleId {
            origin,
            bundle: entry.name.clone(),
        }
    }
}
