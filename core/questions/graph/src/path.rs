//! Finds the path from an installed bundle to a destination.

use std::fmt;

use portolan_core_names::{BundleName, ChannelName, Version, VersionRange};

use crate::graph::{Graph, Id, Scope, UnknownChannel};
use crate::path::aim::Aim;
use crate::path::search::BlockageSearch;
use crate::reach::{At, Reach};
use crate::walk_start::WalkStart;
use crate::{Blockage, Installed, Node, Permit};

mod aim;
pub(crate) mod blockage;
pub(crate) mod search;

/// A query for a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub installed: Installed,
    pub destination: Destination,
    /// The only channel that the path may use. None if the path may use all channels.
    pub channel: Option<ChannelName>,
    pub walk: Walk,
    /// True to permit a destination that is older than the installed bundle.
    pub allow_downgrade: bool,
    /// True to permit a direct jump to the destination if no path leads to it. The catalog has no
    /// edge for such a jump, so its authors do not support it.
    pub allow_unconnected: bool,
}

/// The destination of a path. If several bundles match, the best bundle is chosen: bundles that are
/// not deprecated come first. Then releases come before prereleases, unless a prerelease is
/// installed. Then the newest version comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A bundle with this version. Build metadata is ignored, unless a bundle of the package has
    /// exactly the same version and build metadata.
    Version(Version),
    /// The bundle with this name. Another bundle with the same version does not match.
    Bundle(BundleName),
    /// The best reachable bundle in this version range. This may be the installed bundle.
    /// Prereleases match only if a prerelease is installed, or if the range contains a prerelease.
    Range(VersionRange),
    /// The best reachable head of the requested channel or, if no channel is requested, of the
    /// default channel.
    Head,
    /// The best bundle with the same major and minor version as the installed bundle. If this
    /// bundle is unreachable, the query has no path.
    NewestPatch,
    /// The best bundle with the same major version as the installed bundle. If this bundle is
    /// unreachable, the query has no path.
    NewestMinor,
}

/// The rule that selects the edges of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Walk {
    /// Any edge of the catalog, for users who upgrade in single steps.
    #[default]
    Catalog,
    /// At each step, the edge that OLM v0 selects without intervention: the edge to the successor
    /// that is nearest to the head. The path uses only one channel. This is the default channel
    /// unless the query names a channel.
    OlmV0,
}

/// The answer to a [`Query`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathAnswer {
    Reached(Path),
    AlreadyThere(Installed),
    Blocked(Box<Blockage>),
}

/// The complete path, with at least one hop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The hops in order. Each hop starts at the bundle at which the previous hop ends.
    pub hops: Vec<Hop>,
}

/// One update of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The bundle to which this hop leads.
    pub to: Node,
    /// The edges that permit the hop, by channel. Empty if only `allow_unconnected` permits the
    /// hop.
    pub permits: Vec<Permit>,
    pub is_downgrade: bool,
}

/// A query together with the graph, the start and the reachable bundles.
pub(crate) struct ScopedQuery<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) query: &'a Query,
    pub(crate) start: &'a WalkStart<'a>,
    pub(crate) reach: &'a Reach<'a>,
    /// True if the destination is a version whose build metadata must match.
    names_build: bool,
}

// === impl Query ===

impl Query {
    /// Returns a query with default options: all channels and any edge are permitted, and
    /// downgrades and unconnected jumps are not permitted.
    pub fn new(installed: Installed, destination: Destination) -> Self {
        Self {
            installed,
            destination,
            channel: None,
            walk: Walk::default(),
            allow_downgrade: false,
            allow_unconnected: false,
        }
    }
}

// === impl Walk ===

impl Walk {
    pub(crate) fn is_olm(self) -> bool {
        match self {
            Self::OlmV0 => true,
            Self::Catalog => false,
        }
    }
}

// === impl Destination ===

impl Destination {
    /// Returns true if the installed bundle itself may match the destination, regardless of the
    /// content of the channels.
    pub(crate) fn may_mean_installed(&self) -> bool {
        match self {
            Self::Version(_) | Self::Bundle(_) | Self::Range(_) => true,
            Self::Head | Self::NewestPatch | Self::NewestMinor => false,
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "version {version}"),
            Self::Bundle(bundle) => write!(f, "bundle {bundle}"),
            Self::Range(range) => write!(f, "version in {range}"),
            Self::Head => f.write_str("head"),
            Self::NewestPatch => f.write_str("the newest patch version"),
            Self::NewestMinor => f.write_str("the newest minor version"),
        }
    }
}

// === impl Graph ===

impl Graph {
    /// Finds the best path. The best path has the fewest hops, then the fewest deprecated bundles,
    /// then the highest version at each step.
    ///
    /// The path uses edges from `replaces` and `skips` even if they are downgrades. Edges of a skip
    /// range always lead to a newer version.
    ///
    /// # Errors
    ///
    /// Returns an error if the package does not have the requested channel.
    pub fn find_path(&self, query: &Query) -> Result<PathAnswer, UnknownChannel> {
        let scope = self.scope(query.channel.as_ref())?;
        let start = WalkStart::new(self, &query.installed);
        let reach = match (query.walk, self.goal_channel(scope)) {
            (Walk::OlmV0, Some(channel)) => Reach::as_olm(self, &start, channel),
            (Walk::OlmV0, None) | (Walk::Catalog, _) => Reach::over(self, &start, scope),
        };
        Ok(ScopedQuery::new(self, query, &start, &reach).answer())
    }
}

// === impl ScopedQuery ===

impl<'a> ScopedQuery<'a> {
    pub(crate) fn new(
        graph: &'a Graph,
        query: &'a Query,
        start: &'a WalkStart<'a>,
        reach: &'a Reach<'a>,
    ) -> Self {
        Self {
            graph,
            query,
            start,
            reach,
            names_build: aim::names_build(graph, &query.destination),
        }
    }

    pub(crate) fn answer(&self) -> PathAnswer {
        let aim = match Aim::at(self) {
            Ok(aim) => aim,
            Err(reason) => {
                return PathAnswer::Blocked(Box::new(BlockageSearch::new(self).aimless(reason)));
            }
        };
        if aim.is_there(self) {
            return PathAnswer::AlreadyThere(self.installed());
        }
        let goals = aim.goals(self);
        if !goals.is_empty() {
            return PathAnswer::Reached(self.path(&goals));
        }
        match aim.best(self) {
            Some(best) if self.is_below(best) && !self.query.allow_downgrade => {
                PathAnswer::Blocked(Box::new(
                    BlockageSearch::new(self).below(best, aim.is_reached(self)),
                ))
            }
            Some(best) if self.query.allow_unconnected => PathAnswer::Reached(self.jump(best)),
            Some(best) => PathAnswer::Blocked(Box::new(BlockageSearch::new(self).missed(best))),
            None => PathAnswer::Blocked(Box::new(BlockageSearch::new(self).unoffered())),
        }
    }

    pub(crate) fn is_below(&self, at: Id) -> bool {
        self.graph
            .age(at)
            .is_some_and(|age| Some(age) < self.start.age)
    }

    pub(crate) fn scope(&self) -> Scope {
        self.reach.scope
    }

    fn installed(&self) -> Installed {
        Installed {
            name: self.query.installed.name.clone(),
            version: self.start.version.cloned(),
        }
    }

    fn path(&self, goals: &[Id]) -> Path {
        let mut hops = Vec::new();
        let (mut from, mut age) = (At::WalkStart, self.start.age);
        for at in self.reach.path(goals) {
            hops.push(Hop {
                to: self.graph.node(at).clone(),
                permits: self
                    .reach
                    .permits(from, at)
                    .into_iter()
                    .map(Permit::of)
                    .collect(),
                is_downgrade: age.is_some() && self.graph.age(at) < age,
            });
            (from, age) = (At::Node(at), self.graph.age(at));
        }
        Path { hops }
    }

    fn jump(&self, to: Id) -> Path {
        let hop = Hop {
            to: self.graph.node(to).clone(),
            permits: Vec::new(),
            is_downgrade: self.is_below(to),
        };
        Path { hops: vec![hop] }
    }
}
