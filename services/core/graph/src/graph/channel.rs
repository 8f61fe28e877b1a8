//! One channel: its edges, its heads, and the chain that OLM sees.

use std::collections::BTreeSet;

use portolan_catalog as catalog;
use portolan_names::ChannelName;

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
    /// What OLM offers, from the head down along `replaces`, without the skipped entries. None
    /// where OLM finds no unique chain and refuses the channel.
    pub(crate) chain: Option<Vec<Id>>,
}

/// An entry in places.
struct Place<'a> {
    at: Id,
    age: Option<Age>,
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
            .map(|e| Place::new(graph, e))
            .collect();
        let heads = heads(&places);
        let mut entries: Vec<_> = places.iter().map(|place| place.at).collect();
        entries.sort_unstable();
        Self {
            name: channel.name.clone(),
            chart: Chart::new(graph.nodes.len(), entries, &links(graph, &places)),
            chain: chain(&heads, &places),
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

fn heads(places: &[Place<'_>]) -> Vec<Id> {
    let followed: BTreeSet<_> = places
        .iter()
        .flat_map(Place::named)
        .map(|(from, _, _)| from)
        .collect();
    let mut heads: Vec<_> = places.iter().map(|place| place.at).collect();
    heads.retain(|at| !followed.contains(at));
    heads.sort_unstable();
    heads
}

/// The edges in order of from, then to.
///
/// An edge that its author named is there even where it leads down. An edge that only a range
/// makes leads upwards only: ranges are wide, and nobody meant to offer a way back.
fn links(graph: &Graph, places: &[Place<'_>]) -> Vec<(Id, Id, Edges)> {
    let mut named: Vec<_> = places.iter().flat_map(Place::named).collect();
    named.sort_unstable_by_key(|(from, to, _)| (*from, *to));
    let mut named = named.into_iter().peekable();
    // The newest first, so that a row of ranges ends at the age of its bundle.
    let mut covering: Vec<_> = places
        .iter()
        .filter(|p| p.entry.skip_range.is_some())
        .collect();
    covering.sort_unstable_by_key(|place| place.at);

    let mut links: Vec<(Id, Id, Edges)> = Vec::new();
    for (from, node) in (0..).zip(&graph.nodes) {
        let row = links.len();
        while let Some(link) = named.next_if(|link| link.0 == from) {
            match links.last_mut() {
                Some(last) if (last.0, last.1) == (from, link.1) => last.2 = last.2.union(link.2),
                Some(_) | None => links.push(link),
            }
        }
        let (Some(version), age) = (&node.version, graph.age(from)) else {
            continue;
        };
        let named_until = links.len();
        for place in &covering {
            let written = links[row..named_until]
                .iter_mut()
                .find(|link| link.1 == place.at);
            // Behind the bundle's own age only what the author named is left to look at.
            if written.is_none() && place.age <= age {
                continue;
            }
            let range = place.entry.skip_range.as_ref();
            if !range.is_some_and(|range| range.matches(version)) {
                continue;
            }
            match written {
                Some(link) => link.2 = link.2.union(Edge::SkipRange.into()),
                None => links.push((from, place.at, Edge::SkipRange.into())),
            }
        }
        links[row..].sort_unstable_by_key(|link| link.1);
    }
    links
}

/// Walks `replaces` from the only head. A cycle ends in a refusal, as in OLM.
fn chain(heads: &[Id], places: &[Place<'_>]) -> Option<Vec<Id>> {
    let [head] = heads else {
        return None;
    };
    let skipped: BTreeSet<_> = places
        .iter()
        .flat_map(|place| &place.skips)
        .copied()
        .collect();
    let mut by_place: Vec<_> = places
        .iter()
        .map(|place| (place.at, place.replaces))
        .collect();
    by_place.sort_unstable();
    let find = |at: Id| by_place.binary_search_by_key(&at, |(at, _)| *at).ok();

    let (mut chain, mut walked) = (Vec::new(), BTreeSet::new());
    let mut next = find(*head);
    while let Some(place) = next {
        let (at, replaces) = by_place[place];
        if !walked.insert(at) {
            return None;
        }
        if !skipped.contains(&at) {
            chain.push(at);
        }
        next = replaces.and_then(find);
    }
    Some(chain)
}
