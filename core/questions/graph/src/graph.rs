//! The graph of one package.

pub(crate) mod channel;
pub(crate) mod chart;
mod faults;

use std::ops::Range;
use std::sync::Arc;

use portolan_core_catalog::{Bundle, Package};
use portolan_core_names::{BundleName, ChannelName, PackageName, Release, Version, VersionRange};
use thiserror::Error;

use crate::graph::channel::Channel;
use crate::graph::chart::Chart;
use crate::{ChannelFault, Edges, Reason};

/// The text of [`Node::deprecation`] for a bundle that OLM refuses and that has no deprecation
/// message.
const PROHIBITED: &str = "the property olm.deprecated of the bundle prevents the installation";

/// The index of a node in [`Graph::nodes`].
pub(crate) type Id = u32;

/// The rank of a bundle by version: a newer version has a greater number. The numbers of bundles
/// are odd. A version between two bundles gets the even number between their numbers.
pub(crate) type Age = u32;

/// The bundles of one package and the permitted updates between them, for each channel and for all
/// channels together.
///
/// A graph is built once from a package and is immutable. Bundles and channels are identified by
/// name.
#[derive(Debug)]
pub struct Graph {
    pub(crate) package: Arc<Package>,
    /// The nodes, newest first. Nodes of the same version are sorted by name. Nodes without a
    /// bundle come last. A lower index means a better node, and lists that are sorted by index are
    /// in display order.
    pub(crate) nodes: Vec<Node>,
    /// The ages of the nodes that have a version. These nodes are the first nodes in `nodes`.
    pub(crate) ages: Vec<Age>,
    by_name: Vec<Id>,
    pub(crate) channels: Vec<Channel>,
    /// The edges of all channels together. Empty if the package has exactly one channel, because
    /// the chart of that channel already contains all edges.
    union: Chart,
    faults: Vec<ChannelFault>,
}

/// A bundle of the package. Also a name in an entry if the catalog does not contain the bundle with
/// this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub name: BundleName,
    /// The version of the bundle. None if the catalog does not contain the bundle. Such a bundle
    /// cannot be installed.
    pub version: Option<Version>,
    /// The release of the bundle. The release comes from a separate field. If this field is
    /// missing, it comes from the build metadata of the version. None if both are missing.
    pub release: Option<Release>,
    /// The deprecation message of the author. If the bundle has the property `olm.deprecated` but
    /// no message, this field states that OLM refuses to install the bundle. Other programs can
    /// install such a bundle. None if the bundle is not deprecated.
    pub deprecation: Option<Arc<str>>,
}

/// An update that one channel permits from one bundle to another. [`Graph::updates`] lists all
/// updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update<'a> {
    pub channel: &'a ChannelName,
    /// The older bundle. The channel may lack this bundle.
    pub from: &'a Node,
    /// The newer bundle, which replaces the older bundle.
    pub to: &'a Node,
    /// The edges that permit the update. Never empty.
    pub edges: Edges,
}

/// A head of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub channel: ChannelName,
    pub bundle: BundleName,
    pub version: Option<Version>,
}

/// The error for a query about a channel that the package does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("package {package} has no channel {channel}; it has {}", list(known))]
pub struct UnknownChannel {
    pub package: PackageName,
    /// The requested channel.
    pub channel: ChannelName,
    pub known: Vec<ChannelName>,
}

/// The edges that a path may use: the edges of one channel, or of all channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    One(usize),
    All,
}

// === impl Node ===

impl Node {
    /// Returns the sort key: the version, and then the release. A node without a bundle has the
    /// lowest rank.
    fn rank(&self) -> Option<(&Version, Option<&Release>)> {
        let version = self.version.as_ref()?;
        Some((version, self.release.as_ref()))
    }
}

// === impl Graph ===

impl Graph {
    /// Builds the graph of a package.
    pub fn new(package: Arc<Package>) -> Self {
        let nodes = nodes(&package);
        let ages = ages(&nodes);
        let mut by_name: Vec<_> = (0..id(nodes.len())).collect();
        by_name.sort_unstable_by_key(|at| &nodes[*at as usize].name);
        let mut graph = Self {
            package: Arc::clone(&package),
            nodes,
            ages,
            by_name,
            channels: Vec::new(),
            union: Chart::default(),
            faults: Vec::new(),
        };
        let channels = package.channels.values();
        graph.channels = channels
            .map(|channel| Channel::new(&graph, channel))
            .collect();
        graph.union = match graph.channels.as_slice() {
            [_] => Chart::default(),
            none_or_several => Chart::union(graph.nodes.len(), none_or_several),
        };
        graph.faults = faults::find(&graph);
        graph
    }

    pub fn package(&self) -> &Package {
        &self.package
    }

    /// Returns the nodes: the bundles, newest first, and then the names of missing bundles.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Iterates over every permitted update of one channel or of all channels. The updates are
    /// sorted by channel, then by older bundle, then by newer bundle. The newest bundles come
    /// first.
    ///
    /// The updates are computed lazily, because skip ranges can result in one update for each pair
    /// of bundles. Call [`count_updates`](Self::count_updates) first to get the number of updates.
    pub fn updates(&self, channel: Option<&ChannelName>) -> impl Iterator<Item = Update<'_>> {
        self.shown(channel).flat_map(move |channel| {
            channel.chart.edges().map(move |(from, to, edges)| Update {
                channel: &channel.name,
                from: self.node(from),
                to: self.node(to),
                edges,
            })
        })
    }

    /// Returns the number of [`updates`](Self::updates).
    pub fn count_updates(&self, channel: Option<&ChannelName>) -> u64 {
        let channels = self.shown(channel);
        channels.map(|channel| channel.chart.count()).sum()
    }

    /// Returns the heads of all channels. The heads are grouped by channel, and newer heads come
    /// first.
    pub fn heads(&self) -> Vec<Head> {
        self.heads_in(Scope::All)
    }

    /// Returns the faults of all channels, sorted by channel. The worst faults of a channel come
    /// first.
    pub fn faults(&self) -> &[ChannelFault] {
        &self.faults
    }

    pub(crate) fn faults_in(&self, scope: Scope) -> impl Iterator<Item = &ChannelFault> {
        let asked = match scope {
            Scope::One(at) => Some(&self.channels[at].name),
            Scope::All => None,
        };
        let faults = self.faults.iter();
        faults.filter(move |fault| asked.is_none_or(|asked| asked == fault.channel()))
    }

    fn shown(&self, channel: Option<&ChannelName>) -> impl Iterator<Item = &Channel> {
        let channels = self.channels.iter();
        channels.filter(move |each| channel.is_none_or(|asked| each.name == *asked))
    }

    pub(crate) fn heads_in(&self, scope: Scope) -> Vec<Head> {
        let channels = self.channels_in(scope).iter();
        let heads = channels.flat_map(|channel| channel.heads.iter().map(move |at| (channel, *at)));
        heads
            .map(|(channel, at)| Head {
                channel: channel.name.clone(),
                bundle: self.node(at).name.clone(),
                version: self.node(at).version.clone(),
            })
            .collect()
    }

    pub(crate) fn scope(&self, channel: Option<&ChannelName>) -> Result<Scope, UnknownChannel> {
        let Some(name) = channel else {
            return Ok(Scope::All);
        };
        let found = self
            .channels
            .binary_search_by_key(&name, |channel| &channel.name);
        found.map(Scope::One).map_err(|_| UnknownChannel {
            package: self.package.name.clone(),
            channel: name.clone(),
            known: self.package.channels.keys().cloned().collect(),
        })
    }

    /// Returns the channel whose head is the goal of a path in `scope`. If the scope contains all
    /// channels, this is the default channel or, without a default channel, the only channel.
    /// Returns None if neither exists.
    pub(crate) fn goal_channel(&self, scope: Scope) -> Option<usize> {
        match (scope, &self.package.default_channel) {
            (Scope::One(at), _) => Some(at),
            (Scope::All, Some(name)) => {
                let by_name = |channel: &Channel| channel.name.cmp(name);
                self.channels.binary_search_by(by_name).ok()
            }
            (Scope::All, None) => (self.channels.len() == 1).then_some(0),
        }
    }

    pub(crate) fn channels_in(&self, scope: Scope) -> &[Channel] {
        match scope {
            Scope::One(at) => &self.channels[at..=at],
            Scope::All => &self.channels,
        }
    }

    /// Returns the reason why queries about a package without channels have no result. Returns None
    /// if the package has channels.
    pub(crate) fn no_channels(&self) -> Option<Reason> {
        let package = &self.package.name;
        self.channels.is_empty().then(|| Reason::NoChannel {
            package: package.clone(),
        })
    }

    pub(crate) fn chart(&self, scope: Scope) -> &Chart {
        match (scope, self.channels.as_slice()) {
            (Scope::One(at), channels) => &channels[at].chart,
            (Scope::All, [only]) => &only.chart,
            (Scope::All, _) => &self.union,
        }
    }

    pub(crate) fn node(&self, at: Id) -> &Node {
        &self.nodes[at as usize]
    }

    pub(crate) fn age(&self, at: Id) -> Option<Age> {
        self.ages.get(at as usize).copied()
    }

    /// Returns the nodes that can be installed, because the catalog contains their bundles.
    pub(crate) fn installable(&self) -> Range<Id> {
        0..id(self.ages.len())
    }

    /// Returns true if the catalog contains the bundle and OLM does not refuse to install it.
    pub(crate) fn is_offered(&self, at: Id) -> bool {
        let bundle = self.package.bundles.get(&self.node(at).name);
        bundle.is_some_and(|bundle| !bundle.is_prohibited)
    }

    /// Returns the skip range of an entry. Returns None if the entry has no skip range.
    pub(crate) fn range(&self, channel: &Channel, at: Id) -> Option<&VersionRange> {
        let entries = &self.package.channels[&channel.name].entries;
        entries.get(&self.node(at).name)?.skip_range.as_ref()
    }

    pub(crate) fn find(&self, name: &BundleName) -> Option<Id> {
        let by_name = |at: &Id| self.node(*at).name.cmp(name);
        let place = self.by_name.binary_search_by(by_name).ok()?;
        Some(self.by_name[place])
    }

    /// Returns the age of a version, even if no bundle has this version.
    pub(crate) fn age_of(&self, version: &Version) -> Age {
        let release = version.build_as_release();
        let rank = Some((version, release.as_ref()));
        let newer = self.nodes.partition_point(|node| node.rank() > rank);
        match (self.nodes.get(newer), self.ages.get(newer)) {
            (Some(node), Some(age)) if node.rank() == rank => *age,
            (_, Some(age)) => age + 1,
            (_, None) => 0,
        }
    }

    /// Returns the index of the first bundle that has this age or is older.
    pub(crate) fn as_old_as(&self, age: Age) -> Id {
        id(self.ages.partition_point(|other| *other > age))
    }

    /// Returns the index of the first bundle that is older than this age.
    pub(crate) fn older_than(&self, age: Age) -> Id {
        id(self.ages.partition_point(|other| *other >= age))
    }

    /// Iterates over the bundles whose versions are in a range. The result consists of ranges of
    /// node indexes, newest first.
    pub(crate) fn places(&self, range: &VersionRange) -> impl Iterator<Item = Range<Id>> {
        let bundles = &self.nodes[..self.ages.len()];
        let from = |version: &Version| {
            id(bundles.partition_point(|node| node.version.as_ref() >= Some(version)))
        };
        let spans = range.spans().rev();
        spans.map(move |(lowest, until)| until.map_or(0, from)..from(lowest))
    }

    /// Returns the channels that have an entry for a bundle.
    pub(crate) fn channels_of(&self, at: Id) -> Vec<ChannelName> {
        let having = self.channels.iter().filter(|channel| channel.chart.has(at));
        having.map(|channel| channel.name.clone()).collect()
    }
}

/// Returns a node for every bundle, every entry, and every name in an entry. The order is the order
/// of [`Graph::nodes`].
fn nodes(package: &Package) -> Vec<Node> {
    let mut names: Vec<&BundleName> = package.bundles.keys().collect();
    for entry in package
        .channels
        .values()
        .flat_map(|channel| channel.entries.values())
    {
        names.push(&entry.name);
        names.extend(entry.replaces.iter().chain(&entry.skips));
    }
    names.sort_unstable();
    names.dedup();
    let mut nodes: Vec<_> = names.into_iter().map(|name| node(package, name)).collect();
    // The sort is stable, so nodes of equal rank stay in the order of their names.
    nodes.sort_by(|a, b| b.rank().cmp(&a.rank()));
    nodes
}

fn node(package: &Package, name: &BundleName) -> Node {
    let bundle = package.bundles.get(name);
    let advice = package.deprecations.bundles.get(name).cloned();
    let is_prohibited = bundle.is_some_and(|bundle| bundle.is_prohibited);
    Node {
        name: name.clone(),
        version: bundle.map(|bundle| bundle.version.clone()),
        release: bundle.and_then(|bundle| release(bundle)),
        deprecation: advice.or_else(|| is_prohibited.then(|| PROHIBITED.into())),
    }
}

fn ages(nodes: &[Node]) -> Vec<Age> {
    let bundles = nodes.partition_point(|node| node.version.is_some());
    let mut ages = vec![1; bundles];
    for at in (1..bundles).rev() {
        let is_newer = nodes[at - 1].rank() > nodes[at].rank();
        ages[at - 1] = ages[at] + if is_newer { 2 } else { 0 };
    }
    ages
}

/// Returns the release of a bundle. Returns None if the bundle has no release. Older bundles
/// contain the release in the build metadata of their version.
fn release(bundle: &Bundle) -> Option<Release> {
    let written = bundle.release.clone();
    written.or_else(|| bundle.version.build_as_release())
}

pub(crate) fn id(at: usize) -> Id {
    Id::try_from(at).expect("a package must have fewer bundles than fit into memory")
}

fn list(names: &[ChannelName]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names
            .iter()
            .map(ChannelName::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The minimum number of numbers in an unknown name that count as a version.
const VERSION: usize = 3;

// === impl Graph ===

impl Graph {
    /// Returns the bundle that a user probably meant with an unknown name. This bundle has the same
    /// numbers in its name. If the unknown name has at least three numbers, it is sufficient that
    /// the bundle's name ends with these numbers. Returns None if the name is known, or if no
    /// bundle is similar.
    ///
    /// Different numbers do not count as a typo. Therefore the next version is not suggested for an
    /// installed bundle that was removed from the catalog.
    pub fn nearest(&self, asked: &BundleName) -> Option<&BundleName> {
        if self.find(asked).is_some() {
            return None;
        }
        let numbers: Vec<_> = numbers(asked.as_str()).collect();
        let names = self.nodes[..self.ages.len()].iter().map(|node| &node.name);
        let meant = names.filter(|name| is_meant(&numbers, name.as_str()));
        meant.min_by_key(|name| {
            (
                strsim::damerau_levenshtein(asked.as_str(), name.as_str()),
                *name,
            )
        })
    }
}

fn is_meant(asked: &[&str], name: &str) -> bool {
    let known: Vec<_> = numbers(name).collect();
    match asked.len() {
        0 => false,
        VERSION.. => known.ends_with(asked),
        _ => known == asked,
    }
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter(|part| !part.is_empty())
}
