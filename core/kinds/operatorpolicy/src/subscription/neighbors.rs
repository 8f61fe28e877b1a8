//! The other Subscriptions of the namespace. They share InstallPlans with this Subscription.

use portolan_api::{RelatedObject, Says, Standing};
use portolan_core_olm::{Approval, Subscription};

use super::DIFFERS;
use crate::case::Case;
use crate::contribution::{known, related};
use crate::desired::{Condition, Status};
use crate::kinds::SUBSCRIPTION;

/// Returns the Subscriptions for the policy's package that have another name. A user or OLM chose
/// these names.
pub(super) fn of_package<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Subscription> {
    let package = case.intent.subscription.package.as_str();
    let others = case.namespace.subscriptions.iter().map(|each| &**each);
    others.filter(move |other| name(other) != package && other.spec.package == package)
}

/// Returns the Subscriptions that policies manage and that are not set to Manual yet, with their
/// policies.
pub(super) fn automatic_of_policies(case: &Case<'_>) -> Vec<String> {
    let automatic = automatic(case).filter_map(|other| Some((other, owner(case, other)?)));
    let named = automatic.map(|(other, owner)| {
        format!(
            "{} of policy {}/{}",
            name(other),
            owner.id.namespace,
            owner.id.name
        )
    });
    named.collect()
}

/// Adds a note about unrestricted Subscriptions in the namespace to the condition. The Subscription
/// is still correct, because OLM waits for approval while at least one Subscription of the
/// namespace is Manual. If an InstallPlan installed a bundle that is not allowed, another condition
/// reports this.
pub(super) fn beside(case: &Case<'_>, condition: Condition) -> Condition {
    let restricts = case.intent.restricts() && case.intent.is_enforced();
    if !restricts || condition.status != Status::True {
        return condition;
    }
    let foreign = automatic(case)
        .filter(|other| owner(case, other).is_none() && !is_brought_along(case, other));
    let names: Vec<_> = foreign
        .map(|other| format!("Subscription {}", name(other)))
        .collect();
    if names.is_empty() {
        return condition;
    }
    let message = format!(
        "{}; {} in the same namespace is Automatic, which has no effect while this Subscription is \
         Manual",
        condition.message,
        names.join(" and "),
    );
    Condition {
        message,
        ..condition
    }
}

/// Returns the other Subscriptions that OLM approves automatically.
fn automatic<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Subscription> {
    let package = case.intent.subscription.package.as_str();
    let others = case.namespace.subscriptions.iter().map(|each| &**each);
    others.filter(move |other| {
        name(other) != package && other.spec.install_plan_approval != Approval::Manual
    })
}

/// Returns the policy that manages a Subscription and makes it Manual.
fn owner<'a>(case: &Case<'a>, other: &Subscription) -> Option<&'a Standing> {
    let mut neighbors = case.observed.neighbors.iter();
    neighbors.find(|neighbor| {
        neighbor.package.as_str() == name(other)
            && neighbor.namespace.as_deref() == Some(case.namespace.name.as_str())
            && match neighbor.says {
                Says::Allows(_) => true,
                Says::Withholds(_) => false,
            }
    })
}

/// Returns true if OLM created the Subscription for a dependency and the policy allows
/// dependencies. OLM creates such a Subscription as Automatic, but still waits for approval because
/// another Subscription of the namespace is Manual.
fn is_brought_along(case: &Case<'_>, other: &Subscription) -> bool {
    let spec = &other.spec;
    let parts = [
        &spec.package,
        &spec.channel,
        &spec.source,
        &spec.source_namespace,
    ];
    let generated = parts.map(String::as_str).join("-");
    case.intent.allows_dependencies && name(other) == generated
}

pub(super) fn name(subscription: &Subscription) -> &str {
    subscription.metadata.name.as_deref().unwrap_or_default()
}

pub(super) fn entry(case: &Case<'_>, other: &Subscription) -> RelatedObject {
    let at = (Some(case.namespace.name.as_str()), name(other));
    let entry = related(SUBSCRIPTION, at, Some("NonCompliant"), DIFFERS);
    known(entry, other.metadata.uid.as_deref(), false)
}
