//! Calculates the upgrades from an installed bundle in the catalogs of OLM v1.

use std::collections::BTreeSet;

use portolan_core_forecast::AllowedVersions;
use portolan_core_graph::{Graph, Installed, Node};
use portolan_core_names::{BundleName, ChannelName, Version};
use portolan_core_olm::ClusterExtension;

use crate::own::ServedPackage;

/// The maximum number of upgrades that a prediction contains.
const MOST_STEPS: usize = 10;
/// The maximum number of characters in `spec.source.catalog.version`.
const LONGEST_VERSION: usize = 64;

/// The upgrades from an installed bundle in one catalog.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    /// The name of the ClusterCatalog.
    pub(super) catalog: &'a str,
    /// The versions to which a channel of the ClusterExtension permits a direct upgrade, in
    /// ascending order.
    pub(super) successors: Vec<Version>,
    /// The versions on the shortest upgrade path to a requested version, in order. Empty if no path
    /// exists.
    pub(super) way: Vec<Version>,
    /// The shortest path if OLM v1 uses all channels of the package. Empty if no path exists, or if
    /// the ClusterExtension already uses all channels.
    pub(super) way_of_all_channels: Vec<Version>,
    /// A version range with which OLM v1 can follow the path. None if no such range is needed or
    /// known.
    pub(super) wider: Option<WiderRange>,
    /// The newest requested version in the catalog, even if no path reaches it.
    pub(super) newest: Option<Version>,
}

/// A version range for `spec.source.catalog.version` with which OLM v1 makes progress towards a
/// requested version.
#[derive(Debug)]
pub(super) struct WiderRange {
    pub(super) range: String,
    /// True if the range also contains the requested versions. False if the range contains only the
    /// next version, because the complete range would be too long.
    pub(super) is_complete: bool,
    /// The versions to which OLM v1 then upgrades, in order.
    pub(super) upgrades: Vec<Version>,
}

/// The versions that a ClusterExtension requests.
#[derive(Debug)]
struct Requested {
    allowed: AllowedVersions,
    /// Versions that are added to the allowed range.
    others: Vec<Version>,
}

/// A search for upgrades.
#[derive(Debug, Clone, Copy)]
struct Search<'a> {
    graph: &'a Graph,
    /// The channels to use. Empty for all channels.
    channels: &'a BTreeSet<ChannelName>,
}

// === impl Steps ===

impl<'a> Steps<'a> {
    /// Calculates the upgrades from the installed bundle of a ClusterExtension. Returns None if no
    /// bundle is installed, or if the bundle, a channel or the version range cannot be parsed.
    pub(super) fn of(extension: &ClusterExtension, served: &'a ServedPackage) -> Option<Self> {
        let package = &extension.spec.source.catalog;
        let bundle = &extension.status.install.as_ref()?.bundle;
        let installed = Installed {
            name: BundleName::parse(&bundle.name).ok()?,
            version: Version::parse(&bundle.version).ok(),
        };
        let requested = Requested::parse(&package.version)?;
        let channels = package.channels.iter();
        let channels = channels.map(|name| ChannelName::parse(name).ok());
        let channels: BTreeSet<_> = channels.collect::<Option<_>>()?;
        let graph = served.package.graph();
        let search = Search {
            graph,
            channels: &channels,
        };
        let all = Search {
            graph,
            channels: &BTreeSet::new(),
        };
        let way = search.way(&installed, &requested);
        let way_of_all_channels = if channels.is_empty() {
            Vec::new()
        } else {
            all.way(&installed, &requested)
        };
        let mut successors = versions(&search.updates(&installed));
        successors.sort();
        successors.dedup();
        let admitted = graph.package().bundles.values();
        let admitted = admitted.map(|bundle| &bundle.version);
        let newest = admitted.filter(|it| requested.admits(it)).max().cloned();
        Some(Self {
            catalog: &served.catalog,
            successors,
            wider: search.wider(&installed, &way, (&package.version, requested)),
            way: versions(&way),
            way_of_all_channels: versions(&way_of_all_channels),
            newest,
        })
    }

    /// Returns a value that compares the results of several catalogs. A catalog with a path to a
    /// requested version is best. A catalog with any upgrade is second.
    pub(super) fn worth(&self) -> (bool, bool) {
        (!self.way.is_empty(), !self.successors.is_empty())
    }
}

fn versions(nodes: &[Node]) -> Vec<Version> {
    nodes.iter().filter_map(|it| it.version.clone()).collect()
}

// === impl Requested ===

impl Requested {
    /// Parses the versions in `spec.source.catalog.version`. Returns None for an invalid text.
    fn parse(text: &str) -> Option<Self> {
        Some(Self {
            allowed: AllowedVersions::parse(text).ok()?,
            others: Vec::new(),
        })
    }

    /// Returns true if the ClusterExtension allows an upgrade to this version.
    fn admits(&self, version: &Version) -> bool {
        self.allowed.allow(version) || self.others.contains(version)
    }
}

// === impl Search ===

impl Search<'_> {
    /// Returns the newer bundles to which OLM v1 can directly upgrade a bundle. The bundle that OLM
    /// v1 prefers is first.
    fn updates(self, from: &Installed) -> Vec<Node> {
        let channels: Vec<BTreeSet<_>> = match self.channels.len() {
            0 => vec![BTreeSet::new()],
            // Each channel has its own search, because a search fails if the package does not
            // contain one of its channels.
            _ => self.channels.iter().map(|it| [it.clone()].into()).collect(),
        };
        let updates = channels.iter().flat_map(|channels| {
            let updates = self.graph.updates_from(from, channels);
            updates.unwrap_or_default()
        });
        let is_newer = |node: &&Node| node.version > from.version;
        let updates = updates.map(|(node, _)| node).filter(is_newer);
        let mut updates: Vec<_> = updates.cloned().collect();
        updates.sort_by(|a, b| preference(b).cmp(&preference(a)));
        updates.dedup_by(|a, b| a.name == b.name);
        updates
    }

    /// Returns the shortest upgrade path to a requested version. Empty if no path exists.
    fn way(self, installed: &Installed, requested: &Requested) -> Vec<Node> {
        let mut seen = BTreeSet::from([installed.name.clone()]);
        let mut border: Vec<Vec<Node>> = vec![Vec::new()];
        while !border.is_empty() {
            let mut next = Vec::new();
            for way in &border {
                let from = way.last().map_or_else(|| installed.clone(), to_installed);
                for node in self.updates(&from) {
                    if seen.insert(node.name.clone()) {
                        let mut way = way.clone();
                        way.push(node);
                        next.push(way);
                    }
                }
            }
            let is_goal = |way: &&Vec<Node>| {
                let version = way.last().and_then(|node| node.version.as_ref());
                version.is_some_and(|version| requested.admits(version))
            };
            let goals = next.iter().filter(is_goal);
            if let Some(best) = goals.max_by(|a, b| {
                let of = |way: &[Node]| way.last().map(preference_of);
                of(a).cmp(&of(b))
            }) {
                return best.clone();
            }
            border = next;
        }
        Vec::new()
    }

    /// Returns the version range with which OLM v1 follows this path. Returns None if the path
    /// needs no intermediate version. Also returns None if OLM v1, with this range, would not end
    /// at a requested version.
    fn wider(
        self,
        installed: &Installed,
        way: &[Node],
        (text, requested): (&str, Requested),
    ) -> Option<WiderRange> {
        let (_, between) = way.split_last()?;
        let between = versions(between);
        let first = between.first()?;
        let others = between.iter().map(|version| format!(" || {version}"));
        let range = format!("{text}{}", others.collect::<String>());
        if range.chars().count() > LONGEST_VERSION {
            return Some(WiderRange {
                range: first.to_string(),
                is_complete: false,
                upgrades: vec![first.clone()],
            });
        }
        let wider = Requested {
            others: between.clone(),
            ..requested
        };
        let upgrades = self.predicted(installed, &wider);
        let last = upgrades.last()?;
        let is_requested = !between.contains(last) && wider.admits(last);
        is_requested.then_some(WiderRange {
            range,
            is_complete: true,
            upgrades,
        })
    }

    /// Predicts the versions to which OLM v1 upgrades a bundle without further changes, in order.
    /// At each step, OLM v1 prefers bundles that are not deprecated, and then the highest version.
    fn predicted(self, installed: &Installed, requested: &Requested) -> Vec<Version> {
        let (mut from, mut upgrades) = (installed.clone(), Vec::new());
        while upgrades.len() < MOST_STEPS {
            let next = self.updates(&from).into_iter().find(|node| {
                let version = node.version.as_ref();
                version.is_some_and(|version| requested.admits(version))
            });
            let Some(next) = next else {
                break;
            };
            upgrades.extend(next.version.clone());
            from = to_installed(&next);
        }
        upgrades
    }
}

fn to_installed(node: &Node) -> Installed {
    Installed {
        name: node.name.clone(),
        version: node.version.clone(),
    }
}

/// Returns a value that is greater for bundles that OLM v1 prefers.
fn preference(node: &Node) -> (bool, Option<&Version>, &BundleName) {
    (
        node.deprecation.is_none(),
        node.version.as_ref(),
        &node.name,
    )
}

/// Returns the value of [`preference`] without the name of the bundle.
fn preference_of(node: &Node) -> (bool, Option<Version>) {
    (node.deprecation.is_none(), node.version.clone())
}
