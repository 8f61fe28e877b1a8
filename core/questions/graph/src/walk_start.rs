//! Finds the installed bundle in a graph.

use std::cmp::Reverse;

use portolan_core_names::Version;

use crate::graph::channel::Channel;
use crate::graph::{Age, Graph, Id};
use crate::{Edge, Edges, Installed, Reason};

/// The installed bundle at which a walk starts.
#[derive(Debug, Clone)]
pub(crate) struct WalkStart<'a> {
    pub(crate) installed: &'a Installed,
    /// The node of the installed bundle. None if no entry and no bundle of the package has its
    /// name.
    pub(crate) node: Option<Id>,
    /// The version of the installed bundle. The version in the catalog takes precedence over the
    /// version in the query.
    pub(crate) version: Option<&'a Version>,
    pub(crate) age: Option<Age>,
}

/// The key that ranks the bundles that match a destination. The best bundle has the greatest key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Worth {
    is_advised: bool,
    is_release: bool,
    age: Option<Age>,
    /// The node index. If all other values are equal, the lower index is preferred.
    place: Reverse<Id>,
}

// === impl WalkStart ===

impl<'a> WalkStart<'a> {
    pub(crate) fn new(graph: &'a Graph, installed: &'a Installed) -> Self {
        let node = graph.find(&installed.name);
        let catalogued = node.and_then(|at| graph.node(at).version.as_ref());
        let version = catalogued.or(installed.version.as_ref());
        Self {
            installed,
            node,
            version,
            age: version.map(|version| graph.age_of(version)),
        }
    }

    pub(crate) fn is_prerelease(&self) -> bool {
        self.version.is_some_and(Version::is_prerelease)
    }

    /// Returns the reason why skip ranges cannot be checked: the version of the installed bundle is
    /// unknown. Returns None if the version is known.
    pub(crate) fn unknown_version(&self, graph: &Graph) -> Option<Reason> {
        self.version.is_none().then(|| Reason::UnknownVersion {
            installed: self.installed.name.clone(),
            package: graph.package.name.clone(),
            near: graph.nearest(&self.installed.name).cloned(),
        })
    }

    /// Returns the rank of the installed bundle.
    pub(crate) fn worth(&self, graph: &Graph) -> Worth {
        let node = self.node.map(|at| graph.node(at));
        Worth {
            is_advised: node.is_none_or(|node| node.deprecation.is_none()),
            is_release: true,
            age: self.age,
            place: Reverse(0),
        }
    }

    pub(crate) fn is_catalogued(&self, graph: &Graph) -> bool {
        self.node.is_some_and(|at| graph.age(at).is_some())
    }

    /// Returns the edges from the installed bundle in one channel. If the catalog does not contain
    /// this bundle, skip ranges are compared with the version in the query.
    pub(crate) fn links(&self, graph: &Graph, channel: &Channel) -> Vec<(Id, Edges)> {
        let mut links: Vec<_> = match self.node {
            Some(at) => channel.chart.row(at).iter().collect(),
            None => Vec::new(),
        };
        let (Some(version), false) = (self.version, self.is_catalogued(graph)) else {
            return links;
        };
        let named = links.len();
        let entries = graph.package.channels[&channel.name].entries.values();
        for (entry, at) in entries.zip(&channel.places) {
            let range = entry.skip_range.as_ref();
            if Some(*at) == self.node || !range.is_some_and(|range| range.matches(version)) {
                continue;
            }
            match links[..named].binary_search_by_key(at, |(to, _)| *to) {
                Ok(place) => links[place].1 = links[place].1.union(Edge::SkipRange.into()),
                Err(_) if graph.age(*at) > self.age => links.push((*at, Edge::SkipRange.into())),
                Err(_) => {}
            }
        }
        links.sort_unstable_by_key(|(to, _)| *to);
        links
    }

    /// Returns the edges from the installed bundle to one bundle in one channel. Follows the same
    /// rules as [`links`](Self::links).
    pub(crate) fn edges_to(&self, graph: &Graph, channel: &Channel, to: Id) -> Edges {
        let row = self.node.map(|at| channel.chart.row(at));
        let edges = row.map_or(Edges::NONE, |row| row.edges_to(to));
        if self.is_catalogued(graph) || Some(to) == self.node {
            return edges;
        }
        let range = graph.range(channel, to).zip(self.version);
        let covers = range.is_some_and(|(range, version)| range.matches(version));
        if covers && (!edges.is_empty() || graph.age(to) > self.age) {
            edges.union(Edge::SkipRange.into())
        } else {
            edges
        }
    }
}

impl Worth {
    /// Returns the rank of a bundle. Prereleases rank below releases unless a prerelease is
    /// installed.
    pub(crate) fn of(graph: &Graph, at: Id, start: &WalkStart<'_>) -> Self {
        let node = graph.node(at);
        let is_prerelease = node.version.as_ref().is_some_and(Version::is_prerelease);
        Self {
            is_advised: node.deprecation.is_none(),
            is_release: start.is_prerelease() || !is_prerelease,
            age: graph.age(at),
            place: Reverse(at),
        }
    }
}
