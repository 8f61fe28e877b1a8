//! The graph of plans that replace each other, as far as it counts. Plans are numbered by their
//! age, the oldest first.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::Replaces;

use super::Peer;

type Edges = Vec<BTreeSet<usize>>;

pub(super) struct Graph {
    /// By plan, those whose place it takes itself.
    replaces: Edges,
    /// The plans that would take the place of one that another takes, with that other.
    pub(super) rivals: BTreeMap<usize, usize>,
    /// By plan, what it names and does not replace, as that is newer and replaces it.
    pub(super) circles: Edges,
}

impl Graph {
    pub(super) fn of(peers: &[&Peer]) -> Self {
        let written = written(peers);
        let reach = reach(&written);
        let is_circle = |from: usize, to: usize| from < to && reach[to].contains(&from);
        let split = written.iter().enumerate().map(|(from, to)| {
            let (circle, rest): (BTreeSet<_>, BTreeSet<_>) =
                to.iter().partition(|to| is_circle(from, **to));
            (circle, rest)
        });
        let (circles, kept): (Edges, Edges) = split.unzip();
        let mut replaces = direct(&kept);
        let rivals = rivals(peers, &replaces);
        for (plan, winner) in &rivals {
            let taken = replaces[*winner].clone();
            replaces[*plan].retain(|to| !taken.contains(to));
        }
        Self {
            replaces,
            rivals,
            circles,
        }
    }

    /// The plans that take the place of one, one after the other.
    pub(super) fn chain(&self, own: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut at = own;
        while let Some(next) = self.replaces.iter().position(|to| to.contains(&at)) {
            chain.push(next);
            at = next;
        }
        chain
    }

    /// All whose place a plan takes, itself or through others.
    pub(super) fn below(&self, own: usize) -> BTreeSet<usize> {
        reach(&self.replaces)[own].clone()
    }

    /// The lineages of a plan: what it has recorded; else those of the plans that it replaces; else
    /// what the plan after it has recorded; else its own.
    pub(super) fn lineages(&self, own: usize, peers: &[&Peer]) -> BTreeSet<String> {
        if let Some(recorded) = &peers[own].status.lineage {
            return [recorded.clone()].into();
        }
        let below = self.replaces[own].iter();
        let inherited: BTreeSet<_> = below.flat_map(|to| self.lineages(*to, peers)).collect();
        if !inherited.is_empty() {
            return inherited;
        }
        let above = self.chain(own).into_iter();
        let recorded = above.filter(|at| peers[*at].has_begun());
        let mut recorded = recorded.filter_map(|at| peers[at].status.lineage.clone());
        let lineage = recorded.next().unwrap_or_else(|| peers[own].uid.clone());
        [lineage].into()
    }
}

/// The edges as the plans specify them. Labels mean only plans that were there before; a name means
/// any plan that has it.
fn written(peers: &[&Peer]) -> Edges {
    let of = |from: usize| {
        let replaces = (*peers[from].intent)
            .as_ref()
            .map(|intent| intent.replaces.as_slice());
        let replaces = replaces.unwrap_or_default();
        let own = peers[from].status.lineage.as_ref();
        let is_meant = |to: &usize| {
            let other = peers[*to];
            // One that came to have the name later, and is of something else, is not what is meant.
            let is_other = own
                .zip(other.status.lineage.as_ref())
                .is_some_and(|(a, b)| a != b);
            let is_recorded = peers[from].status.predecessors.contains(&other.uid);
            is_recorded
                || !is_other
                    && replaces.iter().any(|one| {
                        let may_be = match one {
                            Replaces::Name(_) => *to != from,
                            Replaces::Labels(_) => *to < from,
                        };
                        may_be && one.matches(&other.name, &other.labels)
                    })
        };
        (0..peers.len()).filter(is_meant).collect()
    };
    (0..peers.len()).map(of).collect()
}

/// All that is reached from each, over others too.
fn reach(edges: &Edges) -> Edges {
    let of = |from: usize| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(at) = next.pop() {
            for to in &edges[at] {
                if seen.insert(*to) {
                    next.push(*to);
                }
            }
        }
        seen
    };
    (0..edges.len()).map(of).collect()
}

/// Only what is not reached over another one as well.
fn direct(edges: &Edges) -> Edges {
    let reach = reach(edges);
    let of = |to: &BTreeSet<usize>| {
        let is_direct = |one: &&usize| !to.iter().any(|other| reach[*other].contains(one));
        to.iter().filter(is_direct).copied().collect()
    };
    edges.iter().map(of).collect()
}

/// The plans that would take the place of one that another plan takes, each with that other: it has
/// begun, or may begin, or is the oldest.
fn rivals(peers: &[&Peer], replaces: &Edges) -> BTreeMap<usize, usize> {
    let mut rivals = BTreeMap::new();
    for place in 0..peers.len() {
        let of = |from: &usize| replaces[*from].contains(&place);
        let successors: Vec<_> = (0..peers.len()).filter(of).collect();
        let rank = |at: &&usize| {
            let peer = peers[**at];
            (!peer.has_begun(), peer.is_invalid(), **at)
        };
        let Some(winner) = successors.iter().min_by_key(rank) else {
            continue;
        };
        let others = successors.iter().filter(|at| *at != winner);
        rivals.extend(others.map(|at| (*at, *winner)));
    }
    rivals
}
