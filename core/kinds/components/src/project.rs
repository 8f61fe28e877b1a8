//! Onto which objects the label of an Operator is to be copied.
//!
//! OLM copies the labels of the Operators that it makes itself, and from a ClusterServiceVersion on all
//! others, too (v0.46): roles, bindings and accounts get theirs from it. What is left is done here.

use std::collections::BTreeSet;

use portolan_core_olm::{component, cut_component};

use crate::component::{Component, Identity, Subscription};
use crate::kind::Kind;

/// The objects that are to carry the label of the Operator with this name, because of these components
/// of it. Some may carry it already, and some may not be there.
pub fn projected(operator: &str, components: &[Component]) -> BTreeSet<Identity> {
    let mut all = BTreeSet::new();
    if !is_of_olm(operator, components) {
        of_subscriptions(components, &mut all);
        of_plans(components, &mut all);
    }
    of_csvs(components, &mut all);
    all
}

/// Whether OLM itself makes the Operator, and labels what belongs to it: it has the name that OLM gives
/// to what one of its Subscriptions installs.
pub fn is_of_olm(operator: &str, components: &[Component]) -> bool {
    let mut subscriptions = components.iter().filter_map(with_subscription);
    subscriptions.any(|(id, it)| component(&it.package, &id.namespace) == cut_component(operator))
}

fn with_subscription(component: &Component) -> Option<(&Identity, &Subscription)> {
    Some((&component.id, component.subscription()?))
}

/// From Subscriptions onto their InstallPlan, and the Subscriptions that it makes.
fn of_subscriptions(components: &[Component], all: &mut BTreeSet<Identity>) {
    for (id, subscription) in components.iter().filter_map(with_subscription) {
        let Some(plan) = &subscription.plan else {
            continue;
        };
        all.extend(identity("InstallPlan", &id.namespace, plan));
        let mut plans = components.iter();
        let plan = plans.find(|it| it.id.namespace == id.namespace && it.id.name == *plan);
        let steps = plan.and_then(Component::plan).into_iter().flatten();
        let made = steps.filter(|step| step.kind == "Subscription");
        all.extend(made.filter_map(|step| identity("Subscription", &id.namespace, &step.name)));
    }
}

/// From InstallPlans onto the ClusterServiceVersions and definitions that they make. In a namespace with
/// several Subscriptions they share a plan: then only onto what belongs to a Subscription that carries
/// the label.
fn of_plans(components: &[Component], all: &mut BTreeSet<Identity>) {
    let subscriptions: Vec<_> = components.iter().filter_map(with_subscription).collect();
    for plan in components {
        let namespace = &plan.id.namespace;
        let beside = subscriptions
            .iter()
            .filter(|(id, _)| id.namespace == *namespace);
        let beside: Vec<_> = beside.collect();
        let is_wanted =
            |csv: &String| beside.is_empty() || beside.iter().any(|(_, it)| it.csvs.contains(csv));
        for step in plan.plan().into_iter().flatten() {
            let csv = match step.kind.as_str() {
                "ClusterServiceVersion" => &step.name,
                "CustomResourceDefinition" => &step.resolving,
                _ => continue,
            };
            if is_wanted(csv) {
                all.extend(identity(&step.kind, namespace, &step.name));
            }
        }
    }
}

/// From ClusterServiceVersions onto what OLM makes of them.
fn of_csvs(components: &[Component], all: &mut BTreeSet<Identity>) {
    for component in components {
        let Some(csv) = component.csv() else {
            continue;
        };
        let namespace = &component.id.namespace;
        let deployments = csv.deployments.iter();
        all.extend(deployments.filter_map(|name| identity("Deployment", namespace, name)));
        let services = csv.api_services.iter();
        all.extend(services.filter_map(|name| identity("APIService", "", name)));
    }
}

fn identity(kind: &str, namespace: &str, name: &str) -> Option<Identity> {
    let kind = Kind::named(kind)?;
    let namespace = match kind.kind {
        "CustomResourceDefinition" | "APIService" => "",
        _ => namespace,
    };
    Some(Identity::new(kind.api_version, kind.kind, namespace, name))
}
