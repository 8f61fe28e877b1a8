//! The news that is not written into the status of a plan yet: that members were put right.
//!
//! A plan has all its manifests in it, so that a write of its status takes an API server longer
//! than all else that it takes to put a member right. A user or controller that changes one object
//! mostly changes others too: these are put right first, and told together.

use std::time::Duration;

use portolan_api::plan::Status;
use portolan_runtime::News;
use serde_json::json;
use tokio::time::Instant;

/// The time to wait for others once a member was put right.
const PAUSE: Duration = Duration::from_millis(100);
/// The maximum time that it stays untold.
const LONGEST: Duration = Duration::from_secs(1);

/// The news about members that were put right, which is not told yet.
#[derive(Debug)]
pub(crate) struct Untold {
    /// The status that the API server has.
    told: Status,
    news: Vec<News>,
    since: Instant,
    /// When the last member was put right.
    last: Instant,
}

// === impl Untold ===

impl Untold {
    /// Nothing but that something is to be told, of a plan with this status.
    pub(crate) fn begin(told: Status, now: Instant) -> Self {
        Self {
            told,
            news: Vec::new(),
            since: now,
            last: now,
        }
    }

    /// One more member was put right.
    pub(crate) fn goes_on(&mut self, now: Instant) {
        self.last = now;
    }

    pub(crate) fn add(&mut self, news: Vec<News>) {
        self.news.extend(news);
    }

    /// When it is told, whatever comes.
    pub(crate) fn due(&self) -> Instant {
        (self.last + PAUSE).min(self.since + LONGEST)
    }

    /// The status that the API server has.
    pub(crate) fn told(&self) -> &Status {
        &self.told
    }

    /// Whether a status is that one, as an API server shows it: it has no parts of seconds.
    pub(crate) fn is_about(&self, status: &Status) -> bool {
        json!(self.told) == json!(status)
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
        let mut untold = Untold::begin(Status::default(), begun);
        assert_eq!(untold.due(), at(100));
        untold.goes_on(at(60));
        assert_eq!(untold.due(), at(160));
        untold.goes_on(at(950));
        assert_eq!(untold.due(), at(1_000));
    }
}
