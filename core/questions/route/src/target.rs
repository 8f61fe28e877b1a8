//! The best final state for a component, reachable or not.

use crate::component::{Component, State};
use crate::problem::{Problem, TrackId};
use crate::track::PlaceId;

/// The rank of a final state: first the satisfied requirements, then the rank of each place. Lower
/// is better.
pub(crate) type Worth = (Vec<bool>, Vec<u32>);

/// A search for a sound state, track by track, starting with the best places.
struct Targets<'p, 'a> {
    problem: &'p Problem<'a>,
    component: &'p Component,
    /// For each track of the component: the places that it may have, best first.
    places: Vec<Vec<PlaceId>>,
    /// For each track of the component: its chosen place. None for tracks that are chosen later.
    chosen: Vec<Option<PlaceId>>,
    left: u32,
}

/// Returns the best sound final state. States are compared by the satisfied requirements, in the
/// order of the tracks, and then by the places. If the search exceeds its budget, returns the best
/// state without considering needs.
pub(crate) fn best(problem: &Problem<'_>, component: &Component, budget: u32) -> State {
    let places = component.tracks.iter().map(|track| {
        let mut places = problem.tracks[*track].by_rank();
        places.retain(|at| problem.alive[*track][*at as usize]);
        places
    });
    let mut targets = Targets {
        problem,
        component,
        places: places.collect(),
        chosen: Vec::new(),
        left: budget,
    };
    for (at, track) in component.tracks.iter().enumerate() {
        let all = targets.places[at].clone();
        targets.places[at].retain(|place| problem.tracks[*track].is_goal(*place));
        if targets.first().is_none() {
            targets.places[at] = all;
        }
    }
    let best = targets.first();
    let best = best.unwrap_or_else(|| targets.places.iter().map(|places| places[0]).collect());
    let mut state = problem.start();
    for (track, place) in component.tracks.iter().zip(best) {
        state[*track] = place;
    }
    state.into()
}

/// Returns the rank of a state as a final state.
pub(crate) fn worth(problem: &Problem<'_>, component: &Component, state: &State) -> Worth {
    let tracks = || component.tracks.iter().map(|track| (*track, state[*track]));
    let rank = |(track, at): (TrackId, PlaceId)| problem.tracks[track].ranks[at as usize];
    let misses = tracks().map(|(track, at)| !problem.tracks[track].is_goal(at));
    (misses.collect(), tracks().map(rank).collect())
}

// === impl Targets ===

impl Targets<'_, '_> {
    /// Returns the first sound state in the order of tracks and places. Returns None if there is no
    /// sound state.
    fn first(&mut self) -> Option<Vec<PlaceId>> {
        self.chosen = vec![None; self.places.len()];
        self.choose(0)
            .then(|| self.chosen.iter().copied().flatten().collect())
    }

    fn choose(&mut self, at: usize) -> bool {
        if at == self.places.len() {
            return true;
        }
        for place in self.places[at].clone() {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            self.chosen[at] = Some(place);
            if self.is_possible(at) && self.choose(at + 1) {
                return true;
            }
        }
        self.chosen[at] = None;
        false
    }

    /// Returns true if the places chosen up to a track may be part of a sound state: all needs can
    /// still be satisfied, and each later track has a place without conflicts.
    fn is_possible(&self, until: usize) -> bool {
        let mut standing = self.component.standing.iter();
        let own = (0..=until).filter_map(|at| Some((at, self.chosen[at]?)));
        standing.all(|(_, need)| self.can_be_met(*need))
            && own.into_iter().all(|(at, place)| self.fits(at, place))
            && (until + 1..self.places.len()).all(|at| {
                let mut places = self.places[at].iter();
                places.any(|place| self.fits(at, *place))
            })
    }

    /// Returns true if a track could have a place without a conflict with the chosen places.
    fn fits(&self, at: usize, place: PlaceId) -> bool {
        let track = self.component.tracks[at];
        let tracks = self.component.tracks.iter().zip(&self.chosen);
        let mut others = tracks.filter_map(|(other, there)| Some((*other, (*there)?)));
        let clashes = !self.problem.contested[track][place as usize].is_empty()
            && others.any(|there| {
                there.0 != track && self.problem.conflict((track, place), there).is_some()
            });
        let mut needs = self.problem.needs[track][place as usize].iter();
        !clashes && needs.all(|need| self.can_be_met(*need))
    }

    fn can_be_met(&self, need: usize) -> bool {
        let met = &self.problem.met[need];
        let tracks = self.component.tracks.iter().enumerate();
        let mut met = tracks.filter_map(|(at, track)| Some((at, met.get(track)?)));
        met.any(|(at, met)| match self.chosen[at] {
            Some(place) => met[place as usize],
            None => self.places[at].iter().any(|place| met[*place as usize]),
        })
    }
}
