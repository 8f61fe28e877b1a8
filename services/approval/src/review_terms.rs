//! Reviews upgrades without a service, for callers that read the policies themselves.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_core_approval::consent::{Move, OperatorId, PolicySet, Terms, UpgradeReview, review};

use crate::worker;

/// The time of a review, and the default decisions of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewTerms {
    pub at: Timestamp,
    pub terms: Terms,
}

// === impl ReviewTerms ===

impl ReviewTerms {
    /// Creates the terms of a review at the current time.
    pub fn now(terms: Terms) -> Self {
        Self {
            at: Timestamp::now(),
            terms,
        }
    }

    /// Decides if an operator may be upgraded. `existing` contains all existing operators. If a
    /// worker program is registered, rules are evaluated in a separate process.
    pub fn review(
        &self,
        policies: &PolicySet,
        existing: &BTreeSet<OperatorId>,
        asked: &Move,
    ) -> UpgradeReview {
        let Self { at, terms } = *self;
        review(policies, existing, asked, at, terms, &worker::judge)
    }
}
