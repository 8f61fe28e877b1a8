//! What was written and is not seen yet.

use std::collections::BTreeMap;
use std::time::Instant;

use portolan_world::Key;

use crate::observe::Shown;
use crate::write::{Echo, EchoAfter};

/// What was written for policies, until the world shows it.
#[derive(Debug, Default)]
pub(crate) struct Echoes {
    waiting: BTreeMap<Key, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    echoes: Vec<Echo>,
    until: Instant,
}

impl Echoes {
    /// These were written for a policy, and are waited for so long.
    pub(crate) fn expect(&mut self, policy: &Key, echoes: Vec<Echo>, until: Instant) {
        let waiting = Waiting { echoes, until };
        self.waiting.insert(policy.clone(), waiting);
    }

    /// The policies of which everything is shown that was written, or not in time.
    pub(crate) fn settle(
        &mut self,
        now: Instant,
        shown: impl Fn(&Echo) -> Option<Shown>,
    ) -> Vec<Key> {
        let mut settled = Vec::new();
        self.waiting.retain(|policy, waiting| {
            waiting.echoes.retain(|echo| !is_heard(echo, shown(echo)));
            let is_over = waiting.echoes.is_empty() || waiting.until <= now;
            if is_over {
                for Echo { kind, name, .. } in &waiting.echoes {
                    tracing::warn!(%policy, kind, name, "what was written is not seen");
                }
                settled.push(policy.clone());
            }
            !is_over
        });
        settled
    }

    /// When something is waited for no longer, if anything is.
    pub(crate) fn wake(&self) -> Option<Instant> {
        self.waiting.values().map(|waiting| waiting.until).min()
    }

    /// A policy is gone.
    pub(crate) fn forget(&mut self, policy: &Key) {
        self.waiting.remove(policy);
    }
}

/// Whether the world has heard of a write: it shows what was written, or something else than what
/// was there before.
fn is_heard(echo: &Echo, shown: Option<Shown>) -> bool {
    match (&echo.after, shown) {
        (EchoAfter::Gone(_), None) => true,
        (EchoAfter::Gone(uid), Some(shown)) => shown.is_leaving || shown.uid.as_ref() != Some(uid),
        // What was there and was not seen before may be gone again.
        (EchoAfter::Version(_), None) => echo.before.is_some(),
        (EchoAfter::Version(version), Some(shown)) => {
            shown.version.as_ref() == Some(version) || shown.version != echo.before
        }
    }
}

#[cfg(test)]
mod tests;
