//! Reviews the InstallPlans of a namespace.

use std::collections::BTreeMap;

use portolan_core_names::text::listed;

use crate::bundle::Case;
use crate::facts::Facts;
use crate::identity::Brought;
use crate::progress::Progress;
use crate::review::{reason, verdict};
use crate::words::named;
use crate::{
    ApprovalCode, Namespace, Plan, PolicyId, Reason, Review, Standing, State, Subscription,
};

/// Reviews each InstallPlan of a namespace by its policies. The newest plan comes first. Plans with
/// the same generation are sorted by name.
///
/// # Guarantees
///
/// The result does not depend on the order of the input. If facts are missing, not written yet, or
/// unknown, the verdict is never Yes.
pub fn review(namespace: &Namespace) -> Vec<Review> {
    let facts = Facts::new(namespace);
    let plans = facts.plans.iter();
    let reviews = plans.map(|(plan, brought)| review_plan(&facts, plan, brought));
    reviews
        .map(|review| review.withhold(&namespace.restraints))
        .collect()
}

fn review_plan<'a>(facts: &Facts<'a>, plan: &'a Plan, brought: &[Brought<'a>]) -> Review {
    let progress = Progress::new(facts, plan, brought);
    let (bundles, policies) = Case::new(facts, plan, brought).judge();
    let mut reasons = progress.reasons();
    reasons.extend(
        bundles
            .iter()
            .flat_map(|bundle| bundle.verdict.reasons.iter().cloned()),
    );
    let waits = progress.awaits_approval();
    Review {
        plan: plan.name.clone(),
        uid: plan.uid.clone(),
        resource_version: plan.resource_version.clone(),
        phase: plan.phase.clone(),
        is_approved: plan.is_approved,
        is_manual: plan.is_manual,
        waits,
        verdict: verdict(facts, reasons),
        bundles,
        policies: by_id(policies),
        remarks: remarks(facts, plan, brought, waits),
    }
}

fn by_id(policies: Vec<&Standing>) -> Vec<Standing> {
    let policies: BTreeMap<&PolicyId, &Standing> = policies
        .into_iter()
        .map(|policy| (&policy.id, policy))
        .collect();
    policies.into_values().cloned().collect()
}

/// Returns the remarks on a plan. The remarks report unreadable properties of identified bundles,
/// and Subscriptions that wait because another Subscription is Manual.
fn remarks(facts: &Facts<'_>, plan: &Plan, brought: &[Brought<'_>], waits: bool) -> Vec<Reason> {
    let known = brought.iter().filter(|bundle| bundle.is.is_ok());
    let unread = known.flat_map(|bundle| {
        let object = (
            portolan_core_olm::ClusterServiceVersion::KIND,
            facts.name,
            bundle.name,
        );
        let unread = bundle.unread.iter();
        unread.map(move |why| reason(State::Yes, ApprovalCode::UnknownPackage, object, why))
    });
    let forced = if waits {
        forced(facts, plan, brought)
    } else {
        None
    };
    unread.chain(forced).collect()
}

/// Returns the remark that Subscriptions with automatic approval wait because another Subscription
/// of the namespace is Manual. Returns None if no Subscription waits for this reason.
fn forced(facts: &Facts<'_>, plan: &Plan, brought: &[Brought<'_>]) -> Option<Reason> {
    let names = |is_wanted: &dyn Fn(&Subscription) -> bool| -> Vec<String> {
        let all = facts.subscriptions.iter().filter(|one| is_wanted(one));
        all.map(|one| named(&one.name)).collect()
    };
    let is_brought = |csv: &str| brought.iter().any(|bundle| bundle.name == csv);
    let waiting = names(&|one| !one.is_manual && is_brought(&one.current));
    let manual = names(&|one| one.is_manual);
    if waiting.is_empty() || manual.is_empty() {
        return None;
    }
    let (them, waits) = match waiting.as_slice() {
        [_] => ("Subscription", "has automatic approval, but waits"),
        _ => ("Subscriptions", "have automatic approval, but wait"),
    };
    let (others, are) = match manual.as_slice() {
        [_] => ("Subscription", "is"),
        _ => ("Subscriptions", "are"),
    };
    let (waiting, manual) = (listed(waiting), listed(manual));
    let message = format!(
        "{them} {waiting} {waits} because {others} {manual} in the same namespace {are} Manual"
    );
    let object = (
        portolan_core_olm::InstallPlan::KIND,
        facts.name,
        plan.name.as_str(),
    );
    Some(reason(
        State::Yes,
        ApprovalCode::ForcedManual,
        object,
        &message,
    ))
}
