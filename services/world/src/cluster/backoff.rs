//! How long to leave a server alone that has just failed.

use std::time::{Duration, Instant};

use kube::runtime::utils::Backoff as _;
use kube::runtime::watcher::DefaultBackoff;

/// What has held for so long was in order: the next failure is a first one.
const STEADY: Duration = Duration::from_secs(10);

/// How much shorter than those of kube our rests are: from a quarter of a second to ten.
const SHARE: u32 = 3;

/// Longer and longer rests, never the same for two clients.
#[derive(Default)]
pub(super) struct Backoff(DefaultBackoff);

impl Backoff {
    /// Rests after that has failed which began at `begun`.
    pub(super) async fn after(&mut self, begun: Instant) {
        if begun.elapsed() > STEADY {
            self.0.reset();
        }
        if let Some(pause) = self.0.next() {
            tokio::time::sleep(pause / SHARE).await;
        }
    }

    /// Rests only if that which began at `begun` ended early.
    pub(super) async fn unless_steady(&mut self, begun: Instant) {
        match begun.elapsed() > STEADY {
            true => self.0.reset(),
            false => self.after(begun).await,
        }
    }
}
