//! Finds the moves that may have to be made together.
//!
//! A move A may have to wait for a move B for four reasons:
//!
//! 1. B satisfies a need of A.
//! 2. B restores what A removes.
//! 3. A need no longer exists after B.
//! 4. B no longer provides an API that A provides.
//!
//! Moves must be made together only if they wait for each other in a cycle. A subset that waits for
//! no move outside of the subset would be sound alone. In the graph of moves that may wait for each
//! other, the moves of a cycle are in one strongly connected component. Therefore only these
//! components are searched for sets of moves.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::component::{Component, jumps};
use crate::problem::{ApiId, NeedId, Problem, TrackId};
use crate::track::PlaceId;

/// The maximum number of operators in a set of moves that may be made together.
pub(crate) const MOST: usize = 8;

/// A move of one track: the track, the place before the move, and the place after the move.
pub(crate) type Move = (TrackId, PlaceId, PlaceId);

/// The moves of a component that may have to be made together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Locksteps {
    /// The number of the cycle that a move belongs to. Independent moves are not in this map.
    circles: BTreeMap<Move, usize>,
    /// The tracks in cycles that are too large. Only single moves are tried for these tracks.
    pub(crate) left_out: Vec<TrackId>,
}

/// A condition that a move may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    Move(Move),
    /// The need is satisfied after another move.
    Met(NeedId),
    /// The need is no longer lost: another move satisfies it, or no operator has it any more.
    Lost(NeedId),
    /// Another operator no longer provides the API.
    Left(ApiId),
}

/// The graph of moves and of the conditions for which moves may wait.
struct Waits<'p, 'a> {
    problem: &'p Problem<'a>,
    /// The needs that affect the component.
    asked: BTreeSet<NeedId>,
    graph: DiGraph<Wait, ()>,
    nodes: BTreeMap<Wait, NodeIndex>,
}

// === impl Locksteps ===

impl Locksteps {
    pub(crate) fn of(problem: &Problem<'_>, component: &Component) -> Self {
        let mut locksteps = Self::default();
        if component.tracks.len() < 2 {
            return locksteps;
        }
        let graph = Waits::of(problem, component).graph;
        for (circle, nodes) in kosaraju_scc(&graph).into_iter().enumerate() {
            let moves = nodes.iter().filter_map(|node| match graph[*node] {
                Wait::Move(made) => Some(made),
                Wait::Met(_) | Wait::Lost(_) | Wait::Left(_) => None,
            });
            locksteps.add(circle, &moves.collect::<Vec<_>>());
        }
        locksteps.left_out.sort_unstable();
        locksteps.left_out.dedup();
        locksteps
    }

    fn add(&mut self, circle: usize, moves: &[Move]) {
        let mut tracks: Vec<_> = moves.iter().map(|(track, ..)| *track).collect();
        tracks.sort_unstable();
        tracks.dedup();
        match tracks.len() {
            0 | 1 => {}
            2..=MOST => self
                .circles
                .extend(moves.iter().map(|made| (*made, circle))),
            _ => self.left_out.extend(tracks),
        }
    }

    /// Returns the number of the cycle that a move belongs to. Returns None for an independent
    /// move.
    pub(crate) fn circle(&self, made: Move) -> Option<usize> {
        self.circles.get(&made).copied()
    }

    /// Returns true if no move belongs to a cycle.
    pub(crate) fn is_empty(&self) -> bool {
        self.circles.is_empty()
    }
}

// === impl Waits ===

impl<'p, 'a> Waits<'p, 'a> {
    fn of(problem: &'p Problem<'a>, component: &Component) -> Self {
        let mut waits = Self {
            problem,
            asked: component.asked(problem).collect(),
            graph: DiGraph::new(),
            nodes: BTreeMap::new(),
        };
        for track in &component.tracks {
            for from in problem.living(*track) {
                for jump in jumps(problem, *track, from) {
                    waits.add((*track, from, jump.to));
                }
            }
        }
        let lost = waits.nodes.keys().filter_map(|wait| match wait {
            Wait::Lost(need) => Some(*need),
            Wait::Met(_) | Wait::Left(_) | Wait::Move(_) => None,
        });
        for need in lost.collect::<Vec<_>>() {
            waits.link(Wait::Lost(need), Wait::Met(need));
        }
        waits
    }

    fn add(&mut self, made: Move) {
        let (track, from, to) = made;
        let problem = self.problem;
        let needs = &problem.needs[track];
        for need in &needs[to as usize] {
            self.link(Wait::Move(made), Wait::Met(*need));
        }
        for need in &needs[from as usize] {
            if !needs[to as usize].contains(need) {
                self.link(Wait::Lost(*need), Wait::Move(made));
            }
        }
        let asked = self.asked.iter();
        let met = asked.filter_map(|need| Some((*need, problem.met[*need].get(&track)?)));
        for (need, places) in met.collect::<Vec<_>>() {
            match (places[from as usize], places[to as usize]) {
                (true, false) => self.link(Wait::Move(made), Wait::Lost(need)),
                (false, true) => self.link(Wait::Met(need), Wait::Move(made)),
                (true, true) | (false, false) => {}
            }
        }
        let contested = &problem.contested[track];
        for api in &contested[to as usize] {
            self.link(Wait::Move(made), Wait::Left(*api));
        }
        for api in &contested[from as usize] {
            if !contested[to as usize].contains(api) {
                self.link(Wait::Left(*api), Wait::Move(made));
            }
        }
    }

    fn link(&mut self, from: Wait, to: Wait) {
        let [from, to] = [from, to].map(|wait| {
            let graph = &mut self.graph;
            *self
                .nodes
                .entry(wait)
                .or_insert_with(|| graph.add_node(wait))
        });
        self.graph.add_edge(from, to, ());
    }
}
