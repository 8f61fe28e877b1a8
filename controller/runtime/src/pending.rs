//! The writes of this process that the cache does not contain yet.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_world::Key;

/// The write of an object. The owner of the object is reconciled again only after the cache
/// contains this write. Otherwise the reconciler would make the same decision again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingWrite {
    /// The kind.
    pub kind: String,
    /// The namespace. None for cluster-scoped objects.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The resource version before the write. None if the object did not exist or its version was
    /// unknown.
    pub before: Option<String>,
    /// The state that the cache must have after the write.
    pub after: Expected,
}

/// The state that an object must have in the cache after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// The object has this resource version. An object that is being deleted may disappear before
    /// the cache contains this version.
    Version(String),
    /// The cache shows no object with this uid.
    Gone(String),
}

/// The state that an object has in a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cached {
    /// The uid.
    pub uid: Option<String>,
    /// The resource version.
    pub version: Option<String>,
    /// True if the object is being deleted.
    pub is_terminating: bool,
}

/// The pending writes of one kind, by the object whose reconciliation made them.
#[derive(Debug, Default)]
pub(crate) struct PendingWrites {
    waiting: BTreeMap<Key, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    writes: Vec<PendingWrite>,
    until: Instant,
}

/// An object whose wait for its writes has ended.
#[derive(Debug, PartialEq)]
pub(crate) struct Settled {
    pub(crate) key: Key,
    /// The writes that the cache did not contain in time.
    pub(crate) unseen: Vec<PendingWrite>,
}

// === impl Cached ===

impl Cached {
    /// Returns the cached state of an object with this metadata.
    pub fn of(metadata: &ObjectMeta) -> Self {
        Self {
            uid: metadata.uid.clone(),
            version: metadata.resource_version.clone(),
            is_terminating: metadata.deletion_timestamp.is_some(),
        }
    }
}

// === impl PendingWrite ===

impl PendingWrite {
    /// Returns the key of the object.
    pub fn key(&self) -> Key {
        Key::new(self.namespace.as_deref().unwrap_or_default(), &self.name)
    }

    /// Returns true if the write changed the object.
    pub fn is_change(&self) -> bool {
        match &self.after {
            Expected::Version(version) => self.before.as_ref() != Some(version),
            Expected::Gone(_) => true,
        }
    }
}

// === impl PendingWrites ===

impl PendingWrites {
    /// Starts to wait for the writes of an object, until this time at the latest.
    pub(crate) fn expect(&mut self, key: &Key, writes: Vec<PendingWrite>, until: Instant) {
        let waiting = Waiting { writes, until };
        self.waiting.insert(key.clone(), waiting);
    }

    /// Removes and returns the objects whose wait has ended: because the cache contains all writes,
    /// or because of the timeout.
    pub(crate) fn settle(
        &mut self,
        now: Instant,
        cached: impl Fn(&PendingWrite) -> Option<Cached>,
    ) -> Vec<Settled> {
        let mut settled = Vec::new();
        self.waiting.retain(|key, waiting| {
            waiting
                .writes
                .retain(|write| !is_cached(write, cached(write)));
            let is_over = waiting.writes.is_empty() || waiting.until <= now;
            if is_over {
                settled.push(Settled {
                    key: key.clone(),
                    unseen: std::mem::take(&mut waiting.writes),
                });
            }
            !is_over
        });
        settled
    }

    /// Returns the time at which the first wait ends. Returns None if no object waits.
    pub(crate) fn wake(&self) -> Option<Instant> {
        self.waiting.values().map(|waiting| waiting.until).min()
    }

    /// Drops an object that no longer exists.
    pub(crate) fn forget(&mut self, key: &Key) {
        self.waiting.remove(key);
    }
}

/// Returns true if the cache contains a write. The object then has the written state, or any state
/// other than the state before the write.
fn is_cached(write: &PendingWrite, cached: Option<Cached>) -> bool {
    match (&write.after, cached) {
        (Expected::Gone(_), None) => true,
        (Expected::Gone(uid), Some(cached)) => {
            cached.is_terminating || cached.uid.as_ref() != Some(uid)
        }
        // If the object existed before the write, it may have been deleted since then. If the
        // object is new, it is not cached yet.
        (Expected::Version(_), None) => write.before.is_some(),
        (Expected::Version(version), Some(cached)) => {
            cached.version.as_ref() == Some(version) || cached.version != write.before
        }
    }
}
