//! The edges of one channel or of all channels.

use std::ops::Range;

use petgraph::Directed;
use petgraph::csr::Csr;

use crate::graph::channel::Channel;
use crate::graph::{Id, id};
use crate::{Edge, Edges};

/// The entries of one or several channels, with the edges that lead to them.
///
/// Edges from `replaces` and `skips` are stored individually. These edges are called named edges.
/// Edges of skip ranges are computed on demand, because a skip range may result in one edge for
/// each pair of bundles. The nodes are sorted by version, so a skip range is stored as a few bands
/// of node indexes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    /// The node indexes of the entries, sorted.
    pub(crate) entries: Vec<Id>,
    /// The named edges, each with all permissions.
    named: Csr<(), Edges, Directed, Id>,
    /// The bands of skip ranges. They are sorted by the index of the newer bundle, so the newest
    /// bundle comes first. The bands of one newer bundle neither overlap nor adjoin.
    bands: Vec<Band>,
}

/// A range of node indexes. All nodes in the range are older than entry `to`, whose skip range
/// contains their versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) to: Id,
    pub(crate) from: Range<Id>,
}

/// The edges that start at one bundle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    from: Id,
    /// The indexes of the bundles to which named edges lead, sorted. The field `edges` has the
    /// edges to each of these bundles, in the same order.
    to: &'a [Id],
    edges: &'a [Edges],
    /// The bands whose newer bundle is newer than this bundle. Only such a band can contain this
    /// bundle.
    bands: &'a [Band],
}

// === impl Chart ===

impl Chart {
    /// Creates a chart. `named` must be sorted by older bundle, then by newer bundle, and must
    /// contain each pair once. `bands` must be sorted by newer bundle, then by the start of the
    /// range.
    pub(crate) fn new(
        size: usize,
        entries: Vec<Id>,
        named: &[(Id, Id, Edges)],
        bands: Vec<Band>,
    ) -> Self {
        let mut named = Csr::from_sorted_edges(named).expect("edges must be sorted");
        while named.node_count() < size {
            named.add_node(());
        }
        Self {
            entries,
            named,
            bands,
        }
    }

    /// Returns the edges of several channels in one chart. Edges between the same bundles are
    /// merged.
    pub(crate) fn union(size: usize, channels: &[Channel]) -> Self {
        let charts = || channels.iter().map(|channel| &channel.chart);
        let mut entries: Vec<_> = charts().flat_map(|chart| &chart.entries).copied().collect();
        entries.sort_unstable();
        entries.dedup();
        let mut named: Vec<_> = charts().flat_map(Self::named).collect();
        unite(&mut named);
        let mut bands: Vec<_> = charts().flat_map(|chart| &chart.bands).cloned().collect();
        bands.sort_unstable_by_key(|band| (band.to, band.from.start));
        bands.dedup_by(|next, last| last.absorb(next));
        Self::new(size, entries, &named, bands)
    }

    pub(crate) fn has(&self, entry: Id) -> bool {
        self.entries.binary_search(&entry).is_ok()
    }

    pub(crate) fn row(&self, from: Id) -> Row<'_> {
        // An edge of a range leads to a newer bundle, and a newer bundle has a lower index.
        let newer = self.bands.partition_point(|band| band.to < from);
        Row {
            from,
            to: self.named.neighbors_slice(from),
            edges: self.named.edges_slice(from),
            bands: &self.bands[..newer],
        }
    }

    /// Iterates over the named edges, sorted by older bundle, then by newer bundle.
    pub(crate) fn named(&self) -> impl Iterator<Item = (Id, Id, Edges)> {
        let rows = 0..id(self.named.node_count());
        rows.flat_map(|from| {
            let to = self.named.neighbors_slice(from).iter().copied();
            let edges = self.named.edges_slice(from).iter().copied();
            to.zip(edges).map(move |(to, edges)| (from, to, edges))
        })
    }

    pub(crate) fn bands(&self) -> &[Band] {
        &self.bands
    }

    /// Iterates over all edges, sorted by older bundle, then by newer bundle. Skip ranges may
    /// result in one edge for each pair of bundles.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Id, Id, Edges)> {
        let rows = 0..id(self.named.node_count());
        rows.flat_map(|from| {
            let row = self.row(from).iter();
            row.map(move |(to, edges)| (from, to, edges))
        })
    }

    /// Returns the number of edges without computing the edges.
    pub(crate) fn count(&self) -> u64 {
        let covered: u64 = self.bands.iter().map(|band| band.from.len() as u64).sum();
        let alone = self.named().filter(|(from, to, _)| {
            let row = self.row(*from);
            !row.covers(*to)
        });
        covered + alone.count() as u64
    }
}

// === impl Band ===

impl Band {
    /// Extends the band by `next`, which must not start before this band. Returns false if the two
    /// bands belong to different entries or have a gap between them.
    fn absorb(&mut self, next: &Self) -> bool {
        let joins = self.to == next.to && next.from.start <= self.from.end;
        if joins {
            self.from.end = self.from.end.max(next.from.end);
        }
        joins
    }
}

// === impl Row ===

impl<'a> Row<'a> {
    /// Returns the edges of a bundle from precomputed lists that are sorted by target.
    pub(crate) fn made(to: &'a [Id], edges: &'a [Edges]) -> Self {
        Self {
            from: 0,
            to,
            edges,
            bands: &[],
        }
    }

    /// Iterates over the bundles to which edges lead, in no particular order. A bundle with a named
    /// edge and an edge of a skip range may appear twice.
    pub(crate) fn targets(self) -> impl Iterator<Item = Id> + 'a {
        self.to.iter().copied().chain(self.covered())
    }

    /// Iterates over the targets with their edges, sorted by target.
    pub(crate) fn iter(self) -> impl Iterator<Item = (Id, Edges)> + 'a {
        let mut named = self.to.iter().copied().zip(self.edges.iter().copied());
        let mut covered = self.covered();
        let (mut next_named, mut next_covered) = (named.next(), covered.next());
        std::iter::from_fn(move || match (next_named, next_covered) {
            (Some((to, edges)), Some(other)) if to == other => {
                (next_named, next_covered) = (named.next(), covered.next());
                Some((to, edges.union(Edge::SkipRange.into())))
            }
            (Some(first), other) if other.is_none_or(|other| first.0 < other) => {
                next_named = named.next();
                Some(first)
            }
            (_, Some(to)) => {
                next_covered = covered.next();
                Some((to, Edge::SkipRange.into()))
            }
            (_, None) => None,
        })
    }

    pub(crate) fn edges_to(self, to: Id) -> Edges {
        let named = self.to.binary_search(&to);
        let named = named.map_or(Edges::NONE, |at| self.edges[at]);
        if self.covers(to) {
            named.union(Edge::SkipRange.into())
        } else {
            named
        }
    }

    /// Iterates over the bundles to which edges of skip ranges lead.
    fn covered(self) -> impl Iterator<Item = Id> + 'a {
        let covering = move |band: &&Band| band.from.contains(&self.from);
        self.bands.iter().filter(covering).map(|band| band.to)
    }

    fn covers(self, to: Id) -> bool {
        let key = (to, self.from);
        let after = self
            .bands
            .partition_point(|band| (band.to, band.from.start) <= key);
        let last = after.checked_sub(1).map(|at| &self.bands[at]);
        last.is_some_and(|band| band.to == to && band.from.contains(&self.from))
    }
}

/// Sorts edges by older bundle, then by newer bundle. Merges edges between the same two bundles.
pub(crate) fn unite(edges: &mut Vec<(Id, Id, Edges)>) {
    edges.sort_unstable_by_key(|(from, to, _)| (*from, *to));
    edges.dedup_by(|(from, to, edges), (last_from, last_to, all)| {
        let is_same = (*from, *to) == (*last_from, *last_to);
        if is_same {
            *all = all.union(*edges);
        }
        is_same
    });
}
