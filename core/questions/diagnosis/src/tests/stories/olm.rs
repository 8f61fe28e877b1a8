//! Scenarios with controllers of OLM that do not run.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use portolan_core_health::{CsvPhase, InstallPlanPhase, Item};
use portolan_core_olm::{Condition, ContainerStatus, OlmController, Pod, Step, WebhookDefinition};

use super::stories;
use crate::tests::kit::*;

fn out_of_memory(container: &mut ContainerStatus) {
    crashes(container);
    if let Some(end) = &mut container.last_state.terminated {
        (end.exit_code, end.reason) = (137, "OOMKilled".to_owned());
        end.message.clear();
    }
}

fn olm_pod(change: impl FnOnce(&mut ContainerStatus)) -> Item<Pod> {
    let mut pod = pod("catalog-operator", change);
    pod.observed.object.namespace = "olm".to_owned();
    pod
}

fn stopped(story: Story, controller: OlmController, pods: Vec<Item<Pod>>) -> Story {
    story.change(|all| all.around.olm.push(olm_part(controller, pods)))
}

fn scaled_to_zero(story: Story) -> Story {
    stopped(story, OlmController::Olm, Vec::new()).change(|all| {
        std::sync::Arc::make_mut(&mut all.around.olm[0].deployment)
            .spec
            .replicas = Some(0);
    })
}

/// Returns a namespace in which the InstallPlan of an upgrade has failed. The certificate of a
/// conversion webhook has expired.
fn expired() -> Story {
    let message = "error validating existing CRs against new CRD's schema for \"ferrys.demo.example\": error listing \
                   resources: conversion webhook for demo.example/v2, Kind=Ferry failed: Post \
                   \"https://ferry-service.demo.svc:443/convert\": tls: failed to verify certificate: x509: certificate \
                   has expired or is not yet valid: current time 2026-03-04T00:00:00Z is after 2026-03-01T05:06:07Z";
    at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Pending, "")
        .csv("ferry.v1.0.0", |csv| {
            csv.status.phase = CsvPhase::Succeeded;
            csv.spec.webhooks = vec![WebhookDefinition {
                conversion_crds: vec![defined("ferry")],
            }];
        })
        .csv("ferry.v1.1.0", |csv| {
            csv.status.phase = String::new().into()
        })
        .plan("upgrade-ferry", |plan| {
            plan.status.phase = InstallPlanPhase::Failed;
            message.clone_into(&mut plan.status.message);
        })
        .condition("InstallPlanFailed", "InstallComponentFailed", message)
}

fn second(second: i64) -> Option<Time> {
    Timestamp::from_second(second).ok().map(Time)
}

/// The condition of an InstallPlan that failed at this second.
fn failed_at(at: i64) -> Condition {
    Condition {
        r#type: "Installed".to_owned(),
        status: "False".to_owned(),
        last_transition_time: second(at),
        ..Condition::default()
    }
}

stories! {
    certificate_expires_because_olm_is_scaled_to_zero: scaled_to_zero(expired())
        => ["ferry: Broken OlmNotRunning Deployment olm/olm-operator > PlanFailed Deployment olm/olm-operator"];
    certificate_expires_although_olm_runs: expired()
        => ["ferry: Broken PlanFailed CustomResourceDefinition ferrys.demo.example"];
    certificate_of_a_replaced_version_expires: expired()
        .csv("ferry.v1.0.0", |csv| csv.status.phase = CsvPhase::Replacing)
        .csv("ferry.v1.1.0", |csv| csv.status.phase = CsvPhase::Pending)
        => ["ferry: Broken PlanFailed ClusterServiceVersion demo/ferry.v1.0.0"];
    certificate_is_renewed_after_the_plan_failed: expired()
        .csv("ferry.v1.0.0", |csv| {
            csv.status.phase = CsvPhase::Replacing;
            csv.status.certs_last_updated = second(9);
        })
        .csv("ferry.v1.1.0", |csv| csv.status.phase = CsvPhase::Pending)
        .plan("upgrade-ferry", |plan| {
            plan.status.conditions = vec![failed_at(8)];
            plan.status.steps = vec![Step::default()];
        }) => ["ferry: Stuck PlanFailed InstallPlan demo/upgrade-ferry"];
    certificate_of_another_issuer_expires: scaled_to_zero(expired())
        .csv("ferry.v1.0.0", |csv| csv.spec.webhooks.clear())
        .csv("ferry.v1.1.0", |csv| csv.status.phase = CsvPhase::Pending)
        => ["ferry: Broken PlanFailed CustomResourceDefinition ferrys.demo.example"];
    deployment_is_missing_and_olm_is_scaled_to_zero: scaled_to_zero(harbor())
        .change(|all| all.namespace.deployments.objects.clear())
        => ["ferry: Broken OlmNotRunning Deployment olm/olm-operator > DeploymentMissing Deployment demo/ferry"];
    new_version_has_no_status_because_olm_is_scaled_to_zero: scaled_to_zero(
        harbor().csv("ferry.v2.0.0", |csv| csv.status = Default::default()),
    ) => ["ferry: Stuck OlmNotRunning Deployment olm/olm-operator"];
    catalog_operator_is_out_of_memory: stopped(
        shore(FERRIES).subscription("ferry", "ferry"), OlmController::Catalog, vec![olm_pod(out_of_memory)],
    ) => ["ferry: Stuck OlmNotRunning Deployment olm/catalog-operator"];
    catalog_operator_exceeds_its_memory_limit: stopped(
        shore(FERRIES).subscription("ferry", "ferry"), OlmController::Catalog, vec![{
            let mut pod = olm_pod(out_of_memory);
            pod.spec.containers = limited("manager", "256Mi");
            pod
        }],
    ).change(|all| {
        let deployment = std::sync::Arc::make_mut(&mut all.around.olm[0].deployment);
        for said in &mut deployment.status.conditions {
            said.last_transition_time = deleted();
        }
    }) => ["ferry: Stuck OlmNotRunning Deployment olm/catalog-operator"];
    catalog_operator_is_starting: stopped(
        shore(FERRIES).subscription("ferry", "ferry"), OlmController::Catalog, Vec::new(),
    ) => ["ferry: Working InProgress Subscription demo/ferry"];
    other_deployment_has_the_labels_of_a_stopped_controller: stopped(
        shore(FERRIES).subscription("ferry", "ferry"), OlmController::Catalog, vec![olm_pod(crashes)],
    ).change(|all| {
        let mut runs = olm_part(OlmController::Catalog, Vec::new());
        let deployment = std::sync::Arc::make_mut(&mut runs.deployment);
        deployment.status.conditions.clear();
        deployment.status.available_replicas = 1;
        all.around.olm.push(runs);
    }) => ["ferry: Working InProgress Subscription demo/ferry"];
    olm_operator_is_scaled_to_zero: stopped(
        harbor().phase("ferry.v2.0.0", CsvPhase::Pending, "", ""), OlmController::Olm, Vec::new(),
    ).change(|all| {
        std::sync::Arc::make_mut(&mut all.around.olm[0].deployment).spec.replicas = Some(0);
    }) => ["ferry: Stuck OlmNotRunning Deployment olm/olm-operator"];
    operator_at_rest_does_not_wait_for_olm:
        stopped(harbor(), OlmController::Catalog, vec![olm_pod(crashes)])
        => ["ferry: Well"];
}
