//! The graph of plans that replace each other. It contains only direct edges. Plans are numbered by
//! age, starting with the oldest plan.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{Replaces, Status};

use super::Peer;

type Edges = Vec<BTreeSet<usize>>;

/// The lineages of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The plan's own lineage. If no other plan contains an object, the plan creates it in this
    /// lineage.
    pub(super) lineage: String,
    /// The other lineages whose objects the plan contains.
    pub(super) merged: BTreeSet<String>,
}

pub(super) struct Graph {
    /// For each plan, the plans that it replaces directly.
    replaces: Edges,
    /// The plans that cannot replace another plan, because a third plan already replaces that plan.
    /// The value is the third plan.
    pub(super) rivals: BTreeMap<usize, usize>,
    /// For each plan, the newer plans in its `replaces` that themselves replace this plan. These
    /// edges are ignored.
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
        let rivals = rivals(peers, &mut replaces);
        Self {
            replaces,
            rivals,
            circles,
        }
    }

    /// Returns the chain of plans that replace this plan: its successor, the successor of the
    /// successor, and so on.
    pub(super) fn chain(&self, own: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut at = own;
        while let Some(next) = self.replaces.iter().position(|to| to.contains(&at)) {
            chain.push(next);
            at = next;
        }
        chain
    }

    /// Returns the plans that this plan replaces, directly or indirectly.
    pub(super) fn below(&self, own: usize) -> BTreeSet<usize> {
        reach(&self.replaces)[own].clone()
    }

    /// Returns the lineages of a plan from the first available source: its status, the plans that
    /// it replaces, the status of its successor. Without any source, the plan begins its own
    /// lineage. A plan that merges several lineages also begins a new lineage.
    pub(super) fn line(&self, own: usize, peers: &[&Peer]) -> Line {
        let status = &peers[own].status;
        let recorded = Line::recorded(status);
        if let Some(recorded) = &recorded
            && status.has_begun()
        {
            return recorded.clone();
        }
        let below = self.replaces[own].iter();
        let below: Vec<_> = below.map(|to| self.line(*to, peers)).collect();
        let merged = Line::merge(peers[own], &below);
        match (recorded, merged) {
            (Some(recorded), Some(merged)) => recorded.with(merged),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => {
                let inherited = self.inherited(own, peers);
                inherited.unwrap_or_else(|| Line::first(peers[own]))
            }
        }
    }

    /// Returns the lineages that a plan gets from its successor. These are the lineages in the
    /// successor's status, without the lineages of the successor's other predecessors. Returns None
    /// if no lineage remains.
    fn inherited(&self, own: usize, peers: &[&Peer]) -> Option<Line> {
        let chain = self.chain(own);
        let mut above = chain.iter().filter(|at| peers[**at].has_begun());
        let (above, line) =
            above.find_map(|at| Some((*at, Line::recorded(&peers[*at].status)?)))?;
        let others = self.below(above).into_iter();
        let others = others.filter(|at| *at != own && !chain.contains(at));
        let taken: BTreeSet<_> = others
            .flat_map(|at| peers[at].status.lineages().collect::<Vec<_>>())
            .collect();
        let Line { lineage, merged } = line;
        let all = [lineage].into_iter().chain(merged);
        let mut left = all.filter(|one| !taken.contains(one));
        Some(Line {
            lineage: left.next()?,
            merged: left.collect(),
        })
    }
}

impl Line {
    /// Returns the lineage that begins with this plan.
    fn first(plan: &Peer) -> Self {
        Self {
            lineage: plan.uid.clone(),
            merged: BTreeSet::new(),
        }
    }

    fn recorded(status: &Status) -> Option<Self> {
        Some(Self {
            lineage: status.lineage.clone()?,
            merged: status.merged_lineages.iter().cloned().collect(),
        })
    }

    /// Merges the lineages of the plans that this plan replaces. Returns None if it replaces no
    /// plan.
    fn merge(plan: &Peer, below: &[Self]) -> Option<Self> {
        let (first, others) = below.split_first()?;
        let is_one = others.iter().all(|other| other.lineage == first.lineage);
        let line = if is_one {
            first.clone()
        } else {
            Self::first(plan)
        };
        Some(below.iter().cloned().fold(line, Self::with))
    }

    /// Adds the lineages of another plan as merged lineages.
    fn with(mut self, other: Self) -> Self {
        self.merged.extend(other.merged);
        self.merged.insert(other.lineage);
        self.merged.remove(&self.lineage);
        self
    }
}

/// Returns the edges that the `replaces` fields of the plans define. A label selector selects only
/// older plans. A name also selects newer plans.
fn written(peers: &[&Peer]) -> Edges {
    let of = |from: usize| {
        let replaces = (*peers[from].intent)
            .as_ref()
            .map(|intent| intent.replaces.as_slice());
        let replaces = replaces.unwrap_or_default();
        let own: BTreeSet<_> = peers[from].status.lineages().collect();
        let is_meant = |to: &usize| {
            let other = peers[*to];
            // A plan in a different lineage is not selected. It may be a newer plan with the same
            // name.
            let theirs: BTreeSet<_> = other.status.lineages().collect();
            let is_known = !own.is_empty() && !theirs.is_empty();
            let is_other = is_known && own.is_disjoint(&theirs);
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

/// Returns the nodes that are reachable from each node.
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

/// Removes each edge to a plan that can also be reached through another edge.
fn direct(edges: &Edges) -> Edges {
    let reach = reach(edges);
    let of = |to: &BTreeSet<usize>| {
        let is_direct = |one: &&usize| !to.iter().any(|other| reach[*other].contains(one));
        to.iter().filter(is_direct).copied().collect()
    };
    edges.iter().map(of).collect()
}

/// Finds plans that want to replace the same plan. Returns each losing plan with the winning plan,
/// and removes the edges of the losers to plans that are already replaced. As a result, each plan
/// has at most one successor.
///
/// A plan that has begun wins against other plans. Otherwise, a valid plan wins. Otherwise, the
/// oldest plan wins.
fn rivals(peers: &[&Peer], replaces: &mut Edges) -> BTreeMap<usize, usize> {
    let mut plans: Vec<_> = (0..peers.len()).collect();
    plans.sort_by_key(|at| (!peers[*at].has_begun(), peers[*at].is_invalid(), *at));
    let (mut taken, mut rivals) = (BTreeMap::new(), BTreeMap::new());
    for plan in &plans {
        match replaces[*plan].iter().find_map(|to| taken.get(to)) {
            Some(winner) => drop(rivals.insert(*plan, *winner)),
            None => taken.extend(replaces[*plan].iter().map(|to| (*to, *plan))),
        }
    }
    for plan in plans.iter().filter(|plan| rivals.contains_key(plan)) {
        replaces[*plan].retain(|to| !taken.contains_key(to));
        taken.extend(replaces[*plan].iter().map(|to| (*to, *plan)));
    }
    rivals
}
