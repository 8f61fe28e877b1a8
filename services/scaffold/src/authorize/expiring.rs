//! A cache of values with a limited lifetime. If the cache is full, the most used values are kept.

use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

/// Values by key. Each value has a separate lifetime.
pub(crate) struct Expiring<K, V>(Cache<K, Entry<V>>);

#[derive(Clone)]
struct Entry<V> {
    value: V,
    until: Instant,
}

// === impl Expiring ===

impl<K: Hash + Eq + Clone, V: Clone> Expiring<K, V> {
    /// Creates a cache for about this many values.
    pub(crate) fn at_most(entries: usize) -> Self {
        Self(Cache::new(entries))
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the value of a key. Returns None if the value is missing or has expired.
    pub(crate) fn held(&self, key: &K) -> Option<V> {
        let entry = self.0.get(key);
        entry
            .filter(|entry| entry.until > Instant::now())
            .map(|entry| entry.value)
    }

    /// Returns the value of a key, even if the value has expired. Returns None if the value is
    /// missing.
    pub(crate) fn remembered(&self, key: &K) -> Option<V> {
        self.0.get(key).map(|entry| entry.value)
    }

    pub(crate) fn keep(&self, key: K, value: V, lasts: Duration) {
        let until = Instant::now() + lasts;
        self.0.insert(key, Entry { value, until });
    }
}

impl<K, V> fmt::Debug for Expiring<K, V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Expiring")
    }
}
