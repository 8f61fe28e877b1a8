//! Limits how often the permissions of a ServiceAccount are reviewed after denied requests.
//!
//! ```text
//! denied -- first, or soon after the answer changed --> reviewed at once
//!        -- answer unchanged for some time -----------> reviewed after the same time again,
//!                                                       at most 30 s
//! ```

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::ConditionType;

use super::observation::{Observation, Reviews};
use crate::permissions::Roles;

/// The maximum delay of a review.
const LONGEST: SignedDuration = SignedDuration::from_secs(30);

impl Observation {
    /// Records that the API server denied a request that earlier reviews allowed. The
    /// ServiceAccount may have lost permissions. All its permissions are reviewed again, at once or
    /// after the delay.
    pub fn denied(&mut self) {
        self.reviews.is_wanted = true;
        self.review_if_wanted();
    }

    /// Prepares a reconciliation. If the delay has ended, missing permissions and permissions that
    /// may have been lost are reviewed again.
    pub fn review_if_due(&mut self) {
        self.review_if_wanted();
        if !self.status.is_true(ConditionType::Permitted) && self.is_review_due() {
            self.answers.retain(|_, is_allowed| *is_allowed);
            self.begin_review();
        }
    }

    /// Returns the time of the delayed review. Returns None if no review is delayed.
    pub(super) fn put_off_until(&self) -> Option<Timestamp> {
        self.review_due().filter(|_| self.reviews.is_wanted)
    }

    fn review_if_wanted(&mut self) {
        if self.reviews.is_wanted && self.is_review_due() {
            self.answers.clear();
            self.begin_review();
        }
    }

    fn begin_review(&mut self) {
        self.account = None;
        self.roles = Roles::default();
        self.reviews = Reviews {
            last: Some(self.now),
            is_wanted: false,
        };
    }

    fn is_review_due(&self) -> bool {
        self.review_due().is_none_or(|due| due <= self.now)
    }

    /// Returns the time at which the delay ends. Returns None before the first review.
    fn review_due(&self) -> Option<Timestamp> {
        let last = self.reviews.last?;
        let answered = self.status.condition(ConditionType::Permitted);
        let unchanged = answered.map(|said| last.duration_since(said.last_transition_time.0));
        let pause = unchanged.unwrap_or_default();
        last.checked_add(pause.clamp(SignedDuration::ZERO, LONGEST))
            .ok()
    }
}
