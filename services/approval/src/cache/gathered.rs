//! Collects the facts about one namespace from the watched objects.

use std::collections::BTreeSet;

use portolan_core_approval::{Namespace, Plan, Subscription};
use portolan_core_names::PackageName;

use super::claims::Claims;
use super::kinds::Kinds;
use crate::facts;

/// The facts for reviewing the InstallPlans of a namespace, and the packages that these
/// InstallPlans may install.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) namespace: Namespace,
    pub(super) packages: BTreeSet<PackageName>,
}

impl Gathered {
    pub(super) fn of(name: &str, kinds: &Kinds, claims: &Claims) -> Self {
        let plans = kinds.plans.within(name);
        let plans: Vec<_> = plans.map(|(_, plan)| facts::plan(plan)).collect();
        let subscriptions = kinds.subscriptions.within(name);
        let subscriptions: Vec<_> = subscriptions
            .map(|(_, subscription)| facts::subscription(subscription))
            .collect();
        let csvs = kinds.csvs.within(name).map(|(_, csv)| csv);
        let packages = packages(&plans, &subscriptions);
        let mut policies = claims.of_namespace(name);
        policies.append(&mut claims.of_packages(&packages));
        let namespace = Namespace {
            name: name.to_owned(),
            plans,
            subscriptions,
            installed: csvs
                .filter(|csv| !csv.is_copied())
                .map(facts::installed)
                .collect(),
            policies,
            unseen: kinds.unseen(name),
            restraints: Vec::new(),
        };
        Self {
            namespace,
            packages,
        }
    }
}

/// Returns the packages that InstallPlans and Subscriptions of the namespace name. Empty if there
/// are no InstallPlans.
fn packages(plans: &[Plan], subscriptions: &[Subscription]) -> BTreeSet<PackageName> {
    if plans.is_empty() {
        return BTreeSet::new();
    }
    let bundles = plans.iter().flat_map(|plan| &plan.bundles);
    let stated = bundles.filter_map(|bundle| bundle.identity.as_ref()?.as_ref().ok());
    let steps = plans.iter().flat_map(|plan| &plan.steps);
    let wished = steps.filter_map(|step| step.package.as_ref());
    let subscribed = subscriptions.iter().filter_map(|it| it.package.as_ref());
    let all = stated.map(|identity| &identity.package).chain(wished);
    all.chain(subscribed).cloned().collect()
}
