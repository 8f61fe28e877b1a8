//! The decision if an earlier response may be used for a later request.

use std::time::Duration;

use tokio::time::Instant;

/// The time of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestTime {
    at: Instant,
    /// The number of changes by then.
    pub(crate) changes: u64,
}

/// The time for which a response is fresh if no change is reported. Some facts change without a
/// report, such as the next window of an upgrade policy.
const FRESH: Duration = Duration::from_secs(2);

// === impl RequestTime ===

impl RequestTime {
    /// Returns the current time, after this number of changes.
    pub(crate) fn now(changes: u64) -> Self {
        Self {
            at: Instant::now(),
            changes,
        }
    }

    /// Returns true if a response requested at this time is fresh enough for a page requested at
    /// `page`. If pages wait for a slow response, the time of their arrival is used, so that they
    /// do not all start new requests.
    pub(crate) fn is_late_enough_for(self, page: Self) -> bool {
        page.changes <= self.changes && page.at < self.at + FRESH
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The question was sent in the tenth second, after four changes.
    #[rstest]
    #[case::shortly_after_the_response(11_900, 4, true)]
    #[case::before_the_response(9_000, 4, true)]
    #[case::too_late(12_100, 4, false)]
    #[case::after_a_change(10_300, 5, false)]
    fn response_is_cached_by_the_time_of_its_request(
        #[case] came: u64,
        #[case] changes: u64,
        #[case] is_new: bool,
    ) {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let asked = RequestTime {
            at: at(10_000),
            changes: 4,
        };
        let page = RequestTime {
            at: at(came),
            changes,
        };
        assert_eq!(asked.is_late_enough_for(page), is_new);
    }
}
