//! The edges of one channel, or of all, as rows.

use petgraph::Directed;
use petgraph::csr::Csr;

use crate::Edges;
use crate::graph::channel::Channel;
use crate::graph::{Id, id};

/// Which entries there are and what leads to them. Compressed rows: a package with wide skip
/// ranges has edges by the ten thousand, and walks read whole rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    /// The entries, by place.
    pub(crate) entries: Vec<Id>,
    links: Csr<(), Edges, Directed, Id>,
}

/// Where a bundle leads: the places in order, and what permits each. Both are equally long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) to: &'a [Id],
    pub(crate) edges: &'a [Edges],
}

// === impl Chart ===

impl Chart {
    /// `links` in order of from, then to, each pair once.
    pub(crate) fn new(size: usize, entries: Vec<Id>, links: &[(Id, Id, Edges)]) -> Self {
        let mut links = Csr::from_sorted_edges(links).expect("the links must come in order");
        while links.node_count() < size {
            links.add_node(());
        }
        Self { entries, links }
    }

    /// The edges of all channels. What several channels permit is one edge.
    pub(crate) fn union(size: usize, channels: &[Channel]) -> Self {
        if let [only] = channels {
            return only.chart.clone();
        }
        let mut entries: Vec<_> = channels
            .iter()
            .flat_map(|channel| &channel.chart.entries)
            .copied()
            .collect();
        entries.sort_unstable();
        entries.dedup();
        let mut links = Vec::new();
        let mut row: Vec<(Id, Edges)> = Vec::new();
        for from in 0..id(size) {
            row.extend(
                channels
                    .iter()
                    .flat_map(|channel| channel.chart.row(from).iter()),
            );
            row.sort_unstable_by_key(|(to, _)| *to);
            row.dedup_by(|(to, edges), (last, all)| {
                let is_same = to == last;
                if is_same {
                    *all = all.union(*edges);
                }
                is_same
            });
            links.extend(row.drain(..).map(|(to, edges)| (from, to, edges)));
        }
        Self::new(size, entries, &links)
    }

    pub(crate) fn has(&self, entry: Id) -> bool {
        self.entries.binary_search(&entry).is_ok()
    }

    pub(crate) fn row(&self, from: Id) -> Row<'_> {
        Row {
            to: self.links.neighbors_slice(from),
            edges: self.links.edges_slice(from),
        }
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = (Id, Id, Edges)> {
        let rows = 0..id(self.links.node_count());
        rows.flat_map(|from| {
            self.row(from)
                .iter()
                .map(move |(to, edges)| (from, to, edges))
        })
    }
}

// === impl Row ===

impl<'a> Row<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = (Id, Edges)> + 'a {
        self.to.iter().copied().zip(self.edges.iter().copied())
    }

    pub(crate) fn edges_to(self, to: Id) -> Edges {
        self.to
            .binary_search(&to)
            .map_or(Edges::NONE, |at| self.edges[at])
    }
}
