//! Applies restraints to a review. A restraint is a time window or rule that prevents an approval
//! now, although a policy allows the bundle.

use crate::review::sorted;
use crate::{Allowance, BundleReview, Reason, Restraint, Review, State};

impl Review {
    /// Iterates over the allowances that approve the plan now, each with its bundle. Empty if the
    /// plan does not wait, or if the verdict is not Yes.
    pub fn approvals(&self) -> impl Iterator<Item = (&BundleReview, &Allowance)> {
        let may_be = self.waits && self.verdict.state == State::Yes;
        let bundles = self.bundles.iter().filter(move |_| may_be);
        bundles.flat_map(|bundle| {
            let allowances = bundle.allowances.iter();
            allowances.map(move |allowance| (bundle, allowance))
        })
    }

    /// Applies restraints of policies to the review. A bundle stays allowed if at least one policy
    /// without a restraint allows the bundle.
    #[must_use]
    pub fn withhold(mut self, restraints: &[Restraint]) -> Self {
        if restraints.is_empty() || self.approvals().next().is_none() {
            return self;
        }
        let own = restraints.iter().filter(|it| it.plan == self.plan);
        let own: Vec<_> = own.collect();
        let mut all = Vec::new();
        for bundle in &mut self.bundles {
            let why = |allowance: &Allowance| -> Vec<Reason> {
                let why = own
                    .iter()
                    .filter(|it| it.bundle == bundle.name && it.policy == allowance.policy);
                why.flat_map(|it| it.reasons.iter().cloned()).collect()
            };
            let whys: Vec<_> = bundle.allowances.iter().map(why).collect();
            if whys.is_empty() || whys.iter().any(Vec::is_empty) {
                continue;
            }
            let reasons = whys.concat();
            all.extend(reasons.iter().cloned());
            bundle.verdict = sorted(reasons);
        }
        self.verdict = sorted(all);
        self
    }
}
