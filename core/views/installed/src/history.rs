//! Recent events, for watches that resume from a version.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::{Batch, Resource, ResourceVersion};

/// The number of recent batches with which a new batch may share lists of namespaces.
const SHARING: usize = 16;
/// The maximum number of namespaces whose last dropped change is recorded individually.
const NAMESPACES: usize = 16_384;

/// The limits of a [`History`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The time for which a batch is kept.
    pub age: Duration,
    /// The maximum memory of all batches, in bytes. The last batch is always kept.
    pub bytes: usize,
}

/// The recent batches, limited by age and memory.
#[derive(Debug)]
pub struct History {
    limits: Limits,
    batches: VecDeque<Kept>,
    /// The number of batches so far.
    pushed: u64,
    bytes: usize,
    /// The version since which all changes are known.
    since: ResourceVersion,
    /// The version since which all changes are known in namespaces that are not in `dropped`.
    quiet_since: ResourceVersion,
    /// The last dropped changes by namespace. Watches of other namespaces have missed no change.
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
    /// The events since this version are no longer known, or were never known (410).
    #[error(
        "resourceVersion {asked} is too old; the oldest that a watch can continue from is \
         {since}; list again"
    )]
    Expired {
        /// The requested version.
        asked: ResourceVersion,
        /// The oldest known version.
        since: ResourceVersion,
    },
    /// Another replica has reported a later version (504 if this replica does not reach it in
    /// time).
    #[error(
        "resourceVersion {asked} is ahead of {held} in {}; ask again in a second",
        names(ahead)
    )]
    Ahead {
        /// The requested version.
        asked: ResourceVersion,
        /// The current version.
        held: ResourceVersion,
        /// The lists that must advance.
        ahead: Vec<Resource>,
    },
}

fn names(resources: &[Resource]) -> String {
    let names: Vec<_> = resources.iter().map(|each| each.name()).collect();
    names.join(", ")
}

// === impl History ===

impl History {
    /// Creates a history that begins at a version.
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

    /// Adds a batch, with the time on any monotonic clock.
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

    /// Returns the number of batches so far, which is the position of a watch that has seen all of
    /// them.
    pub fn place(&self) -> u64 {
        self.pushed
    }

    /// Returns the memory of the batches, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the batches after a position. Returns None if the watch is too slow and some of
    /// these batches have been dropped.
    pub fn batches_behind(&self, place: u64) -> Option<impl Iterator<Item = &Arc<Batch>>> {
        let behind = usize::try_from(self.pushed.checked_sub(place)?).ok()?;
        let first = self.batches.len().checked_sub(behind)?;
        Some(self.batches.range(first..).map(|kept| &kept.batch))
    }

    /// Returns the batches from a version to the current version, for a watch of one namespace or
    /// of all namespaces. For one namespace, dropped changes of other namespaces do not matter. The
    /// revision of each list is compared separately, because another replica may have received the
    /// lists in another order.
    ///
    /// # Errors
    /// Returns an error if the version is too old, or not reached yet.
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

    /// Returns true if a change after a version was dropped, or happened before the history began.
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
