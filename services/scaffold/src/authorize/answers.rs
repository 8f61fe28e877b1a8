//! The cached review results of the API server, and the reviews in progress.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use super::expiring::Expiring;

/// The result of a review, and the duration for which the result is valid.
pub(crate) type Lasting<T, E> = (Result<T, E>, Duration);

/// A review in progress. Its output is None if the review panicked.
pub(crate) type Underway<T, E> = Shared<BoxFuture<'static, Option<Result<T, E>>>>;

/// Review results by query. Clones share the results.
///
/// A review that has started always runs to its end, even if its caller no longer waits. A later
/// caller with the same query joins this review or gets its result. Permissions and rejections are
/// in separate caches, so a rejection never evicts a permission.
pub(crate) struct Answers<K, T, E>(Arc<AnswersInner<K, T, E>>);

struct AnswersInner<K, T, E> {
    granted: Expiring<K, T>,
    refused: Expiring<K, E>,
    underway: Mutex<BTreeMap<K, Underway<T, E>>>,
}

/// Removes a query from the reviews in progress when this value is dropped.
struct Leaving<K: Ord, T, E>(Arc<AnswersInner<K, T, E>>, K);

// === impl Answers ===

impl<K, T, E> Answers<K, T, E>
where
    K: Hash + Ord + Clone + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
    E: Clone + Send + Sync + 'static,
{
    /// Creates a cache for about `granted` permissions and `refused` rejections.
    pub(crate) fn at_most(granted: usize, refused: usize) -> Self {
        Self(Arc::new(AnswersInner {
            granted: Expiring::at_most(granted),
            refused: Expiring::at_most(refused),
            underway: Mutex::default(),
        }))
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.0.granted.len(), self.0.refused.len())
    }

    /// Returns the valid result of an earlier review. Returns None if there is no result, or if the
    /// result has expired.
    pub(crate) fn held(&self, key: &K) -> Option<Result<T, E>> {
        let granted = self.0.granted.held(key).map(Ok);
        granted.or_else(|| self.0.refused.held(key).map(Err))
    }

    /// Returns the result of the last review that ended without a rejection, even if this result
    /// has expired.
    pub(crate) fn granted_once(&self, key: &K) -> Option<T> {
        self.0.granted.remembered(key)
    }

    pub(crate) fn underway(&self, key: &K) -> Option<Underway<T, E>> {
        self.0.underway().get(key).cloned()
    }

    /// Starts a review. If a review with this key is in progress, returns that review. If a valid
    /// result exists, returns this result.
    pub(crate) fn begin<F>(&self, key: K, asking: impl FnOnce() -> F) -> Underway<T, E>
    where
        F: Future<Output = Lasting<T, E>> + Send + 'static,
    {
        let mut underway = self.0.underway();
        if let Some(asked) = underway.get(&key) {
            return asked.clone();
        }
        if let Some(answer) = self.held(&key) {
            return std::future::ready(Some(answer)).boxed().shared();
        }
        let leaving = Leaving(self.0.clone(), key.clone());
        let asking = asking();
        let task = tokio::spawn(async move { leaving.0.keep(&leaving.1, asking.await) });
        let asked = task.map(Result::ok).boxed().shared();
        underway.insert(key, asked.clone());
        asked
    }
}

impl<K, T, E> fmt::Debug for Answers<K, T, E> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Answers")
    }
}

// === impl AnswersInner ===

impl<K: Ord, T, E> AnswersInner<K, T, E> {
    fn underway(&self) -> MutexGuard<'_, BTreeMap<K, Underway<T, E>>> {
        self.underway.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq + Clone, T: Clone, E: Clone> AnswersInner<K, T, E> {
    fn keep(&self, key: &K, (answer, lasts): Lasting<T, E>) -> Result<T, E> {
        match &answer {
            Ok(granted) => self.granted.keep(key.clone(), granted.clone(), lasts),
            Err(refusal) => self.refused.keep(key.clone(), refusal.clone(), lasts),
        }
        answer
    }
}

// === impl Leaving ===

impl<K: Ord, T, E> Drop for Leaving<K, T, E> {
    fn drop(&mut self) {
        self.0.underway().remove(&self.1);
    }
}
