//! Finds what is wrong with the channels of a graph.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::csr::Csr;
use portolan_catalog as catalog;
use portolan_names::BundleName;

use crate::graph::channel::Channel;
use crate::graph::{Graph, Id};
use crate::{Edge, Fault};

/// The faults of every channel: by channel, those that opm refuses first.
pub(crate) fn find(graph: &Graph) -> Vec<Fault> {
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

/// A channel, and what the catalog says about it.
struct Search<'a> {
    graph: &'a Graph,
    channel: &'a Channel,
    said: &'a catalog::Channel,
}

// === impl Search ===

impl Search<'_> {
    fn all(&self) -> Vec<Fault> {
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

    fn heads(&self) -> Option<Fault> {
        let channel = self.channel.name.clone();
        match self.channel.heads.as_slice() {
            [] => Some(Fault::NoHead { channel }),
            [_] => None,
            heads => {
                let heads = self.names(heads.iter().copied());
                Some(Fault::SeveralHeads { channel, heads })
            }
        }
    }

    /// The strongly connected entries, by what their authors named: a range never leads back.
    fn cycles(&self) -> Vec<Fault> {
        let named = self
            .channel
            .chart
            .edges()
            .filter(|(_, _, edges)| edges.is_named());
        let named: Vec<_> = named.map(|(from, to, _)| (from, to)).collect();
        let links = Csr::<(), ()>::from_sorted_edges(&named).expect("rows must be in order");
        let circles = tarjan_scc(&links)
            .into_iter()
            .filter(|circle| circle.len() > 1);
        let alone = self.said.entries.values().filter(|entry| {
            entry.replaces.as_ref() == Some(&entry.name) || entry.skips.contains(&entry.name)
        });
        let mut circles: Vec<_> = circles
            .map(|circle| self.names(circle))
            .chain(alone.map(|entry| vec![entry.name.clone()]))
            .collect();
        circles.sort();
        let fault = |bundles| Fault::Cycle {
            channel: self.channel.name.clone(),
            bundles,
        };
        circles.into_iter().map(fault).collect()
    }

    /// As opm finds them: its walk from the only head ends at the first skipped entry, so that
    /// what lies below one is stranded unless it is skipped itself.
    fn stranded(&self) -> Option<Fault> {
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
        (!bundles.is_empty()).then_some(Fault::Stranded { channel, bundles })
    }

    fn missing_bundles(&self) -> impl Iterator<Item = Fault> {
        let bundles = &self.graph.package.bundles;
        let missing = self
            .said
            .entries
            .keys()
            .filter(|name| !bundles.contains_key(*name));
        missing.map(|entry| Fault::NoBundle {
            channel: self.channel.name.clone(),
            entry: entry.clone(),
        })
    }

    fn forks(&self) -> impl Iterator<Item = Fault> {
        let mut into: BTreeMap<&BundleName, Vec<BundleName>> = BTreeMap::new();
        for entry in self.said.entries.values() {
            if let Some(from) = entry.replaces.as_ref().filter(|from| **from != entry.name) {
                into.entry(from).or_default().push(entry.name.clone());
            }
        }
        let forks = into.into_iter().filter(|(_, into)| into.len() > 1);
        forks.map(|(from, into)| Fault::Fork {
            channel: self.channel.name.clone(),
            from: from.clone(),
            into,
        })
    }

    fn edges_down(&self) -> impl Iterator<Item = Fault> {
        let edges = self.channel.chart.edges();
        let down = edges.filter(|(from, to, _)| {
            self.graph
                .age(*to)
                .is_some_and(|to| self.graph.age(*from).is_some_and(|from| to < from))
        });
        down.map(|(from, to, _)| Fault::LeadsDown {
            channel: self.channel.name.clone(),
            from: self.graph.node(from).name.clone(),
            to: self.graph.node(to).name.clone(),
        })
    }

    fn low_head(&self) -> Option<Fault> {
        let ([head], [highest, ..]) = (
            self.channel.heads.as_slice(),
            self.channel.chart.entries.as_slice(),
        ) else {
            return None;
        };
        let is_low = self.graph.age(*head)? < self.graph.age(*highest)?;
        is_low.then(|| Fault::LowHead {
            channel: self.channel.name.clone(),
            head: self.graph.node(*head).name.clone(),
            highest: self.graph.node(*highest).name.clone(),
        })
    }

    /// A range may be there for bundles of other channels; in its own it does nothing.
    fn idle_ranges(&self) -> impl Iterator<Item = Fault> {
        let chart = &self.channel.chart;
        let mut is_used = vec![false; self.graph.nodes.len()];
        for from in &chart.entries {
            for (to, edges) in chart.row(*from).iter() {
                is_used[to as usize] |= edges.contains(Edge::SkipRange);
            }
        }
        let places = self.said.entries.values().zip(&self.channel.places);
        places
            .filter(move |(_, at)| !is_used[**at as usize])
            .filter_map(|(entry, _)| {
                Some(Fault::IdleRange {
                    channel: self.channel.name.clone(),
                    entry: entry.name.clone(),
                    range: entry.skip_range.clone()?,
                })
            })
    }

    /// The graph has no edge for them, since nobody means to offer a way back; OLM has.
    fn wide_ranges(&self) -> impl Iterator<Item = Fault> {
        let places = self.said.entries.values().zip(&self.channel.places);
        places.filter_map(|(entry, at)| {
            let range = entry.skip_range.as_ref()?;
            let age = self.graph.age(*at)?;
            // In the order of the graph the highest comes first.
            let entries = self.channel.chart.entries.iter();
            let mut higher = entries.take_while(|other| self.graph.age(**other) > Some(age));
            let covers = |other: &&Id| {
                let version = self.graph.node(**other).version.as_ref();
                version.is_some_and(|version| range.matches(version))
            };
            let highest = higher.find(covers)?;
            Some(Fault::WideRange {
                channel: self.channel.name.clone(),
                entry: entry.name.clone(),
                range: range.clone(),
                highest: self.graph.node(*highest).name.clone(),
            })
        })
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
