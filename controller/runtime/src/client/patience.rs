//! The timeout of requests that are retried.
//!
//! If a request times out, the same request will probably need the same time again. For example,
//! the API server may compile large schemas or call slow webhooks. With a fixed timeout, such a
//! request would never succeed. Therefore each timeout doubles the timeout of the next request, up
//! to the timeout of the API server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The timeout of the first request, in seconds.
const FIRST: u64 = 10;
/// The maximum timeout in seconds. After this time, the API server itself cancels a request.
const LONGEST: u64 = 60;

/// The timeout that related requests share. Clones share the timeout.
#[derive(Debug, Clone)]
pub struct Patience(Arc<AtomicU64>);

impl Default for Patience {
    fn default() -> Self {
        Self(Arc::new(FIRST.into()))
    }
}

impl Patience {
    /// Returns the timeout of the next request.
    pub fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    /// Doubles the timeout after a request has timed out, up to the maximum. Returns the timeout of
    /// the next request. If several requests with the same timeout time out, the timeout is doubled
    /// only once.
    pub(super) fn grow(&self, had: Duration) -> Duration {
        let more = had.as_secs().saturating_mul(2).min(LONGEST);
        let before = self.0.fetch_max(more, Ordering::Relaxed);
        Duration::from_secs(more.max(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeout_doubles_up_to_a_minute() {
        let patience = Patience::default();
        let mut had = Vec::new();
        for _ in 0..5 {
            had.push(patience.now().as_secs());
            // These two requests run at the same time, so the timeout must be doubled only once.
            let now = patience.now();
            patience.grow(now);
            patience.clone().grow(now);
        }
        assert_eq!(had, [10, 20, 40, 60, 60]);
    }
}
