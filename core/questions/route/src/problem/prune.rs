//! Removes impossible places and needs that are always satisfied, before any search.

use std::mem;

use super::{NeedId, Problem, TrackId};
use crate::track::PlaceId;

impl Problem<'_> {
    /// Removes impossible places until nothing changes, and then removes the needs that are always
    /// satisfied.
    ///
    /// A place is impossible in three cases: one of its needs can never be satisfied, it conflicts
    /// with every place of another track, or no moves lead to it. The places at the start are never
    /// removed.
    pub(super) fn prune(&mut self) {
        loop {
            let mut is_changed = false;
            for track in 0..self.tracks.len() {
                is_changed |= self.prune_track(track);
            }
            if !is_changed {
                break;
            }
        }
        self.forget();
    }

    fn prune_track(&mut self, track: TrackId) -> bool {
        let alive: Vec<_> = (0..)
            .take(self.tracks[track].places.len())
            .map(|place: PlaceId| {
                let is_start = place == self.tracks[track].start;
                self.alive[track][place as usize] && (is_start || self.can_be(track, place))
            })
            .collect();
        let alive = self.reached(track, &alive);
        let was = mem::replace(&mut self.alive[track], alive);
        was != self.alive[track]
    }

    fn can_be(&self, track: TrackId, place: PlaceId) -> bool {
        let mut needs = self.needs[track][place as usize].iter();
        let is_excluded = |other: TrackId| {
            other != track
                && !self.contested[track][place as usize].is_empty()
                && self
                    .living(other)
                    .all(|there| self.conflict((track, place), (other, there)).is_some())
        };
        needs.all(|need| self.can_be_met(*need)) && !(0..self.tracks.len()).any(is_excluded)
    }

    pub(crate) fn can_be_met(&self, need: NeedId) -> bool {
        let mut met = self.met[need].iter();
        met.any(|(track, places)| self.living(*track).any(|at| places[at as usize]))
    }

    /// Iterates over the possible places of a track.
    pub(crate) fn living(&self, track: TrackId) -> impl Iterator<Item = PlaceId> {
        let alive = (0..).zip(&self.alive[track]);
        alive.filter(|(_, alive)| **alive).map(|(at, _)| at)
    }

    fn reached(&self, track: TrackId, alive: &[bool]) -> Vec<bool> {
        let start = self.tracks[track].start;
        let mut reached = vec![false; alive.len()];
        let mut border = vec![start];
        while let Some(at) = border.pop() {
            if alive[at as usize] && !mem::replace(&mut reached[at as usize], true) {
                border.extend(self.tracks[track].jumps(at).iter().map(|jump| jump.to));
            }
        }
        reached
    }

    /// Removes the needs that are always satisfied, because a track satisfies them at all of its
    /// places.
    fn forget(&mut self) {
        let needs = (0..self.met.len()).map(|need| self.is_always_met(need));
        let always: Vec<_> = needs.collect();
        for needs in self.needs.iter_mut().flatten() {
            needs.retain(|need| !always[*need]);
        }
    }

    fn is_always_met(&self, need: NeedId) -> bool {
        let mut met = self.met[need].iter();
        met.any(|(track, places)| self.living(*track).all(|at| places[at as usize]))
    }
}
