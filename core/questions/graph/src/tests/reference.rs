//! A slow and simple reference implementation. It works directly on the entries of a package, name
//! by name.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::{Entry, Package};
use portolan_core_names::{BundleName, ChannelName, Release, Version};

use crate::{Edge, Installed};

/// Returns the version, and the rebuild number from its build metadata.
pub(crate) fn age(version: &Version) -> (Version, Option<Release>) {
    (version.clone(), version.build_as_release())
}

/// A package, with the channels that a walk may use.
pub(crate) struct Reference<'a> {
    pub(crate) package: &'a Package,
    pub(crate) channel: Option<&'a ChannelName>,
}

impl<'a> Reference<'a> {
    pub(crate) fn version(&self, name: &BundleName) -> Option<&'a Version> {
        self.package.bundles.get(name).map(|bundle| &bundle.version)
    }

    fn entries(&self) -> impl Iterator<Item = (&'a ChannelName, &'a Entry)> {
        let channels = self.package.channels.values();
        let asked =
            channels.filter(|channel| self.channel.is_none_or(|name| *name == channel.name));
        asked.flat_map(|channel| channel.entries.values().map(|entry| (&channel.name, entry)))
    }

    /// Returns the successors of a bundle, with the channels and edges that lead to each successor.
    pub(crate) fn successors(
        &self,
        from: &Installed,
    ) -> BTreeMap<&'a BundleName, BTreeSet<(&'a ChannelName, Edge)>> {
        let version = self.version(&from.name).or(from.version.as_ref());
        let mut successors: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (channel, entry) in self.entries().filter(|(_, entry)| entry.name != from.name) {
            let mut edges = BTreeSet::new();
            if entry.replaces.as_ref() == Some(&from.name) {
                edges.insert((channel, Edge::Replaces));
            }
            if entry.skips.contains(&from.name) {
                edges.insert((channel, Edge::Skips));
            }
            let (range, to) = (entry.skip_range.as_ref(), self.version(&entry.name));
            let covers = range
                .zip(version)
                .is_some_and(|(range, version)| range.matches(version));
            let is_up = to
                .zip(version)
                .is_some_and(|(to, from)| age(to) > age(from));
            if covers && (is_up || !edges.is_empty()) {
                edges.insert((channel, Edge::SkipRange));
            }
            if !edges.is_empty() {
                successors.entry(&entry.name).or_default().extend(edges);
            }
        }
        successors
    }

    /// Returns all reachable bundles with the minimum number of hops to each bundle. Each round
    /// checks all pairs of bundles, until a round finds no new bundle.
    pub(crate) fn hops(&self, from: &Installed) -> BTreeMap<&'a BundleName, u32> {
        let mut hops = BTreeMap::new();
        let mut border = vec![from.clone()];
        for distance in 1.. {
            let reached: BTreeSet<_> = border
                .iter()
                .flat_map(|at| self.successors(at).into_keys())
                .collect();
            let is_new = |name: &&&BundleName| {
                !hops.contains_key(**name) && **name != &from.name && self.version(name).is_some()
            };
            let new: Vec<_> = reached.iter().filter(is_new).copied().collect();
            if new.is_empty() {
                break;
            }
            hops.extend(new.iter().map(|name| (*name, distance)));
            border = new
                .into_iter()
                .map(|name| Installed {
                    name: name.clone(),
                    version: None,
                })
                .collect();
        }
        hops
    }

    /// Returns the heads of a channel: the entries that no other entry replaces or skips.
    pub(crate) fn heads(&self, channel: &ChannelName) -> BTreeSet<&'a BundleName> {
        let entries = &self.package.channels[channel].entries;
        let is_followed = |name: &BundleName| {
            entries.values().any(|other| {
                let names = other.replaces.as_ref() == Some(name) || other.skips.contains(name);
                names && other.name != *name
            })
        };
        entries.keys().filter(|name| !is_followed(name)).collect()
    }

    /// Returns the bundles that OLM installs one after the other in the channel of the reference.
    /// Stops at the end or at a repeated bundle.
    pub(crate) fn olm_walk(&self, from: &Installed) -> Vec<&'a BundleName> {
        let channel = self.channel.expect("OLM walks in one channel");
        let chain = self.olm_chain(channel);
        let (mut walk, mut at) = (Vec::new(), from.clone());
        loop {
            let version = self.version(&at.name).or(at.version.as_ref());
            let leads = |entry: &&&Entry| {
                let range = entry.skip_range.as_ref().zip(version);
                entry.replaces.as_ref() == Some(&at.name)
                    || entry.skips.contains(&at.name)
                    || range.is_some_and(|(range, version)| range.matches(version))
            };
            let next = chain.iter().find(leads).map(|entry| &entry.name);
            match next {
                Some(next) if *next != from.name && !walk.contains(&next) => {
                    walk.push(next);
                    (at.name, at.version) = (next.clone(), None);
                }
                Some(_) | None => return walk,
            }
        }
    }

    /// Returns the chain along `replaces` from the only head. Empty if the channel has several
    /// heads or a cycle.
    fn olm_chain(&self, channel: &ChannelName) -> Vec<&'a Entry> {
        let entries = &self.package.channels[channel].entries;
        let heads: Vec<_> = self.heads(channel).into_iter().collect();
        let [head] = heads.as_slice() else {
            return Vec::new();
        };
        let mut chain: Vec<&Entry> = Vec::new();
        let mut next = entries.get(*head);
        while let Some(entry) = next {
            if chain.contains(&entry) {
                return Vec::new();
            }
            chain.push(entry);
            next = entry.replaces.as_ref().and_then(|name| entries.get(name));
        }
        let is_skipped = |name| entries.values().any(|entry| entry.skips.contains(name));
        let bundle = |name| self.package.bundles.get(name);
        chain.retain(|entry| !is_skipped(&entry.name));
        chain.retain(|entry| bundle(&entry.name).is_some_and(|bundle| !bundle.is_prohibited));
        chain
    }

    /// Returns all shortest paths to a bundle, as lists of names.
    pub(crate) fn ways(&self, from: &Installed, to: &BundleName) -> Vec<Vec<&'a BundleName>> {
        let hops = self.hops(from);
        let Some(length) = hops.get(to) else {
            return Vec::new();
        };
        let mut ways = vec![(from.clone(), Vec::new())];
        for distance in 1..=*length {
            let mut longer = Vec::new();
            for (at, way) in &ways {
                for next in self.successors(at).into_keys() {
                    if hops.get(next) == Some(&distance) {
                        let mut way: Vec<&BundleName> = way.clone();
                        way.push(next);
                        longer.push((
                            Installed {
                                name: next.clone(),
                                version: None,
                            },
                            way,
                        ));
                    }
                }
            }
            ways = longer;
        }
        ways.into_iter()
            .map(|(_, way)| way)
            .filter(|way| way.last() == Some(&to))
            .collect()
    }
}
