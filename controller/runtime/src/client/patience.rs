//! The timeout of a request.
//!
//! A request that takes too long once takes as long the next time: an API server that compiles
//! large schemas, or has slow webhooks, never answers in time if the same request is sent again
//! with the same timeout. So the next request has twice the time, up to what an API server itself
//! gives a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The timeout of the first request, in seconds.
const FIRST: u64 = 10;
/// The longest timeout, in seconds: after that an API server itself gives a request up.
const LONGEST: u64 = 60;

/// The timeout that related requests share. Clones are the same.
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

    /// Doubles the timeout after a request ran into it, up to the longest one. Returns the timeout
    /// of the next request; several requests at once that had the same timeout count as one.
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
    fn requests_have_ever_more_time_up_to_a_minute() {
        let patience = Patience::default();
        let mut had = Vec::new();
        for _ in 0..5 {
            had.push(patience.now().as_secs());
            // Two that are under way at once.
            let now = patience.now();
            patience.grow(now);
            patience.clone().grow(now);
        }
        assert_eq!(had, [10, 20, 40, 60, 60]);
    }
}
