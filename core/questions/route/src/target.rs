//! Finds the best final state of a component, even if no route leads to this state.

use crate::component::{Component, State};
use crate::problem::{Problem, TrackId};
use crate::track::PlaceId;

/// The rank of a final state. The satisfied requirements are compared first, then the rank of each
/// place. Lower is better.
pub(crate) type Worth = (Vec<bool>, Vec<u32>);

/// A search for a sound state that chooses the places of the tracks one after the other, best
/// places first.
struct Targets<'p, 'a> {
    problem: &'p Problem<'a>,
    component: &'p Component,
    /// The places that each track of the component may have, best first.
    places: Vec<Vec<PlaceId>>,
    /// The chosen place of each track of the component. None for tracks whose place is not chosen
    /// yet.
    chosen: Vec<Option<PlaceId>>,
    left: u32,
}

/// Returns the best sound state. States are compared by the satisfied requirements in the order of
/// the tracks, and then by the places. If no sound state is found within the budget, returns the
/// best places regardless of needs.
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
    /// Returns the first sound state in the order of tracks and places. Returns None if no sound
    /// state exists, or if the budget is exceeded.
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

    /// Returns true if the chosen places, up to track `until`, may be part of a sound state. All
    /// needs can still be satisfied, and each later track has a place without conflicts.
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

    /// Returns true if a track may have this place: it has no conflict with the chosen places, and
    /// its needs can still be satisfied.
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
