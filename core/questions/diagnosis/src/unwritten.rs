//! Predicts the status of Subscriptions that OLM has not updated yet.

use std::borrow::Cow;

use portolan_core_health::{InstallPlanPhase, Item};
use portolan_core_names::BundleName;
use portolan_core_olm::{InstallPlanRef, Subscription};

use crate::Situation;
use crate::subscription::has_failed;

/// A bundle that OLM has installed for a Subscription. The status of the Subscription does not
/// contain it yet.
struct Brought {
    subscription: usize,
    csv: String,
    plan: String,
}

/// Returns the Situation after OLM will have updated the Subscriptions. OLM first creates and
/// executes an InstallPlan, and then updates the Subscription. Under load, this takes seconds.
/// Without this function, the new ClusterServiceVersion would appear to have no Subscription.
pub(crate) fn written<'s, 'a>(situation: &'s Situation<'a>) -> Cow<'s, Situation<'a>> {
    let subscriptions = situation.namespace.subscriptions.objects.iter();
    let brought = subscriptions.enumerate();
    let brought: Vec<Brought> = brought
        .filter_map(|(at, subscription)| brought_for(situation, at, subscription))
        .collect();
    if brought.is_empty() {
        return Cow::Borrowed(situation);
    }
    let mut written = situation.clone();
    for one in brought {
        write(&mut written, one);
    }
    Cow::Owned(written)
}

/// Returns the bundle that OLM has installed for the Subscription, if the status does not contain
/// the bundle yet. Returns None after a resolution failure, because the bundle then blocks
/// the Subscription.
fn brought_for(
    situation: &Situation<'_>,
    at: usize,
    subscription: &Item<Subscription>,
) -> Option<Brought> {
    let is_settled = subscription.status.current_csv == subscription.status.installed_csv;
    if has_failed(subscription) || !is_settled {
        return None;
    }
    let plans = situation.namespace.plans.objects.iter();
    let mut plans: Vec<_> = plans
        .filter(|plan| {
            [InstallPlanPhase::Installing, InstallPlanPhase::Complete].contains(&plan.status.phase)
        })
        .collect();
    plans.sort();
    plans.into_iter().find_map(|plan| {
        let is_it = |name: &&String| {
            let csv = situation.csv(name);
            let package = csv.and_then(|csv| csv.package());
            let is_of_package = package.is_some_and(|package| package == subscription.spec.package);
            let follows = subscription.status.installed_csv.is_empty()
                || csv.is_some_and(|csv| csv.spec.replaces == subscription.status.installed_csv);
            is_of_package && follows && !is_of_another(situation, name)
        };
        Some(Brought {
            subscription: at,
            csv: plan.spec.csvs.iter().find(is_it)?.clone(),
            plan: plan.observed.object.name.clone(),
        })
    })
}

/// Returns true if the status of a Subscription already contains the ClusterServiceVersion.
fn is_of_another(situation: &Situation<'_>, csv: &str) -> bool {
    let mut subscriptions = situation.namespace.subscriptions.objects.iter();
    subscriptions.any(|subscription| {
        subscription.status.current_csv == csv || subscription.status.installed_csv == csv
    })
}

/// Returns true if an InstallPlan with this ClusterServiceVersion is still installing objects.
pub(crate) fn is_being_brought(situation: &Situation<'_>, csv: &str) -> bool {
    let mut plans = situation.namespace.plans.objects.iter();
    plans.any(|plan| {
        plan.status.phase == InstallPlanPhase::Installing
            && plan.spec.csvs.iter().any(|own| own == csv)
    })
}

fn write(
    situation: &mut Situation<'_>,
    Brought {
        subscription,
        csv,
        plan,
    }: Brought,
) {
    let Some(subscription) = situation
        .namespace
        .subscriptions
        .objects
        .get_mut(subscription)
    else {
        return;
    };
    if let Ok(resolved) = &mut situation.resolved {
        let name = &subscription.observed.object.name;
        let mut all = resolved.subscriptions.iter_mut();
        if let Some(resolved) = all.find(|one| one.name == *name) {
            resolved.current_csv = BundleName::parse(&csv).ok();
            resolved.has_plan = true;
        }
    }
    subscription.status.current_csv = csv;
    subscription.status.install_plan_ref = Some(InstallPlanRef { name: plan });
}
