//! Repairs of members that the status of a plan does not contain yet.
//!
//! A plan contains all of its manifests. Therefore writing its status costs the API server more
//! than repairing a member. A client that changes one object often changes several objects. All of
//! these objects are repaired first, and then reported together.

use std::time::Duration;

use portolan_api::plan::Status;
use portolan_runtime::News;
use serde_json::json;
use tokio::time::Instant;

/// The time to wait for more repairs after a repair.
const PAUSE: Duration = Duration::from_millis(100);
/// The maximum time between the first repair and the report.
const LONGEST: Duration = Duration::from_secs(1);

/// Repairs of members that have not been reported yet.
#[derive(Debug)]
pub(crate) struct PendingStatus {
    /// The status that the API server has now.
    written: Status,
    news: Vec<News>,
    since: Instant,
    /// The time of the last repair.
    last: Instant,
}

// === impl PendingStatus ===

impl PendingStatus {
    /// Starts to delay the reports about a plan. `written` is the status that the API server has
    /// now.
    pub(crate) fn begin(written: Status, now: Instant) -> Self {
        Self {
            written,
            news: Vec::new(),
            since: now,
            last: now,
        }
    }

    /// Records another repaired member.
    pub(crate) fn repaired(&mut self, now: Instant) {
        self.last = now;
    }

    pub(crate) fn add(&mut self, news: Vec<News>) {
        self.news.extend(news);
    }

    /// Returns the time at which the status must be written.
    pub(crate) fn due(&self) -> Instant {
        (self.last + PAUSE).min(self.since + LONGEST)
    }

    /// Returns the status that the API server has.
    pub(crate) fn written(&self) -> &Status {
        &self.written
    }

    /// Returns true if a status equals the status that the API server had at the start of the
    /// delay. In the stored status, times have only whole seconds.
    pub(crate) fn is_about(&self, status: &Status) -> bool {
        json!(self.written) == json!(status)
    }

    pub(crate) fn into_news(self) -> Vec<News> {
        self.news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_waits_for_more_repairs_but_not_indefinitely() {
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut pending_status = PendingStatus::begin(Status::default(), begun);
        assert_eq!(pending_status.due(), at(100));
        pending_status.repaired(at(60));
        assert_eq!(pending_status.due(), at(160));
        pending_status.repaired(at(950));
        assert_eq!(pending_status.due(), at(1_000));
    }
}
