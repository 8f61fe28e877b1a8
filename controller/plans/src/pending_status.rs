//! Repairs of members that the status of a plan does not contain yet.
//!
//! A plan contains all of its manifests, so a write of its status needs more resources of the API
//! server than the repair of a member. A user or controller that changes one object often changes
//! several objects. All of them are repaired first, and then reported together.

use std::time::Duration;

use portolan_api::plan::Status;
use portolan_runtime::News;
use serde_json::json;
use tokio::time::Instant;

/// The time to wait for more repairs after a member was repaired.
const PAUSE: Duration = Duration::from_millis(100);
/// The maximum delay of a report.
const LONGEST: Duration = Duration::from_secs(1);

/// Repairs of members that are not reported yet.
#[derive(Debug)]
pub(crate) struct PendingStatus {
    /// The status that is stored in the API server.
    written: Status,
    news: Vec<News>,
    since: Instant,
    /// The time of the last repair.
    last: Instant,
}

// === impl PendingStatus ===

impl PendingStatus {
    /// Starts to delay reports about a plan with this status.
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

    /// Returns the time at which the report must be written.
    pub(crate) fn due(&self) -> Instant {
        (self.last + PAUSE).min(self.since + LONGEST)
    }

    /// Returns the status that the API server has.
    pub(crate) fn written(&self) -> &Status {
        &self.written
    }

    /// Returns true if a status equals the stored status. Times in the stored status have whole
    /// seconds.
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
