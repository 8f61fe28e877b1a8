//! Finds sets of moves that result in a sound state only if they are made together.

use std::collections::BTreeSet;

use crate::component::{State, jumps};
use crate::lockstep::{MOST, Move};
use crate::problem::{TrackId, Violation, place_of};
use crate::search::{Search, after};

impl Search<'_, '_> {
    /// Returns the sets of moves that begin with `first`, result in a sound state, and have no
    /// subset with a sound result.
    ///
    /// The search adds moves that repair the first violation of the resulting state, because every
    /// sound superset contains such a move.
    pub(super) fn together(&mut self, state: &State, first: Move) -> Vec<Vec<Move>> {
        let mut sound = Vec::new();
        let mut seen = BTreeSet::from([vec![first]]);
        let mut border = vec![vec![first]];
        while let Some(moves) = border.pop() {
            let next = after(state, &moves);
            match self.component.violation(self.problem, &next) {
                None if self.is_whole(state, &moves) => sound.push(moves),
                None => {}
                Some(_) if moves.len() == MOST || self.left == 0 => {}
                Some(violation) => {
                    self.left -= 1;
                    for repair in self.repairs(state, &moves, violation) {
                        let mut more = moves.clone();
                        more.push(repair);
                        more.sort_unstable();
                        if seen.insert(more.clone()) {
                            border.push(more);
                        }
                    }
                }
            }
        }
        // Each move of a set finds the same set. To avoid duplicates, only the set that was found
        // from its first move is kept.
        sound.retain(|moves| moves[0] == first);
        sound
    }

    /// Returns true if no proper subset of the moves results in a sound state.
    fn is_whole(&self, state: &State, moves: &[Move]) -> bool {
        let all = (1u32 << moves.len()) - 1;
        let mut parts = (1..all).map(|part| {
            let chosen = moves.iter().enumerate();
            let chosen = chosen.filter(|(at, _)| part & (1 << at) != 0);
            chosen.map(|(_, made)| *made).collect::<Vec<_>>()
        });
        let problem = self.problem;
        !parts.any(|part| {
            let next = after(state, &part);
            self.component.violation(problem, &next).is_none()
        })
    }

    fn repairs(&self, state: &State, moves: &[Move], violation: Violation) -> Vec<Move> {
        let problem = self.problem;
        let circle = self.locksteps.circle(moves[0]);
        let any = |track: TrackId| {
            let from = place_of(state, track);
            jumps(problem, track, from).map(move |jump| (track, from, jump.to))
        };
        let mut repairs: Vec<Move> = match violation {
            Violation::Unmet { need, of } => {
                let met = problem.met[need].iter();
                let gains = met.flat_map(|(track, places)| {
                    any(*track).filter(|(.., to)| places[*to as usize])
                });
                gains.chain(any(of)).collect()
            }
            Violation::Conflict { one, other } => any(one).chain(any(other)).collect(),
        };
        repairs.retain(|repair| {
            let moved = moves.iter().any(|(track, ..)| *track == repair.0);
            !moved && self.locksteps.circle(*repair) == circle
        });
        repairs
    }
}
