//! The recent events, for watches that go on from a version.

use std::collections::VecDeque;
use std::sync::Arc;

use thiserror::Error;

use crate::{Batch, Resource, ResourceVersion};

/// The last batches, up to a number of events.
#[derive(Debug)]
pub struct History {
    /// All that happened behind this is known.
    since: ResourceVersion,
    batches: VecDeque<Arc<Batch>>,
    /// The number of batches so far.
    pushed: u64,
    events: usize,
    most: usize,
}

/// Why a watch cannot go on from a version.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotKnown {
    /// The events since then are no longer known, or never were (410).
    #[error(
        "resourceVersion {asked} is too old, the oldest that a watch can go on from is {since}; list again"
    )]
    Expired {
        /// The version.
        asked: ResourceVersion,
        /// The oldest that is known.
        since: ResourceVersion,
    },
    /// It is yet to come: another replica has seen more (504 if it does not come soon).
    #[error(
        "resourceVersion {asked} is ahead of {held} in {}; ask again in a second",
        names(ahead)
    )]
    Ahead {
        /// The version.
        asked: ResourceVersion,
        /// The version that there is.
        held: ResourceVersion,
        /// The lists that have to come further.
        ahead: Vec<Resource>,
    },
}

fn names(resources: &[Resource]) -> String {
    let names: Vec<_> = resources.iter().map(|each| each.name()).collect();
    names.join(", ")
}

// === impl History ===

impl History {
    /// Nothing is known before a version. `most` events are kept, or those of one batch where it has
    /// more.
    pub fn since(version: ResourceVersion, most: usize) -> Self {
        Self {
            since: version,
            batches: VecDeque::new(),
            pushed: 0,
            events: 0,
            most,
        }
    }

    /// Adds what has happened.
    pub fn push(&mut self, batch: Arc<Batch>) {
        if batch.events.is_empty() {
            return;
        }
        self.events += batch.events.len();
        self.batches.push_back(batch);
        self.pushed += 1;
        while self.events > self.most && self.batches.len() > 1 {
            let Some(oldest) = self.batches.pop_front() else {
                return;
            };
            self.events -= oldest.events.len();
            self.since.advance(oldest.resource, &oldest.revision);
        }
    }

    /// The number of batches so far: the place of a watch that has seen all of them.
    pub fn place(&self) -> u64 {
        self.pushed
    }

    /// Returns the batches behind a place; None where they are no longer known, as the watch is too
    /// slow.
    pub fn batches_behind(&self, place: u64) -> Option<impl Iterator<Item = &Arc<Batch>>> {
        let behind = usize::try_from(self.pushed.checked_sub(place)?).ok()?;
        let first = self.batches.len().checked_sub(behind)?;
        Some(self.batches.range(first..))
    }

    /// Returns the batches since a version, up to the one that is held now. Each list counts by
    /// itself, so that it does not matter in which order another replica has seen them.
    ///
    /// # Errors
    /// The version is too long ago, or yet to come.
    pub fn batches_since<'a>(
        &'a self,
        asked: &'a ResourceVersion,
        held: &ResourceVersion,
    ) -> Result<impl Iterator<Item = &'a Arc<Batch>>, NotKnown> {
        let is_of_others = !asked.has_resources_of(held);
        if is_of_others || self.since.ahead_of(asked).next().is_some() {
            return Err(NotKnown::Expired {
                asked: asked.clone(),
                since: self.since.clone(),
            });
        }
        let ahead: Vec<_> = asked.ahead_of(held).collect();
        if !ahead.is_empty() {
            return Err(NotKnown::Ahead {
                asked: asked.clone(),
                held: held.clone(),
                ahead,
            });
        }
        let later = |batch: &&Arc<Batch>| asked.of(batch.resource) < Some(&batch.revision);
        Ok(self.batches.iter().filter(later))
    }
}
