//! Finds the bundles that are reachable from an installed bundle, with the number of hops.

use crate::graph::channel::{Channel, Choice};
use crate::graph::chart::Row;
use crate::graph::{Graph, Id, Scope};
use crate::walk_start::WalkStart;
use crate::{Edge, Edges};

const UNREACHED: u32 = u32::MAX;

/// The bundles that are reachable from the installed bundle. They are found by a breadth-first
/// search, or by following the choices of OLM.
#[derive(Debug)]
pub(crate) struct Reach<'a> {
    graph: &'a Graph,
    pub(crate) scope: Scope,
    start: &'a WalkStart<'a>,
    first: (Vec<Id>, Vec<Edges>),
    /// The number of hops to each node, by node index.
    hops: Vec<u32>,
    /// The reached bundles in the order in which they were found. The start is not included.
    order: Vec<Id>,
    /// True if the walk follows the choices of OLM. Each bundle then has at most one successor.
    is_olm: bool,
    /// The earlier bundle to which OLM returns if its choices form a cycle. None if they form no
    /// cycle.
    back: Option<Id>,
}

/// The bundle at which a hop starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    WalkStart,
    Node(Id),
}

impl<'a> Reach<'a> {
    /// Finds all bundles that any edges of the scope reach.
    pub(crate) fn over(graph: &'a Graph, start: &'a WalkStart<'a>, scope: Scope) -> Self {
        let mut reach = Self::unwalked(graph, start, scope);
        let (mut border, mut distance) = (0, 1);
        reach.spread(At::WalkStart, distance);
        while border < reach.order.len() {
            let until = reach.order.len();
            distance += 1;
            for place in border..until {
                reach.spread(At::Node(reach.order[place]), distance);
            }
            border = until;
        }
        reach
    }

    /// Follows the choices of OLM in one channel. On the chain that starts at the head, OLM selects
    /// the first bundle that is a successor of the current bundle. OLM also follows a skip range to
    /// an older version. If the skip range of an entry contains the entry's own version, OLM
    /// selects the installed bundle again and stops.
    pub(crate) fn as_olm(graph: &'a Graph, start: &'a WalkStart<'a>, channel: usize) -> Self {
        let mut reach = Self::unwalked(graph, start, Scope::One(channel));
        reach.is_olm = true;
        let channel = &graph.channels[channel];
        let chain = channel.chain.as_deref().unwrap_or_default();
        let mut places = vec![usize::MAX; graph.nodes.len()];
        for (place, choice) in chain.iter().enumerate() {
            places[choice.at as usize] = place;
        }
        let mut at = At::WalkStart;
        for distance in 1.. {
            let Some(next) = reach.next_olm(channel, chain, &places, at) else {
                break;
            };
            if reach.has(next) {
                reach.back = Some(next).filter(|_| !reach.is_at(at, next));
                break;
            }
            reach.mark(next, distance);
            at = At::Node(next);
        }
        reach
    }

    /// Returns the bundle that OLM selects next: the first bundle of the chain to which an edge
    /// leads, or whose skip range contains the current version. `places` contains the position of
    /// each bundle in the chain, by node index. Returns None if OLM selects no bundle.
    fn next_olm(
        &self,
        channel: &Channel,
        chain: &[Choice],
        places: &[usize],
        from: At,
    ) -> Option<Id> {
        let targets = self.row(from).targets().map(|to| places[to as usize]);
        let linked = targets.min().unwrap_or(usize::MAX);
        let mut nearer = chain[..linked.min(chain.len())].iter();
        let covering = nearer.find(|choice| self.is_covered(channel, from, choice));
        covering.or(chain.get(linked)).map(|choice| choice.at)
    }

    fn is_covered(&self, channel: &Channel, from: At, by: &Choice) -> bool {
        match from {
            _ if by.covers.is_empty() && self.start.is_catalogued(self.graph) => false,
            At::WalkStart => self.covers(channel, from, by.at),
            At::Node(at) => by.covers.iter().any(|places| places.contains(&at)),
        }
    }

    /// Returns true if the skip range of an entry contains the version of the current bundle, even
    /// if this version is newer than the entry.
    fn covers(&self, channel: &Channel, from: At, to: Id) -> bool {
        let version = match from {
            At::WalkStart => self.start.version,
            At::Node(at) => self.graph.node(at).version.as_ref(),
        };
        let range = self.graph.range(channel, to);
        range
            .zip(version)
            .is_some_and(|(range, version)| range.matches(version))
    }

    fn is_at(&self, at: At, node: Id) -> bool {
        match at {
            At::WalkStart => self.start.node == Some(node),
            At::Node(at) => at == node,
        }
    }

    fn unwalked(graph: &'a Graph, start: &'a WalkStart<'a>, scope: Scope) -> Self {
        let mut links: Vec<(Id, Edges)> = Vec::new();
        for channel in graph.channels_in(scope) {
            links.extend(start.links(graph, channel));
        }
        links.sort_by_key(|(to, _)| *to);
        links.dedup_by(|(to, edges), (last, all)| {
            let is_same = to == last;
            if is_same {
                *all = all.union(*edges);
            }
            is_same
        });
        let mut hops = vec![UNREACHED; graph.nodes.len()];
        if let Some(at) = start.node {
            hops[at as usize] = 0;
        }
        Self {
            graph,
            scope,
            start,
            first: links.into_iter().unzip(),
            hops,
            order: Vec::new(),
            is_olm: false,
            back: None,
        }
    }

    fn spread(&mut self, from: At, distance: u32) {
        let chart = self.graph.chart(self.scope);
        match from {
            At::Node(at) => {
                for to in chart.row(at).targets() {
                    self.mark(to, distance);
                }
            }
            At::WalkStart => {
                for place in 0..self.first.0.len() {
                    self.mark(self.first.0[place], distance);
                }
            }
        }
    }

    /// Records that a bundle was reached. Does nothing if the bundle cannot be installed.
    fn mark(&mut self, at: Id, distance: u32) {
        let hops = &mut self.hops[at as usize];
        if *hops == UNREACHED && self.graph.age(at).is_some() {
            *hops = distance;
            self.order.push(at);
        }
    }

    /// Iterates over the direct successors of the start, with the edges to them.
    pub(crate) fn first(&self) -> impl Iterator<Item = (Id, Edges)> {
        self.row(At::WalkStart).iter()
    }

    fn row(&self, from: At) -> Row<'_> {
        match from {
            At::Node(at) => self.graph.chart(self.scope).row(at),
            At::WalkStart => Row::made(&self.first.0, &self.first.1),
        }
    }

    /// Returns the edges that permit a hop, channel by channel.
    pub(crate) fn permits(&self, from: At, to: Id) -> Vec<(&'a Channel, Edges)> {
        let graph = self.graph;
        let channels = graph
            .channels_in(self.scope)
            .iter()
            .filter(|c| c.chart.has(to));
        let permits = channels.map(|channel| (channel, self.edges_in(channel, from, to)));
        permits.filter(|(_, edges)| !edges.is_empty()).collect()
    }

    fn edges_in(&self, channel: &Channel, from: At, to: Id) -> Edges {
        let edges = self.edges_up(channel, from, to);
        if edges.is_empty() && self.is_olm && self.covers(channel, from, to) {
            Edge::SkipRange.into()
        } else {
            edges
        }
    }

    /// Returns the edges between two bundles in one channel. An edge of a skip range is included
    /// only if it leads to a newer version.
    fn edges_up(&self, channel: &Channel, from: At, to: Id) -> Edges {
        match from {
            At::Node(at) => channel.chart.row(at).edges_to(to),
            At::WalkStart => self.start.edges_to(self.graph, channel, to),
        }
    }

    /// Returns true if a bundle was reached, or if it is the start.
    pub(crate) fn has(&self, at: Id) -> bool {
        self.hops[at as usize] != UNREACHED
    }

    pub(crate) fn hops_to(&self, at: Id) -> u32 {
        self.hops[at as usize]
    }

    /// Returns the reached bundles, newest first.
    pub(crate) fn newest_first(&self) -> Vec<Id> {
        let mut reached = self.order.clone();
        reached.sort_unstable();
        reached
    }

    /// Returns the earlier bundle to which OLM returns if its choices form a cycle. Returns None
    /// otherwise.
    pub(crate) fn back(&self) -> Option<Id> {
        self.back
    }

    /// Returns the reached bundles, in the order of discovery.
    pub(crate) fn in_order(&self) -> &[Id] {
        &self.order
    }

    /// Returns the best path to the nearest reached goal. The best path has the fewest hops, then
    /// the fewest deprecated bundles, then the highest version at each step.
    ///
    /// The number of deprecated bundles depends on the whole path. Therefore a backward pass first
    /// computes the number of deprecated bundles that follow each reached bundle. A greedy walk
    /// then finds the path.
    pub(crate) fn path(&self, goals: &[Id]) -> Vec<Id> {
        let Some(length) = goals.iter().map(|at| self.hops_to(*at)).min() else {
            return Vec::new();
        };
        if self.is_olm {
            return self.order[..length as usize].to_vec();
        }
        let nearest = |at: &Id| self.hops_to(*at) == length && goals.contains(at);
        let mut tolls = vec![None::<u32>; self.graph.nodes.len()];
        for at in self
            .order
            .iter()
            .rev()
            .filter(|at| self.hops_to(**at) <= length)
        {
            let rest = if nearest(at) {
                Some(0)
            } else {
                self.cheapest(At::Node(*at), &tolls)
            };
            let own = u32::from(self.graph.node(*at).deprecation.is_some());
            tolls[*at as usize] = rest.map(|rest| rest + own);
        }
        let (mut path, mut at) = (Vec::new(), At::WalkStart);
        while path.len() < length as usize {
            let toll = self.cheapest(at, &tolls);
            let onward = self.onward(at);
            let Some(next) = onward.filter(|to| tolls[*to as usize] == toll).min() else {
                break;
            };
            path.push(next);
            at = At::Node(next);
        }
        path
    }

    fn cheapest(&self, from: At, tolls: &[Option<u32>]) -> Option<u32> {
        self.onward(from).filter_map(|to| tolls[to as usize]).min()
    }

    /// Iterates over the successors that are one hop further away from the start than this bundle.
    fn onward(&self, from: At) -> impl Iterator<Item = Id> {
        let hops = match from {
            At::WalkStart => 0,
            At::Node(at) => self.hops_to(at),
        };
        let further = move |to: &Id| self.hops_to(*to) == hops + 1;
        self.row(from).targets().filter(further)
    }

    /// Returns each unreached bundle of the scope that is newer than the start, together with its
    /// gate. The gate is the oldest unreached bundle from which a path leads to the bundle. It may
    /// be the bundle itself. If the author of the catalog adds an edge to the gate, the bundle
    /// becomes reachable.
    pub(crate) fn gates(&self) -> Vec<(Id, Id)> {
        let chart = self.graph.chart(self.scope);
        let is_missed = |at: Id| !self.has(at) && self.graph.age(at) > self.start.age;
        let missed: Vec<_> = chart
            .entries
            .iter()
            .copied()
            .filter(|at| is_missed(*at))
            .collect();
        let mut gates: Vec<(Id, Id)> = Vec::new();
        let mut seen = vec![false; self.graph.nodes.len()];
        for gate in missed.into_iter().rev() {
            let mut border = vec![gate];
            while let Some(at) = border.pop() {
                if is_missed(at) && !std::mem::replace(&mut seen[at as usize], true) {
                    gates.push((at, gate));
                    border.extend(chart.row(at).targets().filter(|to| !seen[*to as usize]));
                }
            }
        }
        gates.sort_unstable_by_key(|(at, _)| *at);
        gates
    }

    /// Returns the reached bundle between the start and `gate` whose version is nearest to `gate`.
    /// Returns None if no reached bundle is between them.
    pub(crate) fn furthest_before(&self, gate: Id, newest_first: &[Id]) -> Option<Id> {
        let (Some(age), Some(start)) = (self.graph.age(gate), self.start.age) else {
            return None;
        };
        let age_of = |at: &Id| self.graph.age(*at);
        if age > start {
            let older = newest_first.partition_point(|at| age_of(at) >= Some(age));
            newest_first
                .get(older)
                .copied()
                .filter(|at| age_of(at) > Some(start))
        } else {
            let newer = newest_first.iter().rev().find(|at| age_of(at) > Some(age));
            newer.copied().filter(|at| age_of(at) < Some(start))
        }
    }
}
