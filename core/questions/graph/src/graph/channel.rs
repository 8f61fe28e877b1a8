//! One channel: its edges, its heads, and the chain that OLM uses.

use std::collections::BTreeSet;
use std::ops::Range;

use portolan_core_catalog as catalog;
use portolan_core_names::{BundleName, ChannelName};

use crate::graph::chart::{Band, Chart, unite};
use crate::graph::{Graph, Id};
use crate::{Edge, Edges};

/// A channel of the graph.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) name: ChannelName,
    pub(crate) chart: Chart,
    /// The indexes of the entries in catalog order, which is by name.
    pub(crate) places: Vec<Id>,
    /// The indexes of the entries that no other entry replaces or skips, in order.
    pub(crate) heads: Vec<Id>,
    /// The entries that OLM may select, in OLM's order of preference. They start at the head and
    /// follow `replaces`, without skipped, prohibited and missing entries. None if there is no
    /// unique chain. OLM then refuses the channel.
    pub(crate) chain: Option<Vec<Choice>>,
}

/// An entry that OLM may select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) at: Id,
    /// The bundles that the skip range of the entry contains. OLM also follows a skip range to an
    /// older version.
    pub(crate) covers: Box<[Range<Id>]>,
}

/// An entry, with node indexes instead of names.
struct PlacedEntry<'a> {
    at: Id,
    replaces: Option<Id>,
    skips: Vec<Id>,
    entry: &'a catalog::Entry,
}

// === impl Channel ===

impl Channel {
    pub(crate) fn new(graph: &Graph, channel: &catalog::Channel) -> Self {
        let places: Vec<_> = channel
            .entries
            .values()
            .map(|e| PlacedEntry::new(graph, e))
            .collect();
        let known = |name| {
            graph
                .find(name)
                .expect("each entry of a channel must be a node of the graph")
        };
        let mut heads: Vec<_> = heads(channel).map(known).collect();
        heads.sort_unstable();
        let mut entries: Vec<_> = places.iter().map(|place| place.at).collect();
        entries.sort_unstable();
        Self {
            name: channel.name.clone(),
            chart: Chart::new(
                graph.nodes.len(),
                entries,
                &named(graph, &places),
                bands(graph, &places),
            ),
            chain: chain(graph, &heads, &places),
            heads,
            places: places.iter().map(|place| place.at).collect(),
        }
    }
}

// === impl PlacedEntry ===

impl<'a> PlacedEntry<'a> {
    fn new(graph: &Graph, entry: &'a catalog::Entry) -> Self {
        let known = |name| {
            graph
                .find(name)
                .expect("each name in an entry must be a node of the graph")
        };
        let at = known(&entry.name);
        Self {
            at,
            replaces: entry.replaces.as_ref().map(known),
            skips: entry.skips.iter().map(known).collect(),
            entry,
        }
    }

    /// Iterates over the edges that an entry names, each with all its permissions. An entry that
    /// names itself permits no update.
    fn named(&self, graph: &Graph) -> impl Iterator<Item = (Id, Id, Edges)> {
        let replaces = self.replaces.iter().map(|from| (*from, Edge::Replaces));
        let skips = self.skips.iter().map(|from| (*from, Edge::Skips));
        let others = replaces.chain(skips).filter(|(from, _)| *from != self.at);
        others.map(|(from, edge)| {
            let covers = if self.covers(graph, from) {
                Edge::SkipRange.into()
            } else {
                Edges::NONE
            };
            (from, self.at, covers.union(edge.into()))
        })
    }

    fn covers(&self, graph: &Graph, from: Id) -> bool {
        let version = graph.node(from).version.as_ref();
        let range = self.entry.skip_range.as_ref();
        range
            .zip(version)
            .is_some_and(|(range, version)| range.matches(version))
    }

    /// Iterates over the older bundles that the entry's skip range contains, newest first.
    fn bands(&self, graph: &Graph) -> impl Iterator<Item = Band> {
        let older = graph.age(self.at).map(|age| graph.older_than(age));
        let ranges = older.zip(self.entry.skip_range.as_ref());
        let bands = ranges.into_iter().flat_map(|(older, range)| {
            let places = graph.places(range);
            places.map(move |places| places.start.max(older)..places.end)
        });
        bands
            .filter(|from| !from.is_empty())
            .map(|from| Band { to: self.at, from })
    }
}

/// Iterates over the heads of a channel by name. Heads are the entries that no other entry replaces
/// or skips. Does not need a graph.
pub fn heads(channel: &catalog::Channel) -> impl Iterator<Item = &BundleName> {
    let names = channel.entries.values().flat_map(|entry| {
        let older = entry.replaces.iter().chain(&entry.skips);
        older.filter(|older| **older != entry.name)
    });
    let followed: BTreeSet<_> = names.collect();
    let entries = channel.entries.keys();
    entries.filter(move |name| !followed.contains(name))
}

/// Returns the edges from `replaces` and `skips`, sorted by start, then by end. Such an edge may be
/// a downgrade.
fn named(graph: &Graph, places: &[PlacedEntry<'_>]) -> Vec<(Id, Id, Edges)> {
    let mut named: Vec<_> = places.iter().flat_map(|place| place.named(graph)).collect();
    unite(&mut named);
    named
}

/// Returns the bands of bundles that skip ranges contain. An edge of a skip range always leads to a
/// newer version, because authors do not use wide ranges to permit downgrades.
fn bands(graph: &Graph, places: &[PlacedEntry<'_>]) -> Vec<Band> {
    let mut bands: Vec<_> = places.iter().flat_map(|place| place.bands(graph)).collect();
    bands.sort_unstable_by_key(|band| (band.to, band.from.start));
    bands
}

/// Follows `replaces` from the only head. Returns None for a cycle, which OLM also refuses.
fn chain(graph: &Graph, heads: &[Id], places: &[PlacedEntry<'_>]) -> Option<Vec<Choice>> {
    let [head] = heads else {
        return None;
    };
    let skipped: BTreeSet<_> = places
        .iter()
        .flat_map(|place| &place.skips)
        .copied()
        .collect();
    let mut by_place: Vec<_> = places.iter().collect();
    by_place.sort_unstable_by_key(|place| place.at);
    let find = |at: Id| {
        let found = by_place.binary_search_by_key(&at, |place| place.at).ok()?;
        Some(by_place[found])
    };

    let (mut chain, mut walked) = (Vec::new(), BTreeSet::new());
    let mut next = find(*head);
    while let Some(place) = next {
        if !walked.insert(place.at) {
            return None;
        }
        if !skipped.contains(&place.at) && graph.is_offered(place.at) {
            let range = place.entry.skip_range.iter();
            chain.push(Choice {
                at: place.at,
                covers: range.flat_map(|range| graph.places(range)).collect(),
            });
        }
        next = place.replaces.and_then(find);
    }
    Some(chain)
}
