//! News that is not yet written into the status of a plan: repairs of members.
//!
//! A plan contains all its manifests, so a write of its status costs an API server more than the
//! whole repair of a member. A user or controller that changes one object usually changes others
//! too. All of these are repaired first and then reported together.

use std::time::Duration;

use portolan_api::plan::Status;
use portolan_runtime::News;
use serde_json::json;
use tokio::time::Instant;

/// The time to wait for other repairs after a member was repaired.
const PAUSE: Duration = Duration::from_millis(100);
/// The maximum time that news is held back.
const LONGEST: Duration = Duration::from_secs(1);

/// News about repaired members that is not reported yet.
#[derive(Debug)]
pub(crate) struct PendingStatus {
    /// The status that the API server has.
    written: Status,
    news: Vec<News>,
    since: Instant,
    /// The time when the last member was repaired.
    last: Instant,
}

// === impl PendingStatus ===

impl PendingStatus {
    /// Starts to hold back news of a plan with this status.
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

    /// Returns the time when the news must be reported.
    pub(crate) fn due(&self) -> Instant {
        (self.last + PAUSE).min(self.since + LONGEST)
    }

    /// Returns the status that the API server has.
    pub(crate) fn written(&self) -> &Status {
        &self.written
    }

    /// Returns true if a status equals the one of the API server, which has no fractions of
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
    fn it_waits_for_others_and_not_for_ever() {
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
