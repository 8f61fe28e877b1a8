//! Finds the faults of the channels of a graph.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use portolan_core_catalog as catalog;
use portolan_core_names::BundleName;

use crate::graph::channel::Channel;
use crate::graph::chart::Band;
use crate::graph::{Graph, Id, id};
use crate::{ChannelFault, Edge};

/// Returns the faults of all channels, sorted by channel. Errors, for which opm refuses a catalog,
/// come first.
pub(crate) fn find(graph: &Graph) -> Vec<ChannelFault> {
    let channels = graph.channels.iter().zip(graph.package.channels.values());
    channels
        .flat_map(|(channel, said)| {
            Search {
                graph,
                channel,
                said,
            }
            .all()
        })
        .collect()
}

/// A channel of the graph, with the same channel in the catalog.
struct Search<'a> {
    graph: &'a Graph,
    channel: &'a Channel,
    said: &'a catalog::Channel,
}

// === impl Search ===

impl Search<'_> {
    fn all(&self) -> Vec<ChannelFault> {
        let mut faults: Vec<_> = self.heads().into_iter().collect();
        faults.extend(self.cycles());
        faults.extend(self.stranded());
        faults.extend(self.missing_bundles());
        faults.extend(self.edges_down());
        faults.extend(self.low_head());
        faults.extend(self.idle_ranges());
        faults.extend(self.wide_ranges());
        faults.extend(self.forks());
        faults
    }

    fn heads(&self) -> Option<ChannelFault> {
        let channel = self.channel.name.clone();
        match self.channel.heads.as_slice() {
            [] => Some(ChannelFault::NoHead { channel }),
            [_] => None,
            heads => {
                let heads = self.names(heads.iter().copied());
                let astray = heads.iter().filter_map(|head| self.astray(head)).collect();
                Some(ChannelFault::SeveralHeads {
                    channel,
                    heads,
                    astray,
                })
            }
        }
    }

    /// Returns a head and the bundle that its `replaces` names, if the package does not contain
    /// this bundle. The name is then probably a typo. Returns None otherwise.
    fn astray(&self, head: &BundleName) -> Option<(BundleName, BundleName)> {
        let replaced = self.said.entries.get(head)?.replaces.as_ref()?;
        let package = &self.graph.package;
        let mut channels = package.channels.values();
        let is_known = package.bundles.contains_key(replaced)
            || channels.any(|channel| channel.entries.contains_key(replaced));
        (!is_known).then(|| (head.clone(), replaced.clone()))
    }

    /// Returns the cycles of entries. Ignores edges of skip ranges, because these edges never lead
    /// to an older version.
    fn cycles(&self) -> Vec<ChannelFault> {
        let alone = self.said.entries.values().filter(|entry| {
            entry.replaces.as_ref() == Some(&entry.name) || entry.skips.contains(&entry.name)
        });
        let mut circles: Vec<_> = self
            .circles()
            .into_iter()
            .map(|circle| self.names(circle))
            .chain(alone.map(|entry| vec![entry.name.clone()]))
            .collect();
        circles.sort();
        let fault = |bundles| ChannelFault::Cycle {
            channel: self.channel.name.clone(),
            bundles,
        };
        circles.into_iter().map(fault).collect()
    }

    /// Returns the cycles that have more than one entry.
    fn circles(&self) -> Vec<Vec<Id>> {
        let named = self.channel.chart.named().map(|(from, to, _)| (from, to));
        let named: Vec<_> = named.collect();
        // If all edges lead to lower indexes, the channel has no cycle. This is the case in nearly
        // all channels.
        if named.iter().all(|(from, to)| to < from) {
            return Vec::new();
        }
        // Kosaraju's algorithm is used because Tarjan's algorithm recurses for each entry of a
        // cycle. A long cycle could overflow the stack.
        let circles = kosaraju_scc(&DiGraph::<(), (), Id>::from_edges(named));
        let several = circles.into_iter().filter(|circle| circle.len() > 1);
        several
            .map(|circle| circle.into_iter().map(place).collect())
            .collect()
    }

    /// Returns the stranded entries, as opm finds them. opm follows `replaces` from the only head,
    /// and stops at the first skipped entry. Later entries are stranded, unless an entry skips
    /// them.
    fn stranded(&self) -> Option<ChannelFault> {
        let [head] = self.channel.heads.as_slice() else {
            return None;
        };
        let entries = &self.said.entries;
        let skipped: BTreeSet<_> = entries.values().flat_map(|entry| &entry.skips).collect();
        let mut walked = BTreeSet::new();
        let mut next = Some(&self.graph.node(*head).name);
        while let Some(name) = next.filter(|name| walked.insert(*name)) {
            let is_last = walked.len() > 1 && skipped.contains(name);
            let entry = entries.get(name).filter(|_| !is_last);
            next = entry.and_then(|entry| entry.replaces.as_ref());
        }
        let is_left = |name: &&BundleName| !walked.contains(name) && !skipped.contains(name);
        let bundles: Vec<_> = entries.keys().filter(is_left).cloned().collect();
        let channel = self.channel.name.clone();
        (!bundles.is_empty()).then_some(ChannelFault::Stranded { channel, bundles })
    }

    fn missing_bundles(&self) -> impl Iterator<Item = ChannelFault> {
        let bundles = &self.graph.package.bundles;
        let missing = self
            .said
            .entries
            .keys()
            .filter(|name| !bundles.contains_key(*name));
        missing.map(|entry| ChannelFault::NoBundle {
            channel: self.channel.name.clone(),
            entry: entry.clone(),
        })
    }

    fn forks(&self) -> impl Iterator<Item = ChannelFault> {
        let mut into: BTreeMap<&BundleName, Vec<BundleName>> = BTreeMap::new();
        for entry in self.said.entries.values() {
            if let Some(from) = entry.replaces.as_ref().filter(|from| **from != entry.name) {
                into.entry(from).or_default().push(entry.name.clone());
            }
        }
        let forks = into.into_iter().filter(|(_, into)| into.len() > 1);
        forks.map(|(from, into)| ChannelFault::Fork {
            channel: self.channel.name.clone(),
            from: from.clone(),
            into,
        })
    }

    fn edges_down(&self) -> impl Iterator<Item = ChannelFault> {
        // Edges of skip ranges never lead to an older version, so named edges are sufficient.
        let edges = self.channel.chart.named();
        let down = edges.filter(|(from, to, _)| {
            self.graph
                .age(*to)
                .is_some_and(|to| self.graph.age(*from).is_some_and(|from| to < from))
        });
        down.map(|(from, to, _)| ChannelFault::LeadsDown {
            channel: self.channel.name.clone(),
            from: self.graph.node(from).name.clone(),
            to: self.graph.node(to).name.clone(),
        })
    }

    fn low_head(&self) -> Option<ChannelFault> {
        let ([head], [highest, ..]) = (
            self.channel.heads.as_slice(),
            self.channel.chart.entries.as_slice(),
        ) else {
            return None;
        };
        let is_low = self.graph.age(*head)? < self.graph.age(*highest)?;
        is_low.then(|| ChannelFault::LowHead {
            channel: self.channel.name.clone(),
            head: self.graph.node(*head).name.clone(),
            highest: self.graph.node(*highest).name.clone(),
        })
    }

    /// Iterates over skip ranges that contain no entry of their channel. The author may have
    /// written such a range for another channel.
    fn idle_ranges(&self) -> impl Iterator<Item = ChannelFault> {
        let chart = &self.channel.chart;
        let mut is_used = vec![false; self.graph.nodes.len()];
        for (from, to, edges) in chart.named() {
            is_used[to as usize] |= edges.contains(Edge::SkipRange) && chart.has(from);
        }
        for Band { to, from } in chart.bands() {
            is_used[*to as usize] |= self.first_entry(from).is_some();
        }
        let places = self.said.entries.values().zip(&self.channel.places);
        places
            .filter(move |(_, at)| !is_used[**at as usize])
            .filter_map(|(entry, _)| {
                Some(ChannelFault::IdleRange {
                    channel: self.channel.name.clone(),
                    entry: entry.name.clone(),
                    range: entry.skip_range.clone()?,
                })
            })
    }

    /// Iterates over skip ranges that contain newer entries. OLM follows such a range to an older
    /// version. The graph has no edges for these downgrades.
    fn wide_ranges(&self) -> impl Iterator<Item = ChannelFault> {
        let places = self.said.entries.values().zip(&self.channel.places);
        places.filter_map(|(entry, at)| {
            let range = entry.skip_range.as_ref()?;
            let equal = self.graph.as_old_as(self.graph.age(*at)?);
            // The nodes are sorted from the newest to the oldest, so the first entry that is found
            // is the newest entry.
            let higher = self.graph.places(range);
            let mut higher = higher.map(|places| places.start..places.end.min(equal));
            let highest = higher.find_map(|places| self.first_entry(&places))?;
            Some(ChannelFault::WideRange {
                channel: self.channel.name.clone(),
                entry: entry.name.clone(),
                range: range.clone(),
                highest: self.graph.node(highest).name.clone(),
            })
        })
    }

    /// Returns the newest entry of the channel in this range of node indexes.
    fn first_entry(&self, places: &Range<Id>) -> Option<Id> {
        let entries = &self.channel.chart.entries;
        let next = entries.partition_point(|entry| *entry < places.start);
        entries
            .get(next)
            .copied()
            .filter(|entry| places.contains(entry))
    }

    fn names(&self, at: impl IntoIterator<Item = Id>) -> Vec<BundleName> {
        let mut names: Vec<_> = at
            .into_iter()
            .map(|at| self.graph.node(at).name.clone())
            .collect();
        names.sort();
        names
    }
}

fn place(node: NodeIndex<Id>) -> Id {
    id(node.index())
}
