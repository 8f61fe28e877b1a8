//! The pauses between reviews of the permissions of a ServiceAccount whose requests are denied.
//!
//! ```text
//! denied -- first, or soon after the answer changed --> reviewed at once
//!        -- the answer has not changed for some time --> reviewed after the same time again,
//!                                                        30 s at most
//! ```

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::ConditionType;

use super::observation::Observation;
use crate::permissions::Roles;

/// The longest pause.
const LONGEST: SignedDuration = SignedDuration::from_secs(30);

/// The reviews of permissions because of denied requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reviews {
    last: Option<Timestamp>,
    /// Set if a request was denied in the pause after the last review.
    is_wanted: bool,
}

impl Observation {
    /// Takes over that a request was denied that the known answers allow: the ServiceAccount may have
    /// lost permissions. All of them are reviewed again, at once or after the pause.
    pub fn denied(&mut self) {
        self.reviews.is_wanted = true;
        self.review_if_wanted();
    }

    /// Prepares for a look: permissions that were missing, or may be lost, are reviewed again if the
    /// pause is over.
    pub fn review_if_due(&mut self) {
        self.review_if_wanted();
        if !self.status.is_true(ConditionType::Permitted) && self.is_review_due() {
            self.answers.retain(|_, is_allowed| *is_allowed);
            self.begin_review();
        }
    }

    /// The time at which a review is due that a pause put off.
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

    /// The end of the pause; None before the first review.
    fn review_due(&self) -> Option<Timestamp> {
        let last = self.reviews.last?;
        let answered = self.status.condition(ConditionType::Permitted);
        let unchanged = answered.map(|said| last.duration_since(said.last_transition_time.0));
        let pause = unchanged.unwrap_or_default();
        last.checked_add(pause.clamp(SignedDuration::ZERO, LONGEST))
            .ok()
    }
}
