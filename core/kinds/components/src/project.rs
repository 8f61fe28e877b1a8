//! Selects the objects that get the label of an Operator.
//!
//! If OLM has created the Operator, OLM labels the objects itself. OLM (v0.46) also copies all
//! labels from a ClusterServiceVersion to the roles, bindings and ServiceAccounts that it creates
//! for it. This module selects all other objects.

use std::collections::BTreeSet;

use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::{component, cut_component};

use crate::component::{Component, Subscription};
use crate::kind::ComponentKind;

/// Returns the objects that should have the label of the Operator with this name. The selection is
/// based on the components. Some of the objects may already have the label, and some may not exist.
pub fn projected(operator: &str, components: &[Component]) -> BTreeSet<ObjectRef<Gvk>> {
    let mut all = BTreeSet::new();
    if !is_of_olm(operator, components) {
        of_subscriptions(components, &mut all);
        of_plans(components, &mut all);
    }
    of_csvs(components, &mut all);
    all
}

/// Returns true if OLM creates the Operator and labels its components. OLM derives the name of such
/// an Operator from one of its Subscriptions.
pub fn is_of_olm(operator: &str, components: &[Component]) -> bool {
    let mut subscriptions = components.iter().filter_map(with_subscription);
    subscriptions.any(|(id, it)| component(&it.package, id.namespace()) == cut_component(operator))
}

fn with_subscription(component: &Component) -> Option<(&ObjectRef<Gvk>, &Subscription)> {
    Some((&component.id, component.subscription()?))
}

/// Collects the InstallPlan of each Subscription, and the Subscriptions that this InstallPlan
/// creates.
fn of_subscriptions(components: &[Component], all: &mut BTreeSet<ObjectRef<Gvk>>) {
    for (id, subscription) in components.iter().filter_map(with_subscription) {
        let Some(plan) = &subscription.plan else {
            continue;
        };
        all.extend(identity("InstallPlan", id.namespace(), plan));
        let mut plans = components.iter();
        let plan = plans.find(|it| it.id.namespace == id.namespace && it.id.name == *plan);
        let steps = plan.and_then(Component::plan).into_iter().flatten();
        let made = steps.filter(|step| step.kind == "Subscription");
        all.extend(made.filter_map(|step| identity("Subscription", id.namespace(), &step.name)));
    }
}

/// Collects the ClusterServiceVersions and CRDs that InstallPlans create. If several Subscriptions
/// share an InstallPlan, collects only the objects for Subscriptions that are components.
fn of_plans(components: &[Component], all: &mut BTreeSet<ObjectRef<Gvk>>) {
    let subscriptions: Vec<_> = components.iter().filter_map(with_subscription).collect();
    for plan in components {
        let namespace = plan.id.namespace();
        let beside = subscriptions
            .iter()
            .filter(|(id, _)| id.namespace() == namespace);
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

/// Collects the objects that OLM creates for ClusterServiceVersions.
fn of_csvs(components: &[Component], all: &mut BTreeSet<ObjectRef<Gvk>>) {
    for component in components {
        let Some(csv) = component.csv() else {
            continue;
        };
        let namespace = component.id.namespace();
        let deployments = csv.deployments.iter();
        all.extend(deployments.filter_map(|name| identity("Deployment", namespace, name)));
        let services = csv.api_services.iter();
        all.extend(services.filter_map(|name| identity("APIService", "", name)));
    }
}

fn identity(kind: &str, namespace: &str, name: &str) -> Option<ObjectRef<Gvk>> {
    let kind = ComponentKind::named(kind)?;
    let namespace = match kind.kind {
        "CustomResourceDefinition" | "APIService" => "",
        _ => namespace,
    };
    Some(ObjectRef::new(
        Gvk::new(kind.api_version, kind.kind),
        namespace,
        name,
    ))
}
