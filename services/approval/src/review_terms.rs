//! Reviews of upgrades without a service, for callers that read the policies themselves.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_core_approval::consent::{Move, OperatorId, PolicySet, Terms, UpgradeReview, review};

use crate::worker;

/// The time of a review, and the settings of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewTerms {
    pub at: Timestamp,
    pub terms: Terms,
}

// === impl ReviewTerms ===

impl ReviewTerms {
    /// Returns the terms of a review at the current time.
    pub fn now(terms: Terms) -> Self {
        Self {
            at: Timestamp::now(),
            terms,
        }
    }

    /// Decides if an operator may start a move. `existing` are all existing operators. Rules are
    /// evaluated in isolation if a program is registered for it.
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
