//! An InstallPlan that brings nothing of the operator itself, but what the operator needs.

use std::cmp::Reverse;

use portolan_core_olm::{InstallPlan, InstallPlanPhase, Subscription};

use super::Relevant;
use super::review::any;
use crate::State;
use crate::case::Case;

/// The last InstallPlan that waits, that policies allow, and that brings something for the sake of
/// what this policy allows: no policy is about that, so this one sees to it.
pub(super) fn of<'a>(case: &'a Case<'a>) -> Option<Relevant<'a>> {
    if !case.intent.allows_dependencies {
        return None;
    }
    let own = case.subscription()?;
    let plans = case.namespace.plans.iter().map(|plan| &**plan);
    let waiting = plans.filter(|plan| waits(plan));
    let needed = waiting.filter_map(|plan| {
        let (bundle, by) = passed_on(case, plan)?;
        Some(Relevant {
            case,
            subscription: asking(case, bundle).unwrap_or(own),
            plan,
            needed_by: Some(by),
        })
    });
    needed.max_by_key(|one| {
        let name = Reverse(one.plan.metadata.name.clone());
        (one.plan.spec.generation, name)
    })
}

fn waits(plan: &InstallPlan) -> bool {
    plan.status.phase == InstallPlanPhase::RequiresApproval && !plan.spec.approved
}

/// A bundle of the plan that the policy allows because another one needs it, and which.
fn passed_on<'a>(case: &Case<'a>, plan: &InstallPlan) -> Option<(&'a str, &'a str)> {
    let policy = case.observed.policy.metadata.uid.as_deref();
    let review = any(case, plan).filter(|review| review.verdict.state == State::Yes)?;
    review.bundles.iter().find_map(|bundle| {
        let mut allowances = bundle.allowances.iter();
        let own = allowances.find(|allowance| Some(allowance.uid.as_str()) == policy)?;
        Some((bundle.name.as_str(), own.needed_by.last()?.as_str()))
    })
}

/// The Subscription that goes to a bundle: the one that OLM made for it.
fn asking<'a>(case: &Case<'a>, bundle: &str) -> Option<&'a Subscription> {
    let mut all = case.namespace.subscriptions.iter();
    all.find(|each| each.status.current_csv == bundle)
        .map(|each| &**each)
}
