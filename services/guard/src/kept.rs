//! Answers that are kept for a while, the most used of them.

use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use quick_cache::sync::{Cache, EntryAction, EntryResult};
use tokio::time::Instant;

/// Values by their keys, each for as long as it says. Of several who want the same value at the same
/// time one gets it, and the others wait for that.
pub(crate) struct Kept<K, V>(Cache<K, Entry<V>>);

#[derive(Clone)]
struct Entry<V> {
    value: V,
    until: Instant,
}

// === impl Kept ===

impl<K: Hash + Eq + Clone, V: Clone> Kept<K, V> {
    /// Keeps about this many.
    pub(crate) fn at_most(entries: usize) -> Self {
        Self(Cache::new(entries))
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// What is kept, or else what `make` comes to, which also says for how long.
    pub(crate) async fn get(&self, key: K, make: impl Future<Output = (V, Duration)>) -> V {
        let now = Instant::now();
        let entry = self
            .0
            .entry_async(&key, |_, entry: &mut Entry<V>| match entry.until > now {
                true => EntryAction::Retain(entry.value.clone()),
                false => EntryAction::ReplaceWithGuard,
            });
        let guard = match entry.await {
            EntryResult::Retained(value) => return value,
            EntryResult::Vacant(guard) | EntryResult::Replaced(guard, _) => guard,
            EntryResult::Removed(..) | EntryResult::Timeout => return make.await.0,
        };
        let (value, lasts) = make.await;
        let entry = Entry {
            value: value.clone(),
            until: Instant::now() + lasts,
        };
        // It is not kept where somebody else has put one there meanwhile, which nobody does.
        let _ = guard.insert(entry);
        value
    }
}

impl<K, V> fmt::Debug for Kept<K, V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Kept")
    }
}
