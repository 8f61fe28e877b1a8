//! Searches for the cheapest route from the current places of all operators to their targets.

mod together;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::mem;

use crate::component::{Component, State, jumps};
use crate::cost::Cost;
use crate::lockstep::{Locksteps, Move};
use crate::problem::Problem;
use crate::track::PlaceId;

/// The result of a search.
#[derive(Debug, Clone)]
pub(crate) struct SearchResult {
    pub(crate) steps: Vec<Vec<Move>>,
    pub(crate) end: State,
    /// True if no better route exists. False if the search exceeded its budget.
    pub(crate) is_best: bool,
}

/// A best-first search (A*). The heuristic is the sum of the costs that each track would have
/// alone. It is never higher than the actual cost.
pub(crate) struct Search<'p, 'a> {
    problem: &'p Problem<'a>,
    component: &'p Component,
    locksteps: &'p Locksteps,
    /// By track of the component and place: the cost from this place to the target, if no other
    /// track is considered. None if the target is unreachable.
    ahead: Vec<Vec<Option<Cost>>>,
    reached: BTreeMap<State, Reached>,
    border: BinaryHeap<Reverse<(Priority, State)>>,
    /// The number of states that the search may still visit.
    left: u32,
}

/// A state that was reached.
#[derive(Debug, Clone)]
struct Reached {
    cost: Cost,
    /// The moves of the step that led to this state. Empty at the start.
    by: Vec<Move>,
    is_done: bool,
}

/// The order in which states are visited. The estimated total cost comes first, and then the
/// estimated remaining cost.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Priority {
    is_lost: bool,
    in_all: Cost,
    ahead: Cost,
    kind: Kind,
}

/// The moves to try from a state. Sets of moves are tried only if single moves do not lead to the
/// target at the same cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Single,
    Together,
}

// === impl Search ===

impl<'p, 'a> Search<'p, 'a> {
    /// Finds the cheapest route to `target`. If no route exists, or if the search exceeds the
    /// budget, returns the route to the best reached state. `worth` returns the rank of a state,
    /// and a lower rank is better.
    pub(crate) fn run<W: Ord>(
        (problem, component, locksteps): (&'p Problem<'a>, &'p Component, &'p Locksteps),
        target: &State,
        budget: &mut u32,
        worth: impl Fn(&State) -> W,
    ) -> SearchResult {
        let mut search = Self {
            problem,
            component,
            locksteps,
            ahead: Vec::new(),
            reached: BTreeMap::new(),
            border: BinaryHeap::new(),
            left: *budget,
        };
        let tracks = component.tracks.iter();
        search.ahead = tracks
            .map(|track| search.alone(*track, target[*track]))
            .collect();
        search.reach(problem.start().into(), Cost::default(), Vec::new());
        let is_there = search.walk(target);
        let is_spent = search.left == 0;
        *budget = search.left;
        let end = match is_there {
            Some(()) => target.clone(),
            None => search.best(worth),
        };
        SearchResult {
            steps: search.steps(&end),
            is_best: is_there.is_some() || !is_spent,
            end,
        }
    }

    fn walk(&mut self, target: &State) -> Option<()> {
        while let Some(Reverse((priority, state))) = self.border.pop() {
            let reached = self.reached.get_mut(&state)?;
            let cost = reached.cost;
            match priority.kind {
                Kind::Single if mem::replace(&mut reached.is_done, true) => continue,
                Kind::Single | Kind::Together => {}
            }
            if state == *target {
                return Some(());
            }
            self.left = self.left.checked_sub(1)?;
            match priority.kind {
                Kind::Single => {
                    self.move_each(&state, cost);
                    if !self.locksteps.is_empty() {
                        let kind = Kind::Together;
                        let priority = Priority { kind, ..priority };
                        self.border.push(Reverse((priority, state)));
                    }
                }
                Kind::Together => self.move_together(&state, cost),
            }
        }
        None
    }

    fn move_each(&mut self, state: &State, cost: Cost) {
        for made in self.moves(state) {
            let next = after(state, &[made]);
            if self.component.violation(self.problem, &next).is_none() {
                self.step(next, cost, vec![made]);
            }
        }
    }

    fn move_together(&mut self, state: &State, cost: Cost) {
        for made in self.moves(state) {
            let alone = after(state, &[made]);
            let can_wait = self.locksteps.circle(made).is_some();
            if can_wait && self.component.violation(self.problem, &alone).is_some() {
                for moves in self.together(state, made) {
                    self.step(after(state, &moves), cost, moves);
                }
            }
        }
    }

    fn moves(&self, state: &State) -> Vec<Move> {
        let tracks = self.component.tracks.iter();
        let moves = tracks.flat_map(|track| {
            let jumps = jumps(self.problem, *track, state[*track]);
            jumps.map(|jump| (*track, state[*track], jump.to))
        });
        moves.collect()
    }

    fn step(&mut self, next: State, cost: Cost, moves: Vec<Move>) {
        let step: Cost = moves.iter().map(|made| self.cost(*made)).sum();
        self.reach(next, cost + step, moves);
    }

    fn cost(&self, (track, from, to): Move) -> Cost {
        let track = &self.problem.tracks[track];
        let mut jumps = track.jumps(from).iter();
        let is_override = jumps.any(|jump| jump.to == to && jump.is_override);
        Cost {
            overrides: u32::from(is_override),
            moves: 1,
            deprecated: u32::from(track.place(to).is_deprecated()),
            age: to,
        }
    }

    fn reach(&mut self, state: State, cost: Cost, by: Vec<Move>) {
        let known = self.reached.get(&state);
        if known.is_some_and(|known| known.is_done || known.cost <= cost) {
            return;
        }
        let tracks = self.component.tracks.iter().zip(&self.ahead);
        let ahead: Option<Cost> = tracks
            .map(|(track, ahead)| ahead[state[*track] as usize])
            .sum();
        let priority = Priority {
            is_lost: ahead.is_none(),
            in_all: cost + ahead.unwrap_or_default(),
            ahead: ahead.unwrap_or_default(),
            kind: Kind::Single,
        };
        self.border.push(Reverse((priority, state.clone())));
        let reached = Reached {
            cost,
            by,
            is_done: false,
        };
        self.reached.insert(state, reached);
    }

    /// Returns by place the cost of the track's path to the target, if no other track is
    /// considered. None if the target is unreachable.
    fn alone(&self, track: usize, target: PlaceId) -> Vec<Option<Cost>> {
        let size = self.problem.tracks[track].places.len();
        let mut back = vec![Vec::new(); size];
        for from in self.problem.living(track) {
            for jump in jumps(self.problem, track, from) {
                let made = (track, from, jump.to);
                let cost = self.cost(made);
                back[jump.to as usize].push((from, cost));
            }
        }
        let mut costs = vec![None; size];
        let mut border = BinaryHeap::from([Reverse((Cost::default(), target))]);
        while let Some(Reverse((cost, at))) = border.pop() {
            if costs[at as usize].is_some() {
                continue;
            }
            costs[at as usize] = Some(cost);
            let next = back[at as usize].iter();
            border.extend(next.map(|(from, more)| Reverse((cost + *more, *from))));
        }
        costs
    }

    /// Returns the reached state with the best rank. If ranks are equal, the lowest cost decides.
    fn best<W: Ord>(&self, worth: impl Fn(&State) -> W) -> State {
        let reached = self.reached.iter();
        let best = reached.min_by_key(|(state, reached)| (worth(state), reached.cost));
        let (state, _) = best.expect("the search must reach the start");
        state.clone()
    }

    fn steps(&self, end: &State) -> Vec<Vec<Move>> {
        let mut steps = Vec::new();
        let mut at = end.clone();
        while let Some(reached) = self.reached.get(&at) {
            if reached.by.is_empty() {
                break;
            }
            for (track, from, _) in &reached.by {
                at[*track] = *from;
            }
            steps.push(reached.by.clone());
        }
        steps.reverse();
        steps
    }
}

/// Returns the state after some moves.
fn after(state: &State, moves: &[Move]) -> State {
    let mut next = state.clone();
    for (track, _, to) in moves {
        next[*track] = *to;
    }
    next
}
