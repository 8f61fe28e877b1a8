//! How many answers were used and refused.

use std::sync::atomic::{AtomicU64, Ordering};

use portolan_decide::Heard;

/// The answers of one service, as they are counted.
#[derive(Debug, Default)]
pub(super) struct Counter {
    used: AtomicU64,
    refused: AtomicU64,
}

/// The answers of one service so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Those that something was decided from.
    pub(crate) used: u64,
    /// Those that were missing, too old, or about something else.
    pub(crate) refused: u64,
}

/// The answers of all services so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Of the resolver.
    pub(crate) resolver: Tally,
    /// Of health.
    pub(crate) health: Tally,
    /// Of approval.
    pub(crate) approval: Tally,
}

// === impl Counter ===

impl Counter {
    /// Counts an answer, where one was asked for.
    pub(super) fn count<T>(&self, heard: &Heard<T>) {
        match heard {
            Heard::Unasked => {}
            Heard::Said(_) | Heard::Nothing(_) => self.count_use(true),
            Heard::Silent(_) => self.count_use(false),
        }
    }

    pub(super) fn count_use(&self, is_used: bool) {
        let counter = match is_used {
            true => &self.used,
            false => &self.refused,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            used: self.used.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }
}
