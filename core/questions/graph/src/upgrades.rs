//! Lists the upgrades of an installed bundle.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{BundleName, ChannelName, Version};

use crate::graph::channel::Channel;
use crate::graph::{Graph, Head, Id, Scope, UnknownChannel};
use crate::path::ScopedQuery;
use crate::path::search::BlockageSearch;
use crate::reach::{At, Reach};
use crate::walk_start::WalkStart;
use crate::{Blockage, ChannelFault, Destination, Edges, Node, PathAnswer, Query, Reason};

/// An installed bundle. The catalog may lack this bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub name: BundleName,
    /// The version of the bundle, if the caller knows the version. None otherwise.
    pub version: Option<Version>,
}

/// The possible upgrades of an installed bundle in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upgrades {
    /// The version of the installed bundle, from the catalog or the query.
    pub installed_version: Option<Version>,
    /// The channels of the package that contain the installed bundle. The list includes channels
    /// that the query excludes.
    pub installed_in: Vec<ChannelName>,
    /// The bundles that one permitted update can reach, highest version first.
    pub successors: Vec<Successor>,
    /// The bundles that any number of updates can reach, highest version first.
    pub reachable: Vec<Reachable>,
    /// The newer bundles that are unreachable, highest version first. Prereleases are included only
    /// if a prerelease is installed.
    pub unreachable: Vec<Unreachable>,
    /// The heads of the examined channels. The heads are grouped by channel, and the highest
    /// version comes first.
    pub heads: Vec<Head>,
    /// The channel whose head is the goal of the recommended upgrade. This is the requested channel
    /// or, for all channels, the default channel. None if no such channel exists.
    pub towards: Option<ChannelName>,
    /// The recommended next bundle, which is the first hop of the path to the head of channel
    /// `towards`. None if no upgrade is recommended.
    pub recommended: Option<BundleName>,
    /// The reasons why no upgrade exists, or why no upgrade is recommended.
    pub reasons: Vec<Reason>,
    /// The faults of the examined channels.
    pub faults: Vec<ChannelFault>,
}

/// A bundle that one permitted update can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    /// The bundle to upgrade to.
    pub bundle: Node,
    /// The edges that permit the update, by channel. Never empty.
    pub permits: Vec<Permit>,
    pub is_downgrade: bool,
}

/// The edges with which one channel permits an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    pub channel: ChannelName,
    /// The edges. Never empty.
    pub edges: Edges,
}

/// A bundle that any number of updates can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachable {
    pub bundle: Node,
    /// The number of hops of the shortest path.
    pub hops: u32,
}

/// A newer bundle that no path reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreachable {
    pub bundle: Node,
    /// The channels of the package that contain the bundle. Empty if no channel contains the
    /// bundle.
    pub channels: Vec<ChannelName>,
    pub blockage: Blockage,
}

// === impl Permit ===

impl Permit {
    pub(crate) fn of((channel, edges): (&Channel, Edges)) -> Self {
        Self {
            channel: channel.name.clone(),
            edges,
        }
    }
}

// === impl Graph ===

impl Graph {
    /// Lists the bundles that are reachable from `installed`, in one channel or in all channels.
    ///
    /// # Errors
    ///
    /// Returns an error if the package does not have the requested channel.
    pub fn list_upgrades(
        &self,
        installed: &Installed,
        channel: Option<&ChannelName>,
    ) -> Result<Upgrades, UnknownChannel> {
        let query = Query {
            channel: channel.cloned(),
            ..Query::new(installed.clone(), Destination::Head)
        };
        let scope = self.scope(channel)?;
        let start = WalkStart::new(self, installed);
        let reach = Reach::over(self, &start, scope);
        let question = ScopedQuery::new(self, &query, &start, &reach);
        let to_head = question.answer();
        let listing = Listing {
            graph: self,
            start: &start,
            reach: &reach,
        };
        let successors = listing.successors();
        let recommended = match &to_head {
            PathAnswer::Reached(path) => path.hops.first().map(|hop| hop.to.name.clone()),
            PathAnswer::AlreadyThere(_) | PathAnswer::Blocked(_) => None,
        };
        Ok(Upgrades {
            installed_version: start.version.cloned(),
            installed_in: start
                .node
                .map(|at| self.channels_of(at))
                .unwrap_or_default(),
            reachable: listing.reachable(),
            unreachable: listing.unreachable(&question),
            heads: self.heads_in(scope),
            towards: self
                .goal_channel(scope)
                .map(|at| self.channels[at].name.clone()),
            recommended,
            reasons: listing.reasons(&successors, to_head),
            faults: self.errors_in(scope, &successors),
            successors,
        })
    }

    /// Lists the bundles to which `installed` can be upgraded in one step, newest first. Each
    /// bundle has the edges that permit the upgrade. Uses the given channels, or all channels if no
    /// channel is given.
    ///
    /// # Errors
    ///
    /// Returns an error if the package does not have one of the given channels.
    pub fn updates_from(
        &self,
        installed: &Installed,
        channels: &BTreeSet<ChannelName>,
    ) -> Result<Vec<(&Node, Edges)>, UnknownChannel> {
        let start = WalkStart::new(self, installed);
        let mut updates: BTreeMap<Id, Edges> = BTreeMap::new();
        let named: Result<Vec<_>, _> = channels.iter().map(|name| self.scope(Some(name))).collect();
        let scopes = match named?.as_slice() {
            [] => vec![Scope::All],
            named => named.to_vec(),
        };
        for channel in scopes.iter().flat_map(|scope| self.channels_in(*scope)) {
            for (to, edges) in start.links(self, channel) {
                let all = updates.entry(to).or_default();
                *all = all.union(edges);
            }
        }
        let installable = updates.into_iter();
        let installable = installable.filter(|(to, _)| self.age(*to).is_some());
        Ok(installable
            .map(|(to, edges)| (self.node(to), edges))
            .collect())
    }

    /// Returns the faults that affect an answer. These are errors of the channels, and successors
    /// whose bundles are missing in the catalog.
    fn errors_in(&self, scope: Scope, successors: &[Successor]) -> Vec<ChannelFault> {
        let successors: BTreeSet<_> = successors.iter().map(|s| &s.bundle.name).collect();
        let concerns = |fault: &&ChannelFault| match fault.missing_bundle() {
            Some(entry) => successors.contains(entry),
            None => fault.is_error(),
        };
        self.faults_in(scope).filter(concerns).cloned().collect()
    }
}

/// The data for one answer about upgrades.
struct Listing<'a> {
    graph: &'a Graph,
    start: &'a WalkStart<'a>,
    reach: &'a Reach<'a>,
}

// === impl Listing ===

impl Listing<'_> {
    fn successors(&self) -> Vec<Successor> {
        let is_lower = |at: Id| {
            self.graph
                .age(at)
                .is_some_and(|age| Some(age) < self.start.age)
        };
        let successor = |(at, _)| Successor {
            bundle: self.graph.node(at).clone(),
            permits: self
                .reach
                .permits(At::WalkStart, at)
                .into_iter()
                .map(Permit::of)
                .collect(),
            is_downgrade: is_lower(at),
        };
        self.reach.first().map(successor).collect()
    }

    fn reachable(&self) -> Vec<Reachable> {
        let reached = self.reach.newest_first().into_iter();
        let reachable = reached.map(|at| Reachable {
            bundle: self.graph.node(at).clone(),
            hops: self.reach.hops_to(at),
        });
        reachable.collect()
    }

    /// Returns the unreachable newer bundles. Empty if the version of the installed bundle is
    /// unknown.
    fn unreachable(&self, question: &ScopedQuery<'_>) -> Vec<Unreachable> {
        let Some(age) = self.start.age else {
            return Vec::new();
        };
        let is_release = |at: &Id| {
            let version = self.graph.node(*at).version.as_ref();
            self.start.is_prerelease() || version.is_some_and(|v| !v.is_prerelease())
        };
        let newer = self
            .graph
            .installable()
            .take_while(|at| self.graph.age(*at) > Some(age));
        let missed = newer.filter(|at| !self.reach.has(*at)).filter(is_release);
        let survey = BlockageSearch::new(question);
        missed
            .map(|at| Unreachable {
                bundle: self.graph.node(at).clone(),
                channels: self.graph.channels_of(at),
                blockage: self.blockage(&survey, at),
            })
            .collect()
    }

    /// Returns the reasons why one bundle is unreachable, as if the query had requested this
    /// bundle.
    fn blockage(&self, survey: &BlockageSearch<'_>, at: Id) -> Blockage {
        let mut blockage = survey.missed(at);
        if let Some(version) = &self.graph.node(at).version {
            blockage.destination = Destination::Version(version.clone());
        }
        blockage
    }

    fn reasons(&self, successors: &[Successor], to_head: PathAnswer) -> Vec<Reason> {
        if let Some(reason) = self.graph.no_channels() {
            return vec![reason];
        }
        let mut reasons = Vec::new();
        reasons.extend(self.start.unknown_version(self.graph));
        reasons.extend(self.ends(successors));
        if let (PathAnswer::Blocked(blockage), false) = (to_head, successors.is_empty()) {
            let news = blockage
                .reasons
                .into_iter()
                .filter(|reason| !reasons.contains(reason));
            let news: Vec<_> = news.collect();
            reasons.extend(news);
        }
        reasons
    }

    /// Returns the reasons why channels have no upgrade. If at least one channel has an upgrade,
    /// returns only the reasons of channels whose head is installed.
    fn ends(&self, successors: &[Successor]) -> Vec<Reason> {
        let installed = &self.start.installed.name;
        let permits = successors.iter().flat_map(|successor| &successor.permits);
        let leading: BTreeSet<_> = permits.map(|permit| &permit.channel).collect();
        let channels = self.graph.channels_in(self.reach.scope).iter();
        let ended = channels.filter(|channel| !leading.contains(&channel.name));
        let is_head = |channel: &&Channel| {
            let node = self.start.node;
            node.is_some_and(|at| channel.heads.contains(&at))
        };
        let (at_head, stuck): (Vec<_>, Vec<_>) = ended.partition(is_head);
        let mut reasons: Vec<_> = at_head
            .into_iter()
            .map(|channel| Reason::AtHead {
                installed: installed.clone(),
                channel: channel.name.clone(),
            })
            .collect();
        if successors.is_empty() && !stuck.is_empty() {
            reasons.push(Reason::NoSuccessor {
                installed: installed.clone(),
                channels: stuck.iter().map(|channel| channel.name.clone()).collect(),
            });
        }
        reasons
    }
}
