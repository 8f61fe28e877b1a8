//! A slow but simple reference implementation of upgrades. It reads the documents of a package
//! directly.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::{Bundle, Entry, Package};
use portolan_core_graph::Edge;
use portolan_core_names::{BundleName, ChannelName, Release, Version};

/// The permitted upgrades to a bundle: the channels, each with its edges.
pub(crate) type Permits<'a> = BTreeMap<&'a ChannelName, BTreeSet<Edge>>;

/// Computes the upgrades that a package permits, or that one channel of the package permits.
pub(crate) struct Reference<'a> {
    package: &'a Package,
    entries: Vec<(&'a ChannelName, &'a Entry)>,
    /// The successors of each bundle, computed once.
    successors: BTreeMap<&'a BundleName, BTreeMap<&'a BundleName, Permits<'a>>>,
}

impl<'a> Reference<'a> {
    pub(crate) fn new(package: &'a Package, channel: Option<&ChannelName>) -> Self {
        let channels = package.channels.values();
        let asked = channels.filter(|other| channel.is_none_or(|name| *name == other.name));
        let entries = asked
            .flat_map(|channel| channel.entries.values().map(|entry| (&channel.name, entry)))
            .collect();
        let mut reference = Self {
            package,
            entries,
            successors: BTreeMap::new(),
        };
        let bundles = package.bundles.keys();
        reference.successors = bundles.map(|from| (from, reference.leave(from))).collect();
        reference
    }

    /// Returns the permitted updates of a bundle. Checks entry by entry.
    fn leave(&self, from: &BundleName) -> BTreeMap<&'a BundleName, Permits<'a>> {
        let mut successors: BTreeMap<_, Permits<'a>> = BTreeMap::new();
        for (channel, entry) in &self.entries {
            let mut edges = BTreeSet::new();
            if entry.replaces.as_ref() == Some(from) {
                edges.insert(Edge::Replaces);
            }
            if entry.skips.contains(from) {
                edges.insert(Edge::Skips);
            }
            let range = entry.skip_range.as_ref();
            let covers = range.is_some_and(|range| range.matches(&self.bundle(from).version));
            // An update that only a skip range permits must lead to a newer version.
            if covers && (!edges.is_empty() || self.age(&entry.name) > self.age(from)) {
                edges.insert(Edge::SkipRange);
            }
            if !edges.is_empty() && entry.name != *from {
                successors
                    .entry(&entry.name)
                    .or_default()
                    .insert(channel, edges);
            }
        }
        successors
    }

    pub(crate) fn successors(&self, from: &BundleName) -> &BTreeMap<&'a BundleName, Permits<'a>> {
        &self.successors[from]
    }

    /// Returns the reachable bundles with their minimum number of hops. Each round adds one hop,
    /// until a round finds no new bundle.
    pub(crate) fn hops(&self, from: &'a BundleName) -> BTreeMap<&'a BundleName, u32> {
        let mut hops = BTreeMap::new();
        let mut border = vec![from];
        for distance in 1.. {
            let mut next = Vec::new();
            for to in border.iter().flat_map(|at| self.successors[*at].keys()) {
                if *to != from && !hops.contains_key(to) {
                    hops.insert(*to, distance);
                    next.push(*to);
                }
            }
            if next.is_empty() {
                break;
            }
            border = next;
        }
        hops
    }

    /// Returns the newer bundles of the package that are not reachable. Prereleases are included
    /// only if the installed version is a prerelease.
    pub(crate) fn missed(
        &self,
        from: &BundleName,
        hops: &BTreeMap<&BundleName, u32>,
    ) -> Vec<&'a BundleName> {
        let is_prerelease = |name: &BundleName| self.bundle(name).version.is_prerelease();
        let newer = self
            .package
            .bundles
            .keys()
            .filter(|name| self.age(name) > self.age(from));
        let missed = newer.filter(|name| !hops.contains_key(name));
        let offered = missed.filter(|name| is_prerelease(from) || !is_prerelease(name));
        self.newest_first(offered)
    }

    /// Returns the entries that no other entry of their channel replaces or skips.
    pub(crate) fn heads(&self) -> Vec<(&'a ChannelName, &'a BundleName)> {
        let is_followed = |at: &ChannelName, name: &BundleName| {
            self.entries.iter().any(|(channel, entry)| {
                let follows = entry.replaces.as_ref() == Some(name) || entry.skips.contains(name);
                *channel == at && follows && entry.name != *name
            })
        };
        let entries = self
            .entries
            .iter()
            .map(|(channel, entry)| (*channel, &entry.name));
        let mut heads: Vec<_> = entries
            .filter(|(channel, name)| !is_followed(channel, name))
            .collect();
        heads.sort_by_key(|(channel, name)| (*channel, Reverse(self.age(name)), *name));
        heads
    }

    /// Returns the order of results: the newest bundle first.
    pub(crate) fn newest_first(
        &self,
        names: impl Iterator<Item = &'a BundleName>,
    ) -> Vec<&'a BundleName> {
        let mut names: Vec<_> = names.collect();
        names.sort_by_cached_key(|name| (Reverse(self.age(name)), *name));
        names
    }

    /// Returns the version and the release of a bundle, by which bundles are ordered. Older bundles
    /// contain the release as build metadata.
    pub(crate) fn age(&self, name: &BundleName) -> (&'a Version, Option<Release>) {
        let bundle = self.bundle(name);
        let release = bundle.release.clone();
        (
            &bundle.version,
            release.or_else(|| bundle.version.build_as_release()),
        )
    }

    fn bundle(&self, name: &BundleName) -> &'a Bundle {
        &self.package.bundles[name]
    }
}
