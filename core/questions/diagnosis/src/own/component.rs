//! Diagnoses Portolan itself: its Deployments, its APIService, its webhook, and its controller.

mod lease;
mod registered;
mod skew;

use std::sync::Arc;

use portolan_core_health as health;
use portolan_core_olm::{ApiService, CustomResourceDefinition, ValidatingWebhookConfiguration};

use super::subject;
use crate::command::{DEPLOYMENTS, Target};
use crate::cure::Cure;
use crate::diagnose::{in_order, of_status};
use crate::headline::Impact;
use crate::rollout::{Parties, of_workload};
use crate::running::{RunningWorkload, Workloads};
use crate::steps::describe;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State};

pub use lease::ControllerLease;
pub(super) use lease::name_stopped_controller;

/// The observed components of Portolan.
#[derive(Debug, Clone, Default)]
pub struct Components {
    /// The Deployments.
    pub workloads: Workloads,
    /// The APIServices of the API server of Portolan.
    pub api_services: Vec<Arc<ApiService>>,
    /// The webhook configurations of Portolan.
    pub webhooks: Vec<Arc<ValidatingWebhookConfiguration>>,
    /// The CustomResourceDefinitions of Portolan.
    pub crds: Vec<Arc<CustomResourceDefinition>>,
    /// The Leases of the controllers of Portolan. None if they are unknown.
    pub leases: Option<Vec<ControllerLease>>,
    /// The reasons why components may be missing. Empty if the components are completely known.
    pub troubles: Vec<String>,
}

/// For each component, the sentence about what does not work while no Pod of this component is
/// ready.
const IMPACTS: &[(&str, &str)] = &[
    (
        "apiserver",
        "The API packages.operators.coreos.com/v2alpha1 does not answer",
    ),
    (
        "approval",
        "InstallPlans and upgrades of Operators wait, because Portolan cannot check them against \
         policies",
    ),
    ("console", "The console does not answer"),
    (
        "controller",
        "The controller does not install, upgrade or repair anything. Installed operators keep \
         running",
    ),
    ("diagnosis", "The diagnosis service does not answer"),
    ("health", "The health service does not answer"),
    (
        "resolver",
        "Operators are not upgraded, because Portolan cannot read the catalogs. Installed \
         operators keep running",
    ),
    (
        "updater",
        "The updater does not set new versions in Operators",
    ),
    (
        "webhook",
        "API servers accept invalid objects of Portolan's kinds without an error",
    ),
];

/// Diagnoses each component of Portolan.
pub(super) fn diagnose(components: &Components, has_objects: bool) -> Vec<Diagnosis> {
    let workloads = components.workloads.all.iter();
    let workloads = workloads.map(|it| of_deployment(it, components));
    let services = components.api_services.iter();
    let services = services.map(|it| registered::of_api_service(it, components));
    let webhooks = components.webhooks.iter();
    let webhooks = webhooks.map(|it| registered::of_webhook(it, components));
    let leases = components.leases.iter().flatten();
    let leases = leases.map(|it| lease::of_lease(it, has_objects));
    let all = workloads.chain(services).chain(webhooks).chain(leases);
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| a.subject.cmp(&b.subject));
    all
}

fn of_deployment(workload: &RunningWorkload, components: &Components) -> Diagnosis {
    let failure = failure(workload);
    let effect = failure
        .as_ref()
        .map_or_else(String::new, |_| effect(workload));
    let cause = failure.or_else(|| skew::of_deployment(workload, components));
    let impact = Impact {
        since: workload.unavailable_since.clone(),
        effect,
        ..Impact::of(&workload.object)
    };
    told(workload.object.clone(), cause, impact)
}

/// Returns the diagnosis of a component. Without a cause, the component is healthy.
fn told(object: Object, cause: Option<Cause>, impact: Impact) -> Diagnosis {
    let causes = Vec::from_iter(cause);
    of_status(subject(object, ""), causes, None, (impact, &[][..]))
}

/// Returns the reason why Pods of a Deployment of Portolan are not ready. Returns None if enough
/// Pods are ready.
fn failure(workload: &RunningWorkload) -> Option<Cause> {
    if workload.is_ready() {
        return None;
    }
    let parties = Parties {
        administrator: "the administrator of Portolan".to_owned(),
        publisher: "the publisher of Portolan".to_owned(),
        content: workload.object.to_string(),
    };
    let mut causes = of_workload(workload, health::State::No, &parties);
    in_order(&mut causes);
    let cause = causes.into_iter().next();
    let cause = cause.unwrap_or_else(|| unexplained(workload));
    let state = match workload.ready {
        0 => State::Broken,
        _ => State::Stuck,
    };
    Some(Cause { state, ..cause })
}

/// Describes what does not work while Pods of the workload are not ready. Empty if no Pod is ready
/// and the component is unknown.
fn effect(workload: &RunningWorkload) -> String {
    let mut impacts = IMPACTS.iter();
    let known = impacts.find(|(component, _)| *component == workload.component);
    match (workload.ready, known) {
        (0, Some((_, impact))) => format!("{impact}."),
        (0, None) => String::new(),
        (ready, _) => format!(
            "{} of {} Pods of {} are ready.",
            ready, workload.desired, workload.object
        ),
    }
}

fn unexplained(workload: &RunningWorkload) -> Cause {
    let object = &workload.object;
    let message = format!(
        "{object} has {} of {} ready Pods.",
        workload.ready, workload.desired
    );
    let counts = format!("{} of {}", workload.ready, workload.desired);
    let cause = Cause::new(
        Code::ComponentUnavailable,
        State::Broken,
        object.clone(),
        &message,
    );
    let cure = Cure::external(
        "the administrator of Portolan",
        "Find out why the Pods of the Deployment cannot be created or do not become ready.",
    );
    let look = describe(Target::new(DEPLOYMENTS, &object.namespace, &object.name));
    let evidence = Evidence::at(object.clone(), "ready Pods", &counts);
    cause.cured(cure).looked([look]).shown([evidence])
}

// === impl Components ===

impl Components {
    /// Returns a Deployment of this component if it has no ready Pod.
    fn stopped(&self, component: &str) -> Option<&RunningWorkload> {
        let mut all = self.workloads.all.iter();
        all.find(|it| it.component == component && it.ready == 0 && !it.is_ready())
    }
}

#[cfg(test)]
pub(crate) mod tests;
