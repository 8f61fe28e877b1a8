//! How often somebody may try to get in.

use std::time::Duration;

/// How many may be tried at once.
const AT_ONCE: u32 = 5;
/// One more after each of these.
const EACH: Duration = Duration::from_secs(10);

/// Attempts that are left. Everybody on loopback counts as one: there is nothing to tell them apart by.
#[derive(Debug)]
pub(crate) struct Attempts {
    left: u32,
    /// When the last one was added, since the beginning.
    at: Duration,
}

// === impl Attempts ===

impl Attempts {
    pub(crate) fn new() -> Self {
        Self {
            left: AT_ONCE,
            at: Duration::ZERO,
        }
    }

    /// Whether one more may be tried at this time since the beginning.
    pub(crate) fn take(&mut self, now: Duration) -> bool {
        let passed = now.saturating_sub(self.at).as_nanos() / EACH.as_nanos();
        let more = u32::try_from(passed).unwrap_or(u32::MAX);
        if more > 0 {
            self.left = self.left.saturating_add(more).min(AT_ONCE);
            self.at = now;
        }
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_may_be_tried_and_then_one_each_ten_seconds() {
        let mut attempts = Attempts::new();
        let second = Duration::from_secs;
        let first: Vec<_> = (0..7).map(|_| attempts.take(second(1))).collect();
        assert_eq!(first, [true, true, true, true, true, false, false]);
        assert!(!attempts.take(second(9)));
        assert!(attempts.take(second(11)));
        assert!(!attempts.take(second(12)));
        let much_later: Vec<_> = (0..6).map(|_| attempts.take(second(9_999))).collect();
        assert_eq!(much_later, [true, true, true, true, true, false]);
    }
}
