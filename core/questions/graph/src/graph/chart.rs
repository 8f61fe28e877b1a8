//! The edges of one channel, or of all.

use std::ops::Range;

use petgraph::Directed;
use petgraph::csr::Csr;

use crate::graph::channel::Channel;
use crate::graph::{Id, id};
use crate::{Edge, Edges};

/// The entries and the edges that lead to them.
///
/// Edges that authors named are stored one by one. Edges that skip ranges permit are not: one range
/// can cover every older bundle, so that there would be as many edges as there are pairs of
/// bundles. The nodes stand in the order of their versions, so a range is a few bands of places,
/// and an edge is made when it is asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    /// The entries, by place.
    pub(crate) entries: Vec<Id>,
    /// The edges that an author named, with all that permits them.
    named: Csr<(), Edges, Directed, Id>,
    /// The bands of skip ranges, by the place that they lead up to, then from the newest; those of
    /// one place neither overlap nor touch.
    bands: Vec<Band>,
}

/// Places that stand together, all of them older than the entry whose skip range covers them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) to: Id,
    pub(crate) from: Range<Id>,
}

/// The edges from a bundle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    from: Id,
    /// The places that are named, in order, and what permits each. Both are equally long.
    to: &'a [Id],
    edges: &'a [Edges],
    /// Those that may cover the bundle.
    bands: &'a [Band],
}

// === impl Chart ===

impl Chart {
    /// `named` in order of from, then to, each pair once; `bands` in order of to, then from.
    pub(crate) fn new(
        size: usize,
        entries: Vec<Id>,
        named: &[(Id, Id, Edges)],
        bands: Vec<Band>,
    ) -> Self {
        let mut named = Csr::from_sorted_edges(named).expect("the edges must come in order");
        while named.node_count() < size {
            named.add_node(());
        }
        Self {
            entries,
            named,
            bands,
        }
    }

    /// The edges of several channels. What more than one of them permits is one edge.
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
        // A range leads up, and what is newer has the lower place.
        let newer = self.bands.partition_point(|band| band.to < from);
        Row {
            from,
            to: self.named.neighbors_slice(from),
            edges: self.named.edges_slice(from),
            bands: &self.bands[..newer],
        }
    }

    /// The edges that an author named, by from, then to.
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

    /// Returns all edges, sorted by from, then by to. There may be as many as there are pairs of
    /// bundles.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Id, Id, Edges)> {
        let rows = 0..id(self.named.node_count());
        rows.flat_map(|from| {
            let row = self.row(from).iter();
            row.map(move |(to, edges)| (from, to, edges))
        })
    }

    /// The number of edges, without making any.
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
    /// Grows over `next`, which begins no earlier, unless there is a gap between the two.
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
    /// The edges, all of them made already and in order of to.
    pub(crate) fn made(to: &'a [Id], edges: &'a [Edges]) -> Self {
        Self {
            from: 0,
            to,
            edges,
            bands: &[],
        }
    }

    /// The bundles that it leads to, in no order; what is both named and covered comes twice.
    pub(crate) fn targets(self) -> impl Iterator<Item = Id> + 'a {
        self.to.iter().copied().chain(self.covered())
    }

    /// In order of to.
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

    /// The bundles that skip ranges lead up to from it.
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

/// Sorts edges by from, then to, and makes one of those between the same two bundles.
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
