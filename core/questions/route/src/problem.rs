//! Converts a question to numbers: places (bundles), needs and conflicts.

mod prune;

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog as catalog;
use portolan_core_catalog::Api;
use portolan_core_solver::Requirement;

use crate::question::{Operator, Question};
use crate::track::{PlaceId, Track};

pub(crate) type TrackId = usize;
pub(crate) type NeedId = usize;
pub(crate) type ApiId = usize;

/// A question whose bundles, requirements and APIs are represented by numbers.
#[derive(Debug, Clone)]
pub(crate) struct Problem<'a> {
    pub(crate) operators: &'a [Operator],
    /// The tracks of the operators in the order of the question. After them come the tracks of
    /// fixed operators, which another installer manages.
    pub(crate) tracks: Vec<Track<'a>>,
    /// By track and place: true if the place is possible, which means that a sound state may
    /// contain it. Each place is checked separately.
    pub(crate) alive: Vec<Vec<bool>>,
    pub(crate) requirements: Vec<Requirement>,
    /// By track and place: the needs of the place. Needs that are always satisfied are omitted.
    pub(crate) needs: Vec<Vec<Vec<NeedId>>>,
    /// By need and track: for each place, true if the place satisfies the need. Tracks without such
    /// a place are omitted.
    pub(crate) met: Vec<BTreeMap<TrackId, Vec<bool>>>,
    pub(crate) apis: Vec<&'a Api>,
    /// By track and place: the APIs that the place provides and that another track also provides at
    /// one of its places.
    pub(crate) contested: Vec<Vec<Vec<ApiId>>>,
    /// The APIs that two installed operators both provide at the start, each with these two
    /// operators.
    pub(crate) shared: BTreeSet<(ApiId, TrackId, TrackId)>,
    /// The tracks whose requirements and needs are ignored, to check if these tracks block another
    /// track.
    lifted: BTreeSet<TrackId>,
}

/// The reason why a state is not sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Violation {
    /// No operator satisfies a need of a track.
    Unmet { need: NeedId, of: TrackId },
    /// Two tracks provide the same API.
    Conflict { one: TrackId, other: TrackId },
}

// === impl Problem ===

impl<'a> Problem<'a> {
    pub(crate) fn of(question: &'a Question) -> Self {
        Self::without(question, &BTreeSet::new())
    }

    /// Returns the problem without the requirements and needs of some tracks. These tracks may have
    /// any of their places at any time.
    pub(crate) fn without(question: &'a Question, lifted: &BTreeSet<TrackId>) -> Self {
        let own = question.operators.iter().map(Track::of);
        let tracks: Vec<_> = own
            .chain(question.others.iter().map(Track::fixed))
            .collect();
        let places = |track: &Track<'_>| track.places.len();
        let mut problem = Self {
            operators: &question.operators,
            alive: tracks.iter().map(|one| vec![true; places(one)]).collect(),
            needs: tracks
                .iter()
                .map(|one| vec![Vec::new(); places(one)])
                .collect(),
            contested: tracks
                .iter()
                .map(|one| vec![Vec::new(); places(one)])
                .collect(),
            requirements: Vec::new(),
            met: Vec::new(),
            apis: Vec::new(),
            shared: BTreeSet::new(),
            lifted: lifted.clone(),
            tracks,
        };
        problem.number_needs();
        problem.number_apis();
        problem.prune();
        problem
    }

    pub(crate) fn is_lifted(&self, track: TrackId) -> bool {
        self.lifted.contains(&track)
    }

    /// Returns true if a track can move.
    pub(crate) fn moves(&self, track: TrackId) -> bool {
        !self.is_lifted(track) && self.alive[track].iter().filter(|alive| **alive).count() > 1
    }

    /// Returns the places of the operators before any move.
    pub(crate) fn start(&self) -> Vec<PlaceId> {
        let own = &self.tracks[..self.operators.len()];
        own.iter().map(|track| track.start).collect()
    }

    fn number_needs(&mut self) {
        let mut numbers: BTreeMap<String, NeedId> = BTreeMap::new();
        for at in 0..self.tracks.len() {
            if self.is_lifted(at) || self.tracks[at].overrides.ignore_dependencies {
                continue;
            }
            for place in 0..self.tracks[at].places.len() {
                let requires = self.tracks[at].places[place].requires();
                let requires = requires.into_iter().flat_map(catalog::Requirements::each);
                for requirement in requires {
                    let need = *numbers.entry(key(&requirement)).or_insert_with(|| {
                        self.requirements.push(requirement.into());
                        self.requirements.len() - 1
                    });
                    self.needs[at][place].push(need);
                }
            }
        }
        let requirements = self.requirements.iter();
        self.met = requirements.map(|one| self.meeting(one)).collect();
        self.excuse();
    }

    fn meeting(&self, requirement: &Requirement) -> BTreeMap<TrackId, Vec<bool>> {
        let tracks = self.tracks.iter().enumerate();
        let met = tracks.filter_map(|(at, track)| {
            if let Requirement::Package(required) = requirement
                && track.package != Some(&required.package)
            {
                return None;
            }
            let places = (0..).take(track.places.len());
            let is_met = |place| {
                let candidate = track.candidate(place);
                candidate.is_some_and(|candidate| is_met(requirement, &candidate))
            };
            let mut met: Vec<bool> = places.map(is_met).collect();
            if self.is_lifted(at) && self.could_meet(at, requirement) {
                met.fill(true);
            }
            met.contains(&true).then_some((at, met))
        });
        met.collect()
    }

    /// Returns true if any bundle of an operator's package satisfies a requirement, even if the
    /// bundle is unreachable.
    pub(crate) fn could_meet(&self, track: TrackId, requirement: &Requirement) -> bool {
        let Some(operator) = self.operators.get(track) else {
            return false;
        };
        let bundles = operator.package.package().bundles.values();
        let mut candidates = bundles.map(|bundle| catalog::Candidate::of(operator.name(), bundle));
        candidates.any(|candidate| is_met(requirement, &candidate))
    }

    /// Removes the needs that a bundle itself satisfies. Also removes the needs of installed
    /// bundles that are not satisfied at the start.
    fn excuse(&mut self) {
        let start = self.start();
        for at in 0..self.tracks.len() {
            for place in 0..self.tracks[at].places.len() {
                let mut needs = std::mem::take(&mut self.needs[at][place]);
                let is_start = place == self.tracks[at].start as usize;
                needs.retain(|need| {
                    let own = self.met[*need].get(&at);
                    let lacks = is_start && !self.is_met(*need, &start);
                    !own.is_some_and(|places| places[place]) && !lacks
                });
                self.needs[at][place] = needs;
            }
        }
    }

    fn number_apis(&mut self) {
        let mut providers: BTreeMap<&'a Api, BTreeSet<TrackId>> = BTreeMap::new();
        for (at, track) in self.contenders() {
            for place in &track.places {
                for api in place.provides() {
                    providers.entry(api).or_default().insert(at);
                }
            }
        }
        // Two fixed operators may provide the same API, because neither of them can move.
        let own = self.operators.len();
        providers
            .retain(|_, tracks| tracks.len() > 1 && tracks.first().is_some_and(|at| *at < own));
        self.apis = providers.into_keys().collect();
        let contested = self.tracks.iter().enumerate().map(|(at, track)| {
            let places = track.places.iter().map(|place| {
                let provided = place.provides().iter().filter(|_| self.contends(at));
                let known = provided.map(|api| self.apis.binary_search(&api));
                known.filter_map(Result::ok).collect()
            });
            places.collect()
        });
        self.contested = contested.collect();
        self.share();
    }

    fn contenders(&self) -> impl Iterator<Item = (TrackId, &Track<'a>)> {
        let tracks = self.tracks.iter().enumerate();
        tracks.filter(|(at, _)| self.contends(*at))
    }

    fn contends(&self, track: TrackId) -> bool {
        !self.is_lifted(track) && !self.tracks[track].overrides.ignore_conflicts
    }

    /// Records the conflicts that exist at the start, because these conflicts must not block moves.
    fn share(&mut self) {
        let mut providers = vec![Vec::new(); self.apis.len()];
        for (at, track) in self.tracks.iter().enumerate() {
            for api in &self.contested[at][track.start as usize] {
                providers[*api].push(at);
            }
        }
        for (api, tracks) in providers.iter().enumerate() {
            let own = tracks.iter().enumerate();
            for (place, one) in own.filter(|(_, one)| **one < self.operators.len()) {
                let others = tracks[place + 1..].iter();
                self.shared.extend(others.map(|other| (api, *one, *other)));
            }
        }
    }

    /// Returns true if a track satisfies a need in this state.
    pub(crate) fn is_met(&self, need: NeedId, state: &[PlaceId]) -> bool {
        let mut met = self.met[need].iter();
        met.any(|(track, places)| places[place_of(state, *track) as usize])
    }

    /// Returns the API that two tracks both provide at these places. Returns None if the places
    /// have no conflict.
    pub(crate) fn conflict(
        &self,
        (one, at): (TrackId, PlaceId),
        (other, there): (TrackId, PlaceId),
    ) -> Option<ApiId> {
        let [first, second] = [one.min(other), one.max(other)];
        let theirs = &self.contested[other][there as usize];
        let mut mine = self.contested[one][at as usize].iter().copied();
        mine.find(|api| theirs.contains(api) && !self.shared.contains(&(*api, first, second)))
    }
}

/// Returns the place of a track in a state. A state contains only the places of the question's
/// operators. A fixed track has only one place.
pub(crate) fn place_of(state: &[PlaceId], track: TrackId) -> PlaceId {
    state.get(track).copied().unwrap_or_default()
}

/// Returns a key that is equal for equal requirements.
fn key(requirement: &catalog::Requirement<'_>) -> String {
    match requirement {
        catalog::Requirement::Package(_) | catalog::Requirement::Api(_) => requirement.to_string(),
        catalog::Requirement::Constraint(constraint) => constraint.text().to_owned(),
    }
}

fn is_met(requirement: &Requirement, candidate: &catalog::Candidate<'_>) -> bool {
    let borrowed = match requirement {
        Requirement::Package(required) => catalog::Requirement::Package(required),
        Requirement::Api(api) => catalog::Requirement::Api(api),
        Requirement::Constraint(constraint) => catalog::Requirement::Constraint(constraint),
    };
    borrowed.is_met_by(candidate)
}
