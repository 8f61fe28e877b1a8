//! Finds the bundles that match a destination.

use std::cmp::Reverse;

use portolan_core_names::{BundleName, Version, VersionRange};

use crate::graph::{Graph, Id};
use crate::path::ScopedQuery;
use crate::walk_start::Worth;
use crate::{Destination, Reason, Walk};

/// The bundles that match a destination.
#[derive(Debug)]
pub(crate) struct Aim {
    /// The matching bundles in the scope of the query, best first. If the installed bundle matches
    /// a destination other than a version or a name, the list contains only better bundles.
    candidates: Vec<Id>,
    choice: Choice,
    is_installed_meant: bool,
}

/// The candidates that may be the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Any candidate, so the nearest candidate is chosen. All candidates have the same version.
    Any,
    /// Only the best reachable candidate.
    BestReached,
    /// Only the best candidate. If it is unreachable, the query has no path.
    Best,
}

// === impl Aim ===

impl Aim {
    /// Resolves the destination of a query.
    ///
    /// # Errors
    ///
    /// Returns the reason if no bundle matches the destination.
    pub(crate) fn at(question: &ScopedQuery<'_>) -> Result<Self, Reason> {
        let ScopedQuery {
            graph,
            query,
            start,
            ..
        } = question;
        if let Some(reason) = graph.no_channels()
            && (query.walk == Walk::OlmV0 || !query.destination.may_mean_installed())
        {
            return Err(reason);
        }
        let is_aimless = graph.goal_channel(question.scope()).is_none();
        let needs_channel = query.destination == Destination::Head || query.walk == Walk::OlmV0;
        if is_aimless && needs_channel {
            let package = graph.package.name.clone();
            return Err(Reason::NoDefaultChannel { package });
        }
        let aim = match &query.destination {
            Destination::Version(version) => Self::version(question, version),
            Destination::Bundle(bundle) => Self::bundle(question, bundle),
            Destination::Range(range) => Self::range(question, range),
            Destination::Head => Self::heads(question),
            Destination::NewestPatch | Destination::NewestMinor => {
                if let Some(unknown) = start.unknown_version(graph) {
                    return Err(unknown);
                }
                Self::newest(question)
            }
        };
        aim.sorted(question)
    }

    fn version(question: &ScopedQuery<'_>, asked: &Version) -> Self {
        let installed = question.start.version;
        Self {
            candidates: offered(question),
            choice: Choice::Any,
            is_installed_meant: installed.is_some_and(|version| question.is_same(version, asked)),
        }
    }

    fn bundle(question: &ScopedQuery<'_>, asked: &BundleName) -> Self {
        Self {
            candidates: offered(question),
            choice: Choice::Any,
            is_installed_meant: question.query.installed.name == *asked,
        }
    }

    fn range(question: &ScopedQuery<'_>, range: &VersionRange) -> Self {
        Self {
            candidates: offered(question),
            choice: Choice::BestReached,
            is_installed_meant: question.start.version.is_some_and(|v| range.matches(v)),
        }
    }

    fn heads(question: &ScopedQuery<'_>) -> Self {
        let channel = question.graph.goal_channel(question.scope());
        let heads = channel.map(|at| question.graph.channels[at].heads.as_slice());
        let heads = heads.unwrap_or_default();
        let can_install = |at: &Id| question.graph.age(*at).is_some();
        Self {
            candidates: heads.iter().copied().filter(can_install).collect(),
            choice: Choice::BestReached,
            is_installed_meant: question.start.node.is_some_and(|at| heads.contains(&at)),
        }
    }

    fn newest(question: &ScopedQuery<'_>) -> Self {
        Self {
            candidates: offered(question),
            choice: Choice::Best,
            is_installed_meant: true,
        }
    }

    fn sorted(mut self, question: &ScopedQuery<'_>) -> Result<Self, Reason> {
        let ScopedQuery {
            graph,
            query,
            start,
            ..
        } = question;
        let worth = |at: &Id| Worth::of(graph, *at, start);
        self.candidates
            .sort_unstable_by_key(|at| Reverse(worth(at)));
        if let (Choice::BestReached, [], Some(channel)) = (
            self.choice,
            self.candidates.as_slice(),
            graph.goal_channel(question.scope()),
        ) && query.destination == Destination::Head
            && !self.is_installed_meant
        {
            let channel = graph.channels[channel].name.clone();
            return Err(Reason::NoHeadBundle { channel });
        }
        if self.is_installed_meant && self.choice != Choice::Any {
            let installed = start.worth(graph);
            self.candidates
                .retain(|at| graph.age(*at) > start.age && worth(at) > installed);
        }
        Ok(self)
    }

    pub(crate) fn is_there(&self, question: &ScopedQuery<'_>) -> bool {
        self.is_installed_meant
            && match self.choice {
                Choice::Any => true,
                Choice::BestReached => self.goals(question).is_empty(),
                Choice::Best => self.candidates.is_empty(),
            }
    }

    /// Returns the reachable candidates that may be the end of the path.
    pub(crate) fn goals(&self, question: &ScopedQuery<'_>) -> Vec<Id> {
        let ScopedQuery {
            query,
            start,
            reach,
            ..
        } = question;
        let allowed = |at: &Id| query.allow_downgrade || !question.is_below(*at);
        let is_reached = |at: &Id| reach.has(*at) && Some(*at) != start.node;
        let mut allowed = self.candidates.iter().copied().filter(allowed);
        match self.choice {
            Choice::Any => allowed.filter(is_reached).collect(),
            Choice::BestReached => allowed.find(is_reached).into_iter().collect(),
            Choice::Best => allowed.next().filter(is_reached).into_iter().collect(),
        }
    }

    /// Returns true if a candidate is reachable, even if the query does not permit a path to this
    /// candidate.
    pub(crate) fn is_reached(&self, question: &ScopedQuery<'_>) -> bool {
        self.candidates.iter().any(|at| question.reach.has(*at))
    }

    /// Returns the candidate for explanations and for a direct jump. This is the best candidate
    /// that is not a downgrade. If all candidates are downgrades, this is the best candidate.
    /// Returns None if no candidate exists.
    pub(crate) fn best(&self, question: &ScopedQuery<'_>) -> Option<Id> {
        let mut upwards = self.candidates.iter().filter(|at| !question.is_below(**at));
        upwards.next().or(self.candidates.first()).copied()
    }
}

/// Returns the entries in the scope of the query that match the destination.
fn offered(question: &ScopedQuery<'_>) -> Vec<Id> {
    let entries = question.graph.chart(question.scope()).entries.iter();
    entries
        .copied()
        .filter(|at| question.means(*at) && question.admits(*at))
        .collect()
}

/// Returns true if the destination is a version with build metadata, and a bundle of the package
/// has exactly this version and build metadata.
pub(crate) fn names_build(graph: &Graph, destination: &Destination) -> bool {
    let Destination::Version(asked) = destination else {
        return false;
    };
    let mut versions = graph.nodes.iter().filter_map(|node| node.version.as_ref());
    !asked.build().is_empty() && versions.any(|v| v == asked && v.build() == asked.build())
}

// === impl ScopedQuery ===

impl ScopedQuery<'_> {
    /// Returns true if a bundle matches the destination.
    pub(crate) fn means(&self, at: Id) -> bool {
        let node = self.graph.node(at);
        let Some(version) = &node.version else {
            return false;
        };
        let same = |installed: &&Version| installed.major() == version.major();
        let installed = self.start.version.filter(same);
        match &self.query.destination {
            Destination::Version(asked) => self.is_same(version, asked),
            Destination::Bundle(asked) => node.name == *asked,
            Destination::Range(range) => range.matches(version),
            Destination::Head => false,
            Destination::NewestPatch => installed.is_some_and(|v| v.minor() == version.minor()),
            Destination::NewestMinor => installed.is_some(),
        }
    }

    /// Returns true if two versions are equal. Build metadata is compared only if the package
    /// contains exactly the requested version.
    fn is_same(&self, version: &Version, asked: &Version) -> bool {
        version == asked && (!self.names_build || version.build() == asked.build())
    }

    /// Returns true if the bundle is a release. Returns true for a prerelease only if a prerelease
    /// is requested or installed.
    pub(crate) fn admits(&self, at: Id) -> bool {
        let asks = match &self.query.destination {
            Destination::Version(_) | Destination::Bundle(_) | Destination::Head => true,
            // A hyphen in the text of a range shows that the range contains a prerelease or build
            // metadata.
            Destination::Range(range) => range.as_str().contains('-'),
            Destination::NewestPatch | Destination::NewestMinor => false,
        };
        let version = self.graph.node(at).version.as_ref();
        asks || self.start.is_prerelease() || version.is_some_and(|v| !v.is_prerelease())
    }
}
