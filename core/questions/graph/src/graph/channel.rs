//! One channel: its edges, its heads, and the chain that OLM uses.

use std::collections::BTreeSet;
use std::ops::Range;

use portolan_core_catalog as catalog;
use portolan_core_names::{BundleName, ChannelName};

use crate::graph::chart::{Band, Chart, unite};
use crate::graph::{Graph, Id};
use crate::{Edge, Edges};

/// One channel of a graph.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) name: ChannelName,
    pub(crate) chart: Chart,
    /// The node indexes of the entries in catalog order, which is by name.
    pub(crate) places: Vec<Id>,
    /// The node indexes of the heads, in order. A head is an entry that no other entry replaces or
    /// skips.
    pub(crate) heads: Vec<Id>,
    /// The entries that OLM may select, most preferred first. The list starts at the head and
    /// follows `replaces`. It omits skipped entries, missing bundles, and bundles that OLM refuses.
    /// None if the channel has no unique chain, because OLM then refuses the channel.
    pub(crate) chain: Option<Vec<Choice>>,
}

/// An entry of a channel that OLM may select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) at: Id,
    /// The bundles whose versions the skip range of the entry contains. They include newer bundles,
    /// because OLM follows a skip range also to an older version.
    pub(crate) covers: Box<[Range<Id>]>,
}

/// An entry of a channel, with node indexes instead of names.
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

    /// Iterates over the edges from `replaces` and `skips` of the entry. If the skip range also
    /// contains the older bundle, the edge includes this permission. An entry that names itself
    /// permits no update.
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

    /// Iterates over the older bundles whose versions the entry's skip range contains, newest
    /// first.
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

/// Returns the names of the heads of a channel: the entries that no other entry replaces or skips.
/// Does not need a graph.
pub fn heads(channel: &catalog::Channel) -> impl Iterator<Item = &BundleName> {
    let names = channel.entries.values().flat_map(|entry| {
        let older = entry.replaces.iter().chain(&entry.skips);
        older.filter(|older| **older != entry.name)
    });
    let followed: BTreeSet<_> = names.collect();
    let entries = channel.entries.keys();
    entries.filter(move |name| !followed.contains(name))
}

/// Returns the edges from `replaces` and `skips`, sorted by older bundle, and then by newer bundle.
/// Such an edge may lead to a lower version.
fn named(graph: &Graph, places: &[PlacedEntry<'_>]) -> Vec<(Id, Id, Edges)> {
    let mut named: Vec<_> = places.iter().flat_map(|place| place.named(graph)).collect();
    unite(&mut named);
    named
}

/// Returns the bands of older bundles that skip ranges contain. Newer bundles in a range are
/// omitted, because authors do not use wide ranges to permit downgrades.
fn bands(graph: &Graph, places: &[PlacedEntry<'_>]) -> Vec<Band> {
    let mut bands: Vec<_> = places.iter().flat_map(|place| place.bands(graph)).collect();
    bands.sort_unstable_by_key(|band| (band.to, band.from.start));
    bands
}

/// Follows `replaces` from the only head. Returns None if the channel has several heads, no head,
/// or a cycle. OLM refuses such a channel.
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
