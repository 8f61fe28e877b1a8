//! Explains Deployments of an operator that were scaled to zero.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{self as health, Workload};
use portolan_core_names::text::cite;

use crate::case::Case;
use crate::command::{DEPLOYMENTS, Target};
use crate::scaled::Downscaled;
use crate::{Procedure, Quote, words};

/// Returns a message about a Deployment that was scaled to zero.
pub(super) fn message(case: Case<'_>, deployment: &Workload) -> String {
    let object = &deployment.observed.object;
    let normal = wanted(case, object);
    let downscaled = Downscaled::of(&deployment.metadata).map(Downscaled::sentences);
    let scaler = deployment.last_scaler();
    let scaler = downscaled.or_else(|| scaler.map(|(manager, time)| scaled(manager, time)));
    let scaler = scaler.map_or_else(String::new, |scaler| format!(" {scaler}"));
    format!("{object} is scaled to 0, but the operator requires {normal}.{scaler}")
}

/// Returns the annotations with the schedule by which kube-downscaler scaled a Deployment to zero.
pub(super) fn schedule(deployment: &Workload) -> Option<Quote> {
    Downscaled::of(&deployment.metadata).and_then(Downscaled::schedule)
}

/// Returns the number of replicas in the ClusterServiceVersion of the operator. Returns 1 if the
/// ClusterServiceVersion does not contain the Deployment.
fn wanted(case: Case<'_>, object: &health::Object) -> i32 {
    let wanted = case.csvs().flat_map(|csv| csv.deployments());
    let mut own = wanted.filter(|wanted| wanted.name == object.name);
    own.next().map_or(1, |wanted| wanted.replicas())
}

/// Returns a sentence about the client that last changed the number of replicas.
fn scaled(manager: &str, time: Option<&Time>) -> String {
    let at = time.map_or_else(String::new, |time| format!(" at {}", words::time(time)));
    format!(
        "Field manager {} scaled the Deployment to 0{at}.",
        cite(manager)
    )
}

/// Returns the commands that scale a Deployment to the number of replicas that the operator
/// requires.
pub(super) fn scale_up(case: Case<'_>, object: &health::Object) -> Procedure {
    let replicas = wanted(case, object);
    let target = Target::new(DEPLOYMENTS, &object.namespace, &object.name);
    let deployment = case.situation().deployment(&object.name);
    let downscaled = deployment.and_then(|it| Downscaled::of(&it.metadata));
    if downscaled.is_some() {
        return Downscaled::exclude_and_scale_up(&object.to_string(), target, replicas);
    }
    Procedure::command(
        &format!("Scale {object} to {replicas} again."),
        target.scale(replicas),
        "The operator starts again. It is unknown why the Deployment was scaled down.",
    )
}
