//! The threads that judge upgrades. They are separate from other threads, because evaluating the
//! rules of users may take long.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use portolan_core_approval::consent::{Ground, Move, UpgradeReview, review};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::snapshot::UpgradeFacts;
use crate::worker;

/// The maximum number of upgrades that are judged at the same time.
pub(crate) const TOGETHER: usize = 2;
/// The maximum time that a caller waits for a judgment. Typical rules take a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// The interval after which rules that took too long are evaluated again.
const AGAIN: SignedDuration = SignedDuration::from_mins(1);

/// The query if an operator may be upgraded at this time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReviewUpgrade {
    pub(crate) asked: Move,
    pub(crate) at: Timestamp,
}

/// The result of a query about an upgrade.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReviewedUpgrade {
    pub(crate) question: ReviewUpgrade,
    /// The review. None if the rules were not evaluated in time.
    pub(crate) review: Option<UpgradeReview>,
    /// The reasons why facts are missing.
    pub(crate) unseen: Vec<String>,
    /// The policies and bindings on which the review is based.
    pub(crate) grounds: BTreeSet<Ground>,
}

// === impl ReviewedUpgrade ===

impl ReviewedUpgrade {
    /// Returns the time at which the result may change without a change of an object. Returns None
    /// if there is no such time.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        match &self.review {
            Some(review) => review.next,
            None => self.question.at.checked_add(AGAIN).ok(),
        }
    }

    /// Returns true if both results of the same query are equal. Ignores their times.
    pub(crate) fn says_as(&self, other: &Self) -> bool {
        let Self {
            question,
            review,
            unseen,
            grounds,
        } = self;
        question.asked == other.question.asked
            && *review == other.review
            && *unseen == other.unseen
            && *grounds == other.grounds
    }
}

/// Limits the number of concurrent judgments. A judgment that exceeds its time still counts until
/// it finishes. Therefore few such judgments run at the same time.
#[derive(Debug, Clone)]
pub(crate) struct Judges(Arc<Semaphore>);

impl Default for Judges {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(TOGETHER)))
    }
}

impl Judges {
    pub(crate) async fn judge(
        &self,
        question: ReviewUpgrade,
        facts: Arc<UpgradeFacts>,
    ) -> ReviewedUpgrade {
        let unseen = facts.unseen.clone();
        let operator = &question.asked.operator;
        let grounds = facts.world.grounds(&facts.operators, operator);
        let review = timeout(PATIENCE, self.reviewed(question.clone(), facts)).await;
        ReviewedUpgrade {
            question,
            review: review.ok().flatten(),
            unseen,
            grounds,
        }
    }

    async fn reviewed(
        &self,
        question: ReviewUpgrade,
        facts: Arc<UpgradeFacts>,
    ) -> Option<UpgradeReview> {
        let place = self.0.clone().acquire_owned().await.ok()?;
        let judged = spawn_blocking(move || {
            let UpgradeFacts {
                world,
                operators,
                labels: _,
                unseen: _,
                are_policies_served: _,
                unseen_policies: _,
                terms,
            } = &*facts;
            let ReviewUpgrade { asked, at } = &question;
            let review = review(world, operators, asked, *at, *terms, &worker::judge);
            drop(place);
            review
        });
        judged.await.ok()
    }
}
