//! All that is said of the InstallPlans of a namespace.

use std::collections::BTreeMap;

use portolan_core_names::text::listed;
use portolan_core_olm::kinds::{CSV, INSTALL_PLAN};

use crate::bundle::Case;
use crate::ground::Ground;
use crate::identity::Brought;
use crate::progress::Progress;
use crate::review::{reason, verdict};
use crate::words::named;
use crate::{Code, Namespace, Plan, Policy, PolicyId, Reason, Review, State, Subscription};

/// What the policies make of each InstallPlan of a namespace: the newest first, then by name.
///
/// # Guarantees
///
/// The order in which things come in makes no difference. Nothing that is not seen, not written or
/// not known makes a Yes.
pub fn review(namespace: &Namespace) -> Vec<Review> {
    let ground = Ground::new(namespace);
    let plans = ground.plans.iter();
    plans
        .map(|(plan, brought)| review_plan(&ground, plan, brought))
        .collect()
}

fn review_plan<'a>(ground: &Ground<'a>, plan: &'a Plan, brought: &[Brought<'a>]) -> Review {
    let progress = Progress::new(ground, plan, brought);
    let (bundles, policies) = Case::new(ground, plan, brought).judge();
    let mut reasons = progress.reasons();
    reasons.extend(
        bundles
            .iter()
            .flat_map(|bundle| bundle.verdict.reasons.iter().cloned()),
    );
    let waits = progress.waits();
    Review {
        plan: plan.name.clone(),
        uid: plan.uid.clone(),
        resource_version: plan.resource_version.clone(),
        phase: plan.phase.clone(),
        is_approved: plan.is_approved,
        is_manual: plan.is_manual,
        waits,
        verdict: verdict(ground, reasons),
        bundles,
        policies: by_id(policies),
        remarks: remarks(ground, plan, brought, waits),
    }
}

fn by_id(policies: Vec<&Policy>) -> Vec<Policy> {
    let policies: BTreeMap<&PolicyId, &Policy> = policies
        .into_iter()
        .map(|policy| (&policy.id, policy))
        .collect();
    policies.into_values().cloned().collect()
}

/// What is worth knowing besides: what cannot be read and is known from elsewhere, and who waits
/// because of others.
fn remarks(ground: &Ground<'_>, plan: &Plan, brought: &[Brought<'_>], waits: bool) -> Vec<Reason> {
    let known = brought.iter().filter(|bundle| bundle.is.is_ok());
    let unread = known.flat_map(|bundle| {
        let object = (CSV, ground.name, bundle.name);
        let unread = bundle.unread.iter();
        unread.map(move |why| reason(State::Yes, Code::UnknownPackage, object, why))
    });
    let forced = if waits {
        forced(ground, plan, brought)
    } else {
        None
    };
    unread.chain(forced).collect()
}

/// One Subscription that is Manual makes all InstallPlans of its namespace wait.
fn forced(ground: &Ground<'_>, plan: &Plan, brought: &[Brought<'_>]) -> Option<Reason> {
    let names = |is_wanted: &dyn Fn(&Subscription) -> bool| -> Vec<String> {
        let all = ground.subscriptions.iter().filter(|one| is_wanted(one));
        all.map(|one| named(&one.name)).collect()
    };
    let is_brought = |csv: &str| brought.iter().any(|bundle| bundle.name == csv);
    let waiting = names(&|one| !one.is_manual && is_brought(&one.current));
    let manual = names(&|one| one.is_manual);
    if waiting.is_empty() || manual.is_empty() {
        return None;
    }
    let (them, waits) = match waiting.as_slice() {
        [_] => ("Subscription", "approves by itself, and waits"),
        _ => ("Subscriptions", "approve by themselves, and wait"),
    };
    let (others, are) = match manual.as_slice() {
        [_] => ("Subscription", "is"),
        _ => ("Subscriptions", "are"),
    };
    let (waiting, manual) = (listed(waiting), listed(manual));
    let message = format!(
        "{them} {waiting} {waits} because {others} {manual} in the same namespace {are} Manual"
    );
    let object = (INSTALL_PLAN, ground.name, plan.name.as_str());
    Some(reason(State::Yes, Code::ForcedManual, object, &message))
}
