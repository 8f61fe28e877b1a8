//! Finds the time since which an operator of OLM v0 has a problem.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{CsvPhase, Workload};
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::code::Matter;
use crate::{Cause, Code, contested, olm, unpack};

/// Returns the time since which the problem exists, from the object that shows the problem. Returns
/// None if the time is unknown.
pub(super) fn of(case: Case<'_>, root: &Cause) -> Option<Time> {
    if root.code == Code::OlmNotRunning {
        return olm::down_since(case, &root.at_fault);
    }
    if root.code == Code::DeploymentContested {
        return contested::since(case);
    }
    if root.code == Code::UnpackFailing {
        return condition(case).or_else(|| unpack::since(case));
    }
    if root.code == Code::DeploymentRejected {
        let [first, _] = case.newest()?.failed_attempts()?;
        return first.last_transition_time.clone();
    }
    let is_down = |root: &&Cause| root.code.matter() == Matter::Workload;
    let workload = Some(root).filter(is_down);
    if let Some(since) = workload.and_then(|root| of_workload(case, root)) {
        return Some(since);
    }
    let unfinished = case.newest().filter(|csv| {
        csv.status.phase == CsvPhase::Failed || csv.status.phase == CsvPhase::Pending
    });
    match unfinished {
        Some(csv) => csv.status.last_transition_time.clone(),
        None => condition(case),
    }
}

/// Returns the time since which the Deployment at fault is unavailable. If another object is at
/// fault, returns the earliest time of any Deployment of the operator.
fn of_workload(case: Case<'_>, root: &Cause) -> Option<Time> {
    let at_fault = case
        .situation()
        .deployment(&root.at_fault.name)
        .filter(|_| root.at_fault.kind == "Deployment");
    if let Some(deployment) = at_fault {
        return unavailable_since(deployment).or_else(|| scaled_down_at(deployment, root));
    }
    let own = case.deployments(case.newest()?);
    own.filter_map(unavailable_since).min()
}

fn unavailable_since(deployment: &Workload) -> Option<Time> {
    let mut said = deployment.status.conditions.iter();
    let unavailable = said.find(|said| said.r#type == "Available" && said.is_false());
    unavailable?.last_transition_time.clone()
}

fn scaled_down_at(deployment: &Workload, root: &Cause) -> Option<Time> {
    let (_, time) = deployment
        .last_scaler()
        .filter(|_| root.code == Code::ScaledToZero)?;
    time.cloned()
}

/// Returns the transition time of the condition with which OLM reports a problem of the
/// Subscription.
fn condition(case: Case<'_>) -> Option<Time> {
    let types = [
        Subscription::RESOLUTION_FAILED,
        Subscription::UNPACK_FAILED,
        Subscription::PLAN_FAILED,
        Subscription::PLAN_PENDING,
    ];
    let subscription = case.subscription?;
    let mut said = types
        .into_iter()
        .filter_map(|kind| subscription.true_condition(kind));
    said.next()?.last_transition_time.clone()
}
