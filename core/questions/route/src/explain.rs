//! Finds the operators that block an operator, and the changes that would help.
//!
//! Other operators block an operator if the operator would satisfy its requirement without them. A
//! change helps if the operator would satisfy its requirement with the change. Each check is a
//! separate search. All searches for one operator share one budget.

mod causes;

use std::collections::BTreeSet;

use portolan_core_names::Version;
use portolan_core_solver::Requirement;

use crate::Overrides;
use crate::answer::{Cause, RouteBlockage, Suggestion, Wanted};
use crate::component::{Component, State};
use crate::plan::solve;
use crate::problem::{Problem, TrackId};
use crate::question::{Goal, Question};

/// Explains why operators do not reach their targets in the final state of a plan.
pub(crate) struct Explainer<'p, 'a> {
    pub(crate) question: &'a Question,
    pub(crate) problem: &'p Problem<'a>,
    /// The places of all operators after their routes.
    pub(crate) end: State,
}

/// The trial searches for one operator, with their common budget.
struct Trials<'e, 'p, 'a> {
    explainer: &'e Explainer<'p, 'a>,
    track: TrackId,
    left: u32,
}

// === impl Explainer ===

impl<'p, 'a> Explainer<'p, 'a> {
    /// Returns the reason why a track does not reach its target. With `is_best`, the search has
    /// proved that the final state is the best state.
    pub(crate) fn blockage(&self, track: TrackId, is_best: bool) -> RouteBlockage {
        let mut trials = Trials {
            explainer: self,
            track,
            left: self.question.budget.states,
        };
        let blockers = match self.problem.tracks[track].closed {
            Some(_) => BTreeSet::new(),
            None => trials.blockers(),
        };
        let mut causes = self.causes(track, &blockers);
        if causes.is_empty() || !is_best {
            causes.push(Cause::Unknown);
        }
        let suggestions = trials.suggestions(&blockers, &causes);
        let operator = &self.question.operators[track];
        let place = self.problem.tracks[track].place(self.end[track]);
        RouteBlockage {
            package: operator.name().clone(),
            furthest: place.name().cloned(),
            wish: operator.wish.to_string(),
            causes,
            suggestions,
        }
    }

    /// Returns the target bundle of a track. Returns None if the track has no target.
    pub(crate) fn wanted(&self, track: TrackId, is_granted: bool) -> Option<Wanted> {
        let one = &self.problem.tracks[track];
        let at = match (is_granted, one.closed) {
            (true, _) => Some(self.end[track]),
            (false, Some(_)) => None,
            (false, None) => one.by_rank().into_iter().find(|at| *at != self.end[track]),
        };
        let place = one.place(at?);
        Some(Wanted {
            bundle: place.name()?.clone(),
            version: place.version().cloned(),
            requires: place.requires().cloned().unwrap_or_default(),
        })
    }

    /// Returns true if the final place of a track satisfies its requirement.
    fn has_wish(&self, track: TrackId) -> bool {
        self.problem.tracks[track].is_goal(self.end[track])
    }

    /// Returns all tracks that are connected with a track by needs or by common APIs, directly or
    /// indirectly.
    fn related(&self, track: TrackId) -> BTreeSet<TrackId> {
        let mut related = BTreeSet::from([track]);
        loop {
            let before = related.len();
            for need in 0..self.problem.requirements.len() {
                let concerned = self.concerned(need);
                if concerned.iter().any(|one| related.contains(one)) {
                    related.extend(concerned);
                }
            }
            for api in 0..self.problem.apis.len() {
                let tracks = 0..self.problem.tracks.len();
                let contested = &self.problem.contested;
                let provides = |one: &TrackId| contested[*one].iter().flatten().any(|a| *a == api);
                let concerned: Vec<_> = tracks.filter(provides).collect();
                if concerned.iter().any(|one| related.contains(one)) {
                    related.extend(concerned);
                }
            }
            if related.len() == before {
                related.remove(&track);
                return related;
            }
        }
    }

    /// Returns the tracks that have a need, and the tracks that could satisfy the need in some
    /// version.
    fn concerned(&self, need: usize) -> Vec<TrackId> {
        let problem = self.problem;
        let tracks = 0..problem.tracks.len();
        let needing = |track: TrackId| problem.needs[track].iter().flatten().any(|n| *n == need);
        if !tracks.clone().any(needing) {
            return Vec::new();
        }
        let concerns = |track: &TrackId| needing(*track) || self.bears_on(*track, need);
        tracks.filter(concerns).collect()
    }
}

// === impl Trials ===

impl<'a> Trials<'_, '_, 'a> {
    /// Returns a minimal set of operators that block this operator: the operator satisfies its
    /// requirement if their requirements and needs are ignored. Returns an empty set if this is
    /// impossible.
    fn blockers(&mut self) -> BTreeSet<TrackId> {
        let question = self.explainer.question;
        let mut blockers = self.explainer.related(self.track);
        if self.grants(question, &blockers).is_none() {
            return BTreeSet::new();
        }
        for one in blockers.clone().into_iter().rev() {
            let mut fewer = blockers.clone();
            fewer.remove(&one);
            if self.grants(question, &fewer).is_some() {
                blockers = fewer;
            }
        }
        blockers
    }

    /// Solves a changed question. Returns the result if this operator then satisfies its
    /// requirement, and if no other operator stops satisfying its requirement. Returns None
    /// otherwise.
    fn grants<'q>(
        &mut self,
        question: &'q Question,
        lifted: &BTreeSet<TrackId>,
    ) -> Option<(Problem<'q>, State)> {
        let problem = Problem::without(question, lifted);
        let components = Component::all(&problem).into_iter();
        let mut component = components
            .into_iter()
            .find(|one| one.tracks.contains(&self.track))
            .unwrap_or_else(|| Component::still(self.track));
        component.tracks.sort_by_key(|track| {
            let has_wish = self.explainer.has_wish(*track);
            (!has_wish, *track != self.track, *track)
        });
        let (found, _) = solve(&problem, &component, &mut self.left);
        let kept = component.tracks.iter().filter(|track| {
            **track == self.track || (self.explainer.has_wish(**track) && !lifted.contains(track))
        });
        let mut kept = kept.copied();
        let is_goal = |track: TrackId| problem.tracks[track].is_goal(found.end[track]);
        kept.all(is_goal).then_some((problem, found.end))
    }

    fn suggestions(&mut self, blockers: &BTreeSet<TrackId>, causes: &[Cause]) -> Vec<Suggestion> {
        let mut suggestions = Vec::new();
        for one in blockers {
            suggestions.extend(self.letting(*one));
        }
        suggestions.extend(self.wishing());
        suggestions.extend(causes.iter().filter_map(|cause| match cause {
            Cause::Lacking { requirement, .. } => self.adding(requirement),
            Cause::NoSuchVersion
            | Cause::OnlyOlder { .. }
            | Cause::NoPath(_)
            | Cause::Held { .. }
            | Cause::RequiredBy { .. }
            | Cause::Provides { .. }
            | Cause::Order { .. }
            | Cause::Unknown => None,
        }));
        for one in [self.track].iter().chain(blockers) {
            suggestions.extend(self.lifting(*one));
        }
        suggestions
    }

    /// Suggests to add an operator that satisfies the requirement. Returns None if the package of
    /// this operator is already present.
    fn adding(&self, requirement: &Requirement) -> Option<Suggestion> {
        let mut tracks = self.explainer.problem.tracks.iter();
        let is_there = match requirement {
            Requirement::Package(required) => {
                tracks.any(|track| track.package == Some(&required.package))
            }
            Requirement::Api(_) | Requirement::Constraint(_) => false,
        };
        (!is_there).then(|| Suggestion::Add(requirement.clone()))
    }

    /// Suggests another version of another operator. Returns None if no version helps.
    fn letting(&mut self, other: TrackId) -> Option<Suggestion> {
        let mut question = self.explainer.question.clone();
        let operator = question.operators.get_mut(other)?;
        if std::mem::replace(&mut operator.wish, Goal::Any) == Goal::Any {
            return None;
        }
        let package = operator.name().clone();
        let (problem, end) = self.grants(&question, &BTreeSet::new())?;
        let to = version(&problem, other, &end)?;
        Some(Suggestion::Let { package, to })
    }

    /// Suggests to require the bundle at the end of the route instead. Returns None if the operator
    /// has not moved.
    fn wishing(&self) -> Option<Suggestion> {
        let Explainer { problem, end, .. } = self.explainer;
        let has_moved = end[self.track] != problem.tracks[self.track].start;
        let to = version(problem, self.track, end).filter(|_| has_moved)?;
        let package = self.explainer.question.operators[self.track].name().clone();
        Some(Suggestion::Wish { package, to })
    }

    /// Suggests overrides for an operator. Each override is tried separately.
    fn lifting(&mut self, other: TrackId) -> Vec<Suggestion> {
        let Some(operator) = self.explainer.question.operators.get(other) else {
            return Vec::new();
        };
        let package = operator.name().clone();
        let mut suggestions = Vec::new();
        for overrides in Overrides::each() {
            let with = operator.overrides.and(overrides);
            let mut question = self.explainer.question.clone();
            question.operators[other].overrides = with;
            let is_new = with != operator.overrides;
            if is_new && self.grants(&question, &BTreeSet::new()).is_some() {
                let package = package.clone();
                suggestions.push(Suggestion::Lift { package, overrides });
            }
        }
        suggestions
    }
}

fn version(problem: &Problem<'_>, track: TrackId, end: &State) -> Option<Version> {
    let place = problem.tracks[track].place(end[track]);
    place.version().cloned()
}

// === impl Overrides ===

impl Overrides {
    /// Returns one set for each override. The least harmful override comes first.
    fn each() -> [Self; 4] {
        let none = Self::default();
        [
            Self {
                direct_upgrades: true,
                ..none
            },
            Self {
                downgrades: true,
                ..none
            },
            Self {
                ignore_conflicts: true,
                ..none
            },
            Self {
                ignore_dependencies: true,
                ..none
            },
        ]
    }

    fn and(self, other: Self) -> Self {
        Self {
            ignore_dependencies: self.ignore_dependencies || other.ignore_dependencies,
            direct_upgrades: self.direct_upgrades || other.direct_upgrades,
            downgrades: self.downgrades || other.downgrades,
            ignore_conflicts: self.ignore_conflicts || other.ignore_conflicts,
        }
    }
}
