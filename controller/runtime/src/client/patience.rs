//! How long a request may take.
//!
//! What takes longer than that once takes as long the next time: an API server that compiles large schemas, or has slow
//! webhooks, never answers in time who asks again in the same way. So the next request has twice the time, up
//! to what an API server itself gives a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long the first request may take, in seconds.
const FIRST: u64 = 10;
/// After that an API server gives a request up by itself.
const LONGEST: u64 = 60;

/// The time that requests have which belong together. Clones are the same.
#[derive(Debug, Clone)]
pub struct Patience(Arc<AtomicU64>);

impl Default for Patience {
    fn default() -> Self {
        Self(Arc::new(FIRST.into()))
    }
}

impl Patience {
    /// How long the next request may take.
    pub fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    /// A request took longer than it might. Returns how long the next one may take; several requests at once
    /// that had the same time count as one.
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
