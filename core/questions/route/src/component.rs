//! Groups operators that affect each other. Each group is planned separately.

use std::collections::BTreeSet;

use crate::problem::{NeedId, Problem, TrackId, Violation};
use crate::track::{Jump, PlaceId};

/// The bundle of each operator that can move, as its place: the index of the bundle in the list of
/// its track.
pub(crate) type State = Box<[PlaceId]>;

/// The tracks of operators that affect each other. Other tracks do not affect them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Component {
    /// The tracks of the component, in the order of the question.
    pub(crate) tracks: Vec<TrackId>,
    /// The needs of fixed tracks that tracks of this component can satisfy. Each need has the track
    /// that requires it.
    pub(crate) standing: Vec<(TrackId, NeedId)>,
}

// === impl Component ===

impl Component {
    /// Returns the components of a problem, in the order of their first tracks. Fixed tracks belong
    /// to no component.
    pub(crate) fn all(problem: &Problem<'_>) -> Vec<Self> {
        let mut groups = Groups::of(problem.tracks.len());
        for (of, need) in asked(problem) {
            let linked = problem.met[need].keys().copied().chain([of]);
            groups.link(linked.filter(|track| problem.moves(*track)));
        }
        for api in 0..problem.apis.len() {
            let tracks = 0..problem.tracks.len();
            groups.link(tracks.filter(|track| {
                let provides = |place| problem.contested[*track][place as usize].contains(&api);
                problem.moves(*track) && problem.living(*track).any(provides)
            }));
        }
        let moving = (0..problem.tracks.len()).filter(|track| problem.moves(*track));
        let mut components: Vec<Self> = Vec::new();
        for track in moving {
            let root = groups.root(track);
            let known = components
                .iter_mut()
                .find(|component| groups.root(component.tracks[0]) == root);
            match known {
                Some(component) => component.tracks.push(track),
                None => components.push(Self {
                    tracks: vec![track],
                    standing: Vec::new(),
                }),
            }
        }
        for component in &mut components {
            component.stand(problem);
        }
        components
    }

    /// Returns a component with only one track, which does not move.
    pub(crate) fn still(track: TrackId) -> Self {
        Self {
            tracks: vec![track],
            standing: Vec::new(),
        }
    }

    fn stand(&mut self, problem: &Problem<'_>) {
        let mut standing = asked(problem);
        standing.retain(|(of, need)| {
            let concerns = |track: &TrackId| problem.met[*need].contains_key(track);
            !problem.moves(*of) && self.tracks.iter().any(concerns)
        });
        self.standing = standing.into_iter().collect();
    }

    /// Iterates over the needs that affect the component.
    pub(crate) fn asked(&self, problem: &Problem<'_>) -> impl Iterator<Item = NeedId> {
        let own = asked(problem).into_iter();
        let own = own.filter(|(of, _)| self.tracks.contains(of));
        let needs = own.chain(self.standing.clone());
        needs.map(|(_, need)| need)
    }

    /// Returns the first violation in a state. Returns None if the state satisfies all needs and
    /// has no conflict.
    pub(crate) fn violation(&self, problem: &Problem<'_>, state: &[PlaceId]) -> Option<Violation> {
        let own = self.tracks.iter().flat_map(|track| {
            let needs = &problem.needs[*track][state[*track] as usize];
            needs.iter().map(move |need| (*track, *need))
        });
        let needs = own.chain(self.standing.iter().copied());
        let mut unmet = needs.filter(|(_, need)| !problem.is_met(*need, state));
        if let Some((of, need)) = unmet.next() {
            return Some(Violation::Unmet { need, of });
        }
        let clashes = |one: TrackId, other: TrackId| {
            let places = [(one, state[one]), (other, state[other])];
            problem.conflict(places[0], places[1]).is_some()
        };
        for one in &self.tracks {
            if problem.contested[*one][state[*one] as usize].is_empty() {
                continue;
            }
            let mut others = self.tracks.iter().filter(|other| *other != one);
            if let Some(other) = others.find(|other| clashes(*one, **other)) {
                let (one, other) = (*one, *other);
                return Some(Violation::Conflict { one, other });
            }
        }
        None
    }
}

/// Iterates over the jumps from a place of a track. Omits jumps to impossible places.
pub(crate) fn jumps<'p>(
    problem: &'p Problem<'_>,
    track: TrackId,
    from: PlaceId,
) -> impl Iterator<Item = &'p Jump> {
    let jumps = problem.tracks[track].jumps(from).iter();
    jumps.filter(move |jump| problem.alive[track][jump.to as usize])
}

/// Returns the needs of all possible places, each with the track that requires it.
fn asked(problem: &Problem<'_>) -> BTreeSet<(TrackId, NeedId)> {
    let tracks = 0..problem.tracks.len();
    let asked = tracks.flat_map(|track| {
        let needs = problem.living(track);
        needs.flat_map(move |at| {
            let needs = problem.needs[track][at as usize].iter();
            needs.map(move |need| (track, *need))
        })
    });
    asked.collect()
}

/// Disjoint sets of tracks. Sets can be merged.
struct Groups(Vec<TrackId>);

// === impl Groups ===

impl Groups {
    fn of(size: usize) -> Self {
        Self((0..size).collect())
    }

    fn root(&self, mut at: TrackId) -> TrackId {
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    fn link(&mut self, tracks: impl Iterator<Item = TrackId>) {
        let roots: BTreeSet<_> = tracks.map(|track| self.root(track)).collect();
        if let Some(first) = roots.first().copied() {
            for root in roots {
                self.0[root] = first;
            }
        }
    }
}
