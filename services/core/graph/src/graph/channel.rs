//! One channel: its edges, its heads, and the chain that OLM sees.

use std::collections::BTreeSet;

use portolan_catalog as catalog;
use portolan_names::{BundleName, ChannelName, VersionRange};

use crate::graph::chart::Chart;
use crate::graph::{Age, Graph, Id};
use crate::{Edge, Edges};

/// A channel of the graph.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) name: ChannelName,
    pub(crate) chart: Chart,
    /// The entries in the order of the catalog, which is that of names.
    pub(crate) places: Vec<Id>,
    /// The entries that no other one replaces or skips, by place.
    pub(crate) heads: Vec<Id>,
    /// What OLM may take, in the order of its preference: from the head down along `replaces`,
    /// without the skipped entries, the prohibited ones, and those that are not there. None where
    /// OLM finds no unique chain and refuses the channel.
    pub(crate) chain: Option<Vec<Choice>>,
}

/// An entry that OLM may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) at: Id,
    /// Whether it has a skip range, which OLM follows downwards too.
    pub(crate) has_range: bool,
}

/// An entry in places.
struct Place<'a> {
    at: Id,
    age: Option<Age>,
    replaces: Option<Id>,
    skips: Vec<Id>,
    entry: &'a catalog::Entry,
}

/// An entry with a skip range.
struct Covering<'a> {
    at: Id,
    age: Option<Age>,
    range: &'a VersionRange,
}

// === impl Channel ===

impl Channel {
    pub(crate) fn new(graph: &Graph, channel: &catalog::Channel) -> Self {
        let places: Vec<_> = channel
            .entries
            .values()
            .map(|e| Place::new(graph, e))
            .collect();
        let known = |name| graph.find(name).expect("every entry must be a node");
        let mut heads: Vec<_> = heads(channel).map(known).collect();
        heads.sort_unstable();
        let mut entries: Vec<_> = places.iter().map(|place| place.at).collect();
        entries.sort_unstable();
        Self {
            name: channel.name.clone(),
            chart: Chart::new(graph.nodes.len(), entries, &links(graph, &places)),
            chain: chain(graph, &heads, &places),
            heads,
            places: places.iter().map(|place| place.at).collect(),
        }
    }
}

// === impl Place ===

impl<'a> Place<'a> {
    fn new(graph: &Graph, entry: &'a catalog::Entry) -> Self {
        let known = |name| {
            graph
                .find(name)
                .expect("every name of an entry must be a node")
        };
        let at = known(&entry.name);
        Self {
            at,
            age: graph.age(at),
            replaces: entry.replaces.as_ref().map(known),
            skips: entry.skips.iter().map(known).collect(),
            entry,
        }
    }

    /// The edges that the author named. An entry that names itself permits no update by that.
    fn named(&self) -> impl Iterator<Item = (Id, Id, Edges)> {
        let replaces = self.replaces.iter().map(|from| (*from, Edge::Replaces));
        let skips = self.skips.iter().map(|from| (*from, Edge::Skips));
        let others = replaces.chain(skips).filter(|(from, _)| *from != self.at);
        others.map(|(from, edge)| (from, self.at, edge.into()))
    }
}

// === impl Covering ===

impl<'a> Covering<'a> {
    fn of(place: &Place<'a>) -> Option<Self> {
        let range = place.entry.skip_range.as_ref()?;
        Some(Self {
            at: place.at,
            age: place.age,
            range,
        })
    }
}

/// The entries of a channel that no other one replaces or skips, by name: the heads, for whoever
/// needs nothing else of a graph.
pub fn heads(channel: &catalog::Channel) -> impl Iterator<Item = &BundleName> {
    let names = channel.entries.values().flat_map(|entry| {
        let older = entry.replaces.iter().chain(&entry.skips);
        older.filter(|older| **older != entry.name)
    });
    let followed: BTreeSet<_> = names.collect();
    let entries = channel.entries.keys();
    entries.filter(move |name| !followed.contains(name))
}

/// The edges in order of from, then to.
///
/// An edge that its author named is there even where it leads down. An edge that only a range
/// makes leads upwards only: ranges are wide, and nobody meant to offer a way back.
fn links(graph: &Graph, places: &[Place<'_>]) -> Vec<(Id, Id, Edges)> {
    let mut named: Vec<_> = places.iter().flat_map(Place::named).collect();
    named.sort_unstable_by_key(|(from, to, _)| (*from, *to));
    let mut named = named.into_iter().peekable();
    let mut covering: Vec<_> = places.iter().filter_map(Covering::of).collect();
    covering.sort_unstable_by_key(|covering| covering.at);

    let mut links = Vec::new();
    let mut row: Vec<(Id, Edges)> = Vec::new();
    for (from, node) in (0..).zip(&graph.nodes) {
        while let Some((_, to, edges)) = named.next_if(|link| link.0 == from) {
            match row.last_mut() {
                Some((last, all)) if *last == to => *all = all.union(edges),
                Some(_) | None => row.push((to, edges)),
            }
        }
        let mut row = row.drain(..).peekable();
        let ranges = node.version.as_ref().map_or(&[][..], |_| &covering);
        for covering in ranges {
            while let Some((to, edges)) = row.next_if(|(to, _)| *to < covering.at) {
                links.push((from, to, edges));
            }
            let named = row.next_if(|(to, _)| *to == covering.at);
            let named = named.map_or(Edges::NONE, |(_, edges)| edges);
            let may_lead = covering.age > graph.age(from) || !named.is_empty();
            let version = node.version.as_ref().filter(|_| may_lead);
            let covers = version.is_some_and(|version| covering.range.matches(version));
            let edges = if covers {
                named.union(Edge::SkipRange.into())
            } else {
                named
            };
            if !edges.is_empty() {
                links.push((from, covering.at, edges));
            }
        }
        links.extend(row.map(|(to, edges)| (from, to, edges)));
    }
    links
}

/// Walks `replaces` from the only head. A cycle ends in a refusal, as in OLM.
fn chain(graph: &Graph, heads: &[Id], places: &[Place<'_>]) -> Option<Vec<Choice>> {
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
            chain.push(Choice {
                at: place.at,
                has_range: place.entry.skip_range.is_some(),
            });
        }
        next = place.replaces.and_then(find);
    }
    Some(chain)
}
