//! The edges of one channel.

use std::collections::{BTreeMap, BTreeSet};

use portolan_catalog::{Channel, Entry, Package};
use portolan_names::{BundleName, Version};

/// What permits an update, in the order in which people want to hear it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// The entry names the older bundle in `replaces`.
    Replaces,
    /// The entry names the older bundle in `skips`.
    Skips,
    /// The `skipRange` of the entry covers the version of the older bundle.
    SkipRange,
}

/// The entries that no other entry of the channel replaces or skips, by name.
pub fn heads(channel: &Channel) -> Vec<&BundleName> {
    let mut followed = BTreeSet::new();
    for entry in channel.entries.values() {
        let named = entry.replaces.iter().chain(&entry.skips);
        // An entry that names itself is no follower of itself.
        followed.extend(named.filter(|name| **name != entry.name));
    }
    channel
        .entries
        .keys()
        .filter(|name| !followed.contains(name))
        .collect()
}

/// What leads from a bundle to `entry`; empty if nothing does.
///
/// An edge that its author named is there even where it leads down. An edge that only a range
/// makes leads upwards only: ranges are wide, and nobody meant to offer a way back.
pub(crate) fn edges(
    package: &Package,
    from: &BundleName,
    version: Option<&Version>,
    entry: &Entry,
) -> Vec<Edge> {
    if *from == entry.name {
        return Vec::new();
    }
    let mut edges = Vec::new();
    if entry.replaces.as_ref() == Some(from) {
        edges.push(Edge::Replaces);
    }
    if entry.skips.contains(from) {
        edges.push(Edge::Skips);
    }
    if let (Some(range), Some(version)) = (&entry.skip_range, version)
        && range.matches(version)
        && (!edges.is_empty() || leads_up(package, version, &entry.name))
    {
        edges.push(Edge::SkipRange);
    }
    edges
}

fn leads_up(package: &Package, version: &Version, to: &BundleName) -> bool {
    package
        .bundles
        .get(to)
        .is_some_and(|bundle| bundle.version > *version)
}

/// For each entry from which the channel's head can be reached: in how many hops. Where a channel
/// has several heads, the nearest counts.
pub(crate) fn hops_to_head<'a>(
    package: &'a Package,
    channel: &'a Channel,
) -> BTreeMap<&'a BundleName, usize> {
    let mut hops = BTreeMap::new();
    let mut border = heads(channel);
    let mut distance = 0;
    while !border.is_empty() {
        border.retain(|name| hops.insert(*name, distance).is_none());
        distance += 1;
        border = border
            .iter()
            .flat_map(|head| {
                let entry = &channel.entries[*head];
                channel.entries.keys().filter(move |from| {
                    let version = package.bundles.get(*from).map(|bundle| &bundle.version);
                    !edges(package, from, version, entry).is_empty()
                })
            })
            .filter(|name| !hops.contains_key(name))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
    }
    hops
}
