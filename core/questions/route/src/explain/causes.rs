//! Finds the causes of a blockage.

use std::collections::BTreeSet;

use portolan_core_graph::{Destination, Installed, PathAnswer, Query};
use portolan_core_names::BundleName;
use portolan_core_solver::Requirement;

use super::Explainer;
use crate::answer::{Cause, Hold};
use crate::problem::{NeedId, TrackId, place_of};
use crate::question::Goal;
use crate::track::{Closed, PlaceId};

impl Explainer<'_, '_> {
    pub(super) fn causes(&self, track: TrackId, blockers: &BTreeSet<TrackId>) -> Vec<Cause> {
        if let Some(closed) = self.problem.tracks[track].closed {
            return vec![self.closed(track, closed)];
        }
        if blockers.is_empty() {
            return self.lacking(track).into_iter().collect();
        }
        let causes = blockers.iter().map(|other| {
            let held = self.held(track, *other);
            let required = held.or_else(|| self.required(track, *other));
            let provided = required.or_else(|| self.provided(track, *other));
            provided.unwrap_or_else(|| Cause::Order {
                by: self.name(*other),
            })
        });
        causes.collect()
    }

    fn closed(&self, track: TrackId, closed: Closed) -> Cause {
        let installed = self.question.operators[track].installed.as_ref();
        match (closed, installed) {
            (Closed::OnlyOlder, Some(installed)) => Cause::OnlyOlder {
                installed: installed.name.clone(),
            },
            (Closed::NoSuchVersion, _) => Cause::NoSuchVersion,
            (Closed::NoPath | Closed::OnlyOlder, _) => Cause::NoPath(self.no_path(track)),
        }
    }

    /// Returns the blockage that the graph of the operator's package reports. Returns None if the
    /// graph has a path, or if the requirement is not a range.
    fn no_path(&self, track: TrackId) -> Option<Box<portolan_core_graph::Blockage>> {
        let operator = &self.question.operators[track];
        let Goal::Range(range) = &operator.wish else {
            return None;
        };
        let place = self.problem.tracks[track].place(self.end[track]);
        let installed = Installed {
            name: place.name()?.clone(),
            version: place.version().cloned(),
        };
        let mut channels = operator.channels.iter();
        let channel = channels.next().filter(|_| channels.next().is_none());
        let query = Query {
            channel: channel.cloned(),
            allow_downgrade: operator.overrides.downgrades,
            ..Query::new(installed, Destination::Range(range.clone()))
        };
        match operator.package.graph().find_path(&query) {
            Ok(PathAnswer::Blocked(mut blockage)) => {
                // Another module tries unsafe changes for all operators, so they are removed from
                // the blockage of the graph.
                blockage.suggestions.retain(|help| !help.is_unsafe());
                Some(blockage)
            }
            Ok(PathAnswer::Reached(_) | PathAnswer::AlreadyThere(_)) | Err(_) => None,
        }
    }

    /// Returns a requirement of a bundle on the path that no operator can satisfy. Returns None if
    /// no such requirement exists.
    fn lacking(&self, track: TrackId) -> Option<Cause> {
        let tracks = 0..self.problem.tracks.len();
        let can_be_met = |need: &NeedId| {
            let mut others = tracks.clone().filter(|other| *other != track);
            self.problem.can_be_met(*need) || others.any(|other| self.could_meet(other, *need))
        };
        self.on_the_way(track).find_map(|(bundle, at)| {
            let mut needs = self.problem.needs[track][at as usize].iter();
            let need = needs.find(|need| !can_be_met(need))?;
            Some(Cause::Lacking {
                bundle: bundle.clone(),
                requirement: self.problem.requirements[*need].clone(),
            })
        })
    }

    /// Returns a requirement of a bundle on the path for which the other operator would have to
    /// change: the other operator is concerned by the requirement, but does not satisfy it at the
    /// end. Returns None if no such requirement exists.
    fn held(&self, track: TrackId, other: TrackId) -> Option<Cause> {
        let is_missed = |need: &NeedId| {
            let met = self.problem.met[*need].get(&other);
            let is_met = met.is_some_and(|places| places[self.at(other) as usize]);
            !is_met && self.bears_on(other, *need)
        };
        self.on_the_way(track).find_map(|(bundle, at)| {
            let mut needs = self.problem.needs[track][at as usize].iter();
            let need = needs.find(|need| is_missed(need))?;
            Some(Cause::Held {
                bundle: bundle.clone(),
                requirement: self.problem.requirements[*need].clone(),
                by: self.name(other),
                hold: self.hold(other),
            })
        })
    }

    /// Returns a requirement of the other operator at the end that a bundle on the path does not
    /// satisfy. Returns None if no such requirement exists. A bundle that is incompatible with
    /// every version of the other operator comes first.
    fn required(&self, track: TrackId, other: TrackId) -> Option<Cause> {
        let missed = |at: PlaceId, there: PlaceId| {
            let mut needs = self.problem.needs[other][there as usize].iter();
            needs.find(|need| {
                let met = self.problem.met[**need].get(&track);
                met.is_some_and(|places| !places[at as usize])
            })
        };
        let is_alone = |at: PlaceId| {
            let mut places = self.problem.living(other);
            places.all(|there| missed(at, there).is_some())
        };
        let ways = || self.on_the_way(track);
        let hard = ways().filter(|(_, at)| is_alone(*at));
        hard.chain(ways()).find_map(|(bundle, at)| {
            let need = missed(at, self.at(other))?;
            Some(Cause::RequiredBy {
                bundle: bundle.clone(),
                requirement: self.problem.requirements[*need].clone(),
                by: self.name(other),
            })
        })
    }

    fn provided(&self, track: TrackId, other: TrackId) -> Option<Cause> {
        self.on_the_way(track).find_map(|(bundle, at)| {
            let there = (other, self.at(other));
            let api = self.problem.conflict((track, at), there)?;
            Some(Cause::Provides {
                bundle: bundle.clone(),
                api: self.problem.apis[api].clone(),
                by: self.name(other),
            })
        })
    }

    /// Iterates over the bundles of a track except its final bundle, best first.
    fn on_the_way(&self, track: TrackId) -> impl Iterator<Item = (&BundleName, PlaceId)> {
        let places = self.problem.tracks[track].by_rank().into_iter();
        let ahead = places.filter(move |at| *at != self.end[track]);
        ahead.filter_map(move |at| Some((self.problem.tracks[track].place(at).name()?, at)))
    }

    /// Returns true if a need names the package of a track, or if any bundle of the track satisfies
    /// the need.
    pub(super) fn bears_on(&self, track: TrackId, need: NeedId) -> bool {
        let requirement = &self.problem.requirements[need];
        let is_named = match requirement {
            Requirement::Package(required) => {
                self.problem.tracks[track].package == Some(&required.package)
            }
            Requirement::Api(_) | Requirement::Constraint(_) => false,
        };
        is_named || self.could_meet(track, need)
    }

    /// Returns true if any bundle of a track satisfies a need, even if the bundle is unreachable.
    fn could_meet(&self, track: TrackId, need: NeedId) -> bool {
        let requirement = &self.problem.requirements[need];
        let is_met = self.problem.met[need].contains_key(&track);
        is_met || self.problem.could_meet(track, requirement)
    }

    fn at(&self, track: TrackId) -> PlaceId {
        place_of(&self.end, track)
    }

    /// Returns the name of a track's final bundle. If the operator is not installed, returns the
    /// package.
    fn name(&self, track: TrackId) -> String {
        let place = self.problem.tracks[track].place(self.at(track));
        let package = self.problem.tracks[track].package;
        match (place.name(), package) {
            (Some(bundle), _) => bundle.to_string(),
            (None, Some(package)) => package.to_string(),
            (None, None) => "an operator".to_owned(),
        }
    }

    fn hold(&self, track: TrackId) -> Hold {
        let wish = self.question.operators.get(track).map(|one| &one.wish);
        match wish {
            None | Some(Goal::Stay) => Hold::Stays,
            Some(Goal::Any | Goal::Range(_)) if !self.has_wish(track) => Hold::Stops,
            Some(wish @ (Goal::Any | Goal::Range(_))) => Hold::Wished(wish.to_string()),
        }
    }
}
