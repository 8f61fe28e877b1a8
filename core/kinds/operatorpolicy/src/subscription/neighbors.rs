//! The other Subscriptions of the namespace, which share InstallPlans with this Subscription.

use portolan_api::{RelatedObject, Says, Standing};
use portolan_core_olm::{Approval, Subscription};

use super::DIFFERS;
use crate::case::Case;
use crate::contribution::{known, related};
use crate::desired::{Condition, Status};
use crate::kinds::SUBSCRIPTION;

/// Returns the other Subscriptions for the policy's package. The name of such a Subscription is not
/// the package name, because a user or OLM chose it.
pub(super) fn of_package<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Subscription> {
    let package = case.intent.subscription.package.as_str();
    let others = case.namespace.subscriptions.iter().map(|each| &**each);
    others.filter(move |other| name(other) != package && other.spec.package == package)
}

/// Returns the Subscriptions of other policies that are not set to Manual yet, each with the name
/// of its policy.
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

/// Adds a note to the condition if the namespace contains Automatic Subscriptions that no policy
/// manages. The condition stays good, because OLM waits for approval while at least one
/// Subscription of the namespace is Manual. If an InstallPlan installed a bundle that is not
/// allowed, another condition reports this.
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

/// Returns the other Subscriptions that are not set to Manual.
fn automatic<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Subscription> {
    let package = case.intent.subscription.package.as_str();
    let others = case.namespace.subscriptions.iter().map(|each| &**each);
    others.filter(move |other| {
        name(other) != package && other.spec.install_plan_approval != Approval::Manual
    })
}

/// Returns the policy that manages a Subscription and sets it to Manual.
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

/// Returns true if the policy allows dependencies and OLM created the Subscription for a
/// dependency. OLM generates the name of such a Subscription, and sets it to Automatic. OLM still
/// waits for approval, because another Subscription of the namespace is Manual.
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
