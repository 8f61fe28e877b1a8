//! Keeps recent events, so that watches can resume from a version.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::{Batch, Resource, ResourceVersion};

/// The number of recent batches with which a new batch may share lists of namespaces.
const SHARING: usize = 16;
/// The maximum number of namespaces for which the last dropped change is recorded separately.
const NAMESPACES: usize = 16_384;

/// The limits of a [`History`]. It drops the oldest batches that exceed a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The time for which a batch is kept.
    pub age: Duration,
    /// The maximum memory of all batches in bytes. The newest batch is always kept.
    pub bytes: usize,
}

/// The recent batches of events.
#[derive(Debug)]
pub struct History {
    limits: Limits,
    batches: VecDeque<Kept>,
    /// The number of batches that were added so far.
    pushed: u64,
    bytes: usize,
    /// The version after the last dropped batch. All later changes are known.
    since: ResourceVersion,
    /// The version after which all changes are known in namespaces that are not in `dropped`.
    quiet_since: ResourceVersion,
    /// For each namespace, the version of its last dropped change. A watch of another namespace
    /// misses none of these changes.
    dropped: BTreeMap<Arc<str>, ResourceVersion>,
}

#[derive(Debug)]
struct Kept {
    batch: Arc<Batch>,
    bytes: usize,
    at: Duration,
}

/// The reason why a watch cannot resume from a version.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotKnown {
    /// The history does not contain all events after this version (410).
    #[error(
        "resourceVersion {asked} is too old; the oldest that a watch can continue from is \
         {since}; list again"
    )]
    Expired {
        /// The requested version.
        asked: ResourceVersion,
        /// The oldest version from which a watch can resume.
        since: ResourceVersion,
    },
    /// This replica has not reached the version, which another replica has returned. The response
    /// is 504 if this replica does not reach it in time.
    #[error(
        "resourceVersion {asked} is ahead of {held} in {}; ask again in a second",
        names(ahead)
    )]
    Ahead {
        /// The requested version.
        asked: ResourceVersion,
        /// The current version of this replica.
        held: ResourceVersion,
        /// The source lists that must be newer.
        ahead: Vec<Resource>,
    },
}

fn names(resources: &[Resource]) -> String {
    let names: Vec<_> = resources.iter().map(|each| each.name()).collect();
    names.join(", ")
}

// === impl History ===

impl History {
    /// Creates a history that begins at this version.
    pub fn since(version: ResourceVersion, limits: Limits) -> Self {
        Self {
            limits,
            batches: VecDeque::new(),
            pushed: 0,
            bytes: 0,
            quiet_since: version.clone(),
            since: version,
            dropped: BTreeMap::new(),
        }
    }

    /// Adds a batch. `at` is the current time of a monotonic clock.
    pub fn push(&mut self, mut batch: Batch, at: Duration) {
        if batch.is_empty() {
            return;
        }
        let recent = self.batches.iter().rev().take(SHARING);
        let bytes = batch.share(recent.map(|kept| &kept.batch));
        let batch = Arc::new(batch);
        self.bytes += bytes;
        self.batches.push_back(Kept { batch, bytes, at });
        self.pushed += 1;
        while self.batches.len() > 1 && self.is_over_a_limit(at) {
            let oldest = self.batches.pop_front();
            oldest.into_iter().for_each(|kept| self.forget(&kept));
        }
    }

    fn is_over_a_limit(&self, now: Duration) -> bool {
        let Limits { age, bytes } = self.limits;
        let oldest = self.batches.front();
        self.bytes > bytes || oldest.is_some_and(|kept| now.saturating_sub(kept.at) > age)
    }

    fn forget(&mut self, Kept { batch, bytes, .. }: &Kept) {
        self.bytes -= bytes;
        self.since.advance(batch.resource, &batch.revision);
        for namespace in batch.namespaces() {
            if let Some(version) = self.dropped.get_mut(namespace) {
                version.advance(batch.resource, &batch.revision);
            } else {
                let mut version = ResourceVersion::default();
                version.advance(batch.resource, &batch.revision);
                self.dropped.insert(namespace.clone(), version);
            }
        }
        if self.dropped.len() > NAMESPACES {
            self.dropped.clear();
            self.quiet_since = self.since.clone();
        }
    }

    /// Returns the number of batches that were added so far. It is the position of a watch that has
    /// sent all of them.
    pub fn place(&self) -> u64 {
        self.pushed
    }

    /// Returns the memory of all batches in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the batches after a position. Returns None if some of these batches were dropped,
    /// because the watch is too slow.
    pub fn batches_behind(&self, place: u64) -> Option<impl Iterator<Item = &Arc<Batch>>> {
        let behind = usize::try_from(self.pushed.checked_sub(place)?).ok()?;
        let first = self.batches.len().checked_sub(behind)?;
        Some(self.batches.range(first..).map(|kept| &kept.batch))
    }

    /// Returns the batches after a version, for a watch of one namespace or of all namespaces. For
    /// one namespace, dropped changes of other namespaces have no effect. The revisions of the
    /// source lists are compared separately, because another replica may receive the lists in
    /// another order.
    ///
    /// # Errors
    /// Returns an error if the version is too old, or if this replica has not reached it yet.
    pub fn batches_since<'a>(
        &'a self,
        asked: &'a ResourceVersion,
        held: &ResourceVersion,
        namespace: Option<&str>,
    ) -> Result<impl Iterator<Item = &'a Arc<Batch>>, NotKnown> {
        let is_of_others = !asked.has_resources_of(held);
        if is_of_others || self.is_forgotten(asked, namespace) {
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
        Ok(self.batches.iter().map(|kept| &kept.batch).filter(later))
    }

    /// Returns true if a change after the version was dropped, or happened before the history
    /// began.
    fn is_forgotten(&self, asked: &ResourceVersion, namespace: Option<&str>) -> bool {
        let is_later = |version: &ResourceVersion| version.ahead_of(asked).next().is_some();
        match namespace {
            None => is_later(&self.since),
            Some(namespace) => {
                is_later(&self.quiet_since) || self.dropped.get(namespace).is_some_and(is_later)
            }
        }
    }
}
