//! The edges that permit an update from one bundle to another.

use std::fmt;

/// An edge that permits an update, in display order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// The entry names the older bundle in `replaces`.
    Replaces,
    /// The entry names the older bundle in `skips`.
    Skips,
    /// The `skipRange` of the entry contains the version of the older bundle.
    SkipRange,
}

/// The set of edges that permit one update. If the set is empty, no edge permits the update.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Edges(u8);

// === impl Edge ===

impl Edge {
    pub const ALL: [Self; 3] = [Self::Replaces, Self::Skips, Self::SkipRange];

    fn bit(self) -> u8 {
        match self {
            Self::Replaces => 1,
            Self::Skips => 2,
            Self::SkipRange => 4,
        }
    }
}

// === impl Edges ===

impl Edges {
    pub const NONE: Self = Self(0);

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, edge: Edge) -> bool {
        self.0 & edge.bit() != 0
    }

    /// Returns true if an entry names the older bundle in `replaces` or `skips`, and not only by
    /// `skipRange`.
    pub fn is_named(self) -> bool {
        self.contains(Edge::Replaces) || self.contains(Edge::Skips)
    }

    /// Iterates over the edges, in the order of [`Edge`].
    pub fn iter(self) -> impl Iterator<Item = Edge> {
        Edge::ALL
            .into_iter()
            .filter(move |edge| self.contains(*edge))
    }

    /// Returns the edges in at least one of the two sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl From<Edge> for Edges {
    fn from(edge: Edge) -> Self {
        Self(edge.bit())
    }
}

impl fmt::Debug for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
