//! The latest reviews of all namespaces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_approval::{Reason, Review, Standing};

use crate::snapshot::Reviewed;

/// The reviews of each namespace. If a review does not change, its memory is shared.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    all: BTreeMap<Arc<str>, Arc<Reviewed>>,
}

// === impl Verdicts ===

impl Verdicts {
    pub(super) fn all(&self) -> &BTreeMap<Arc<str>, Arc<Reviewed>> {
        &self.all
    }

    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        self.all.keys().cloned().collect()
    }

    /// Stores the reviews of a namespace. Returns true if a review has changed.
    pub(super) fn put(
        &mut self,
        namespace: &Arc<str>,
        reviews: Vec<Review>,
        policies: Vec<Standing>,
    ) -> bool {
        let before = self.all.get(namespace).cloned().unwrap_or_default();
        let reviewed = reviews.into_iter();
        let reviews: Vec<_> = reviewed
            .map(|review| kept(namespace, &before, review))
            .collect();
        let now = Reviewed {
            remarks: remarks(&reviews),
            reviews,
            policies,
        };
        if *before == now {
            return false;
        }
        if now.is_nothing() {
            self.all.remove(namespace)
        } else {
            self.all.insert(namespace.clone(), Arc::new(now))
        };
        true
    }
}

/// Returns the previous review if it is equal to the new review.
fn kept(namespace: &str, before: &Reviewed, review: Review) -> Arc<Review> {
    match before.review(&review.plan) {
        Some(was) if **was == review => was.clone(),
        was => {
            log_change(namespace, was, &review);
            Arc::new(review)
        }
    }
}

/// Returns the remarks on InstallPlans, without duplicates.
fn remarks(reviews: &[Arc<Review>]) -> Vec<Reason> {
    let mut all: Vec<Reason> = Vec::new();
    for remark in reviews.iter().flat_map(|review| &review.remarks) {
        if !all.contains(remark) {
            all.push(remark.clone());
        }
    }
    all
}

/// Logs a changed verdict on an InstallPlan for the administrators of this process.
fn log_change(namespace: &str, was: Option<&Arc<Review>>, is: &Review) {
    let Review { plan, verdict, .. } = is;
    let state = verdict.state;
    let why = verdict.reasons.first();
    let code = why.map(|why| why.code.as_str());
    let reason = why.map(|why| why.message.as_str());
    match was.map(|was| was.verdict.state) {
        Some(before) if before != state => {
            let (from, to) = (before, state);
            tracing::info!(
                namespace,
                plan,
                ?from,
                ?to,
                code,
                reason,
                "the verdict of a plan has \
                changed"
            );
        }
        Some(_) | None => {
            tracing::debug!(namespace, plan, ?state, code, reason, "a plan was reviewed");
        }
    }
}
