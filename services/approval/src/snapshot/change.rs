//! The differences between two Snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_approval::{BundleReview, Review};

use super::{Located, Reviewed, Snapshot, Subject};

/// One change between two Snapshots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A review is new or has changed.
    Review(Located),
    /// An InstallPlan was deleted.
    Gone(Subject),
}

impl Snapshot {
    /// Returns the changes since `before`, in one namespace or in all namespaces. Removed
    /// InstallPlans come first, then changed reviews. Both groups are sorted by namespace and name.
    /// Content that both Snapshots share is not compared.
    pub(crate) fn since(&self, before: &Self, namespace: Option<&str>) -> Vec<Change> {
        let (mut gone, mut changed) = (Vec::new(), Vec::new());
        for name in self.moved(before, namespace) {
            let (was, is) = (by_name(before, name), by_name(self, name));
            for plan in was.keys().filter(|plan| !is.contains_key(*plan)) {
                gone.push(Change::Gone(Subject {
                    namespace: name.clone(),
                    name: (*plan).to_owned(),
                }));
            }
            for (plan, review) in is {
                let told = was.get(plan);
                if told.is_none_or(|told| !says_as(told, review)) {
                    changed.push(Change::Review(Located {
                        namespace: name.clone(),
                        review: review.clone(),
                    }));
                }
            }
        }
        gone.extend(changed);
        gone
    }

    /// Returns the namespaces whose reviews are not shared by both Snapshots.
    fn moved<'a>(&'a self, before: &'a Self, only: Option<&str>) -> BTreeSet<&'a Arc<str>> {
        let names = before.namespaces.keys().chain(self.namespaces.keys());
        let wanted = names.filter(|name| only.is_none_or(|only| ***name == *only));
        let value = |snapshot: &'a Self, name: &Arc<str>| snapshot.namespaces.get(name);
        let is_same = |name: &Arc<str>| match (value(before, name), value(self, name)) {
            (Some(was), Some(is)) => Arc::ptr_eq(was, is),
            (_, _) => false,
        };
        wanted.filter(|name| !is_same(name)).collect()
    }
}

fn by_name<'a>(snapshot: &'a Snapshot, namespace: &str) -> BTreeMap<&'a str, &'a Arc<Review>> {
    let reviewed = snapshot.namespaces.get(namespace);
    let reviews = reviewed.map_or(&[][..], |reviewed: &Arc<Reviewed>| &reviewed.reviews);
    reviews
        .iter()
        .map(|review| (review.plan.as_str(), review))
        .collect()
}

/// Returns true if both reviews are equal. Ignores the resource version of the InstallPlan.
pub(crate) fn says_as(one: &Arc<Review>, other: &Arc<Review>) -> bool {
    let Review {
        plan,
        uid,
        resource_version: _,
        phase,
        is_approved,
        is_manual,
        waits,
        verdict,
        bundles,
        policies,
        remarks,
    } = &**one;
    Arc::ptr_eq(one, other)
        || (*plan == other.plan
            && *uid == other.uid
            && *phase == other.phase
            && *is_approved == other.is_approved
            && *is_manual == other.is_manual
            && *waits == other.waits
            && *verdict == other.verdict
            && are_told_alike(bundles, &other.bundles)
            && *policies == other.policies
            && *remarks == other.remarks)
}

fn without_installed(bundle: &BundleReview) -> BundleReview {
    BundleReview {
        installed: None,
        ..bundle.clone()
    }
}

/// Returns true if clients get the same message for both lists. Ignores the installed bundle,
/// because it is only an input of rules and is not sent.
fn are_told_alike(ones: &[BundleReview], others: &[BundleReview]) -> bool {
    let is_alike = |(one, other): (&BundleReview, &BundleReview)| {
        one == other || without_installed(one) == without_installed(other)
    };
    ones.len() == others.len() && ones.iter().zip(others).all(is_alike)
}
