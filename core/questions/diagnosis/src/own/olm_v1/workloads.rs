//! Diagnoses the workloads of ClusterExtensions, because OLM v1 does not report their state.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_names::text::some;
use portolan_core_olm::last_scaler;

use super::meaning::Case;
use crate::cure::Cure;
use crate::running::RunningWorkload;
use crate::steps::describe;
use crate::webhook::failure;
use crate::{Cause, Code, Confidence, Evidence, Object, State};

/// The maximum number of workloads that a sentence names.
const MOST_NAMED: usize = 3;

const START: &str = "Start the Deployment again: neither OLM v1 nor Kubernetes does this.";
/// The action for a Deployment that kube-downscaler has scaled to 0.
const START_NOW: &str = "Start the Deployment again. OLM v1 does not do this, and kube-downscaler does this only at \
                         the end of its downtime.";
/// The reason why it is certain that a Deployment is scaled to 0.
const SPEC: &str = "The spec of the Deployment shows this cause.";

/// A workload of a ClusterExtension that has no ready Pod.
#[derive(Debug)]
pub(super) struct Stopped {
    pub(super) object: Object,
    pub(super) cause: Cause,
    /// The time since which the workload does not run. None if it is unknown.
    pub(super) since: Option<Time>,
}

impl Case<'_> {
    /// Returns the first workload of the ClusterExtension that has no ready Pod and is not starting.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        let is_installed = !self.installed.is_empty();
        let is_leaving = self.extension.metadata.deletion_timestamp.is_some();
        let all = self.facts.workloads.nearby.iter();
        let own = all.filter(|it| it.extension == self.object.name);
        let stopped = own.filter(|it| it.ready <= 0 && !it.is_rolling_out);
        let mut stopped: Vec<_> = stopped.collect();
        stopped.sort_by(|a, b| a.object.cmp(&b.object));
        let (first, others) = stopped.split_first()?;
        let others = others.iter().map(|it| it.object.to_string());
        let others: Vec<_> = others.collect();
        let also = match others.as_slice() {
            [] => String::new(),
            others => format!(" Also without a ready Pod: {}.", some(MOST_NAMED, others)),
        };
        let mut cause = stopped_cause(first);
        cause.message = format!(
            "{}{also} OLM v1 still reports {} as installed, because it does not check workloads.",
            cause.message, self.object
        );
        (is_installed && !is_leaving).then(|| Stopped {
            object: first.object.clone(),
            since: since(first),
            cause,
        })
    }

    /// Returns true if a workload of the ClusterExtension has a ready Pod.
    pub(super) fn has_ready_workload(&self) -> bool {
        let all = self.facts.workloads.nearby.iter();
        let mut own = all.filter(|it| it.extension == self.object.name);
        own.any(|it| it.ready > 0)
    }
}

/// Returns the time since which too few Pods are available or the Deployment is scaled to 0.
fn since(workload: &RunningWorkload) -> Option<Time> {
    let scaled = last_scaler(&workload.metadata).and_then(|(_, time)| time.cloned());
    let scaled = scaled.filter(|_| workload.is_scaled_to_zero());
    workload.unavailable_since.clone().or(scaled)
}

/// Returns the cause why a workload has no ready Pod.
fn stopped_cause(workload: &RunningWorkload) -> Cause {
    let object = &workload.object;
    let state = State::Broken;
    if let Some(failure) = failure(workload) {
        let message = format!("{object} {}: {}", workload.stop(), failure.message);
        return Cause {
            state,
            message,
            ..failure
        };
    }
    let look = describe(workload.target());
    if workload.is_scaled_to_zero() {
        let message = format!("{object} is scaled to 0. {}", workload.scaled_by());
        let message = message.trim_end();
        let cause = Cause::new(Code::ScaledToZero, state, object.clone(), message);
        let start = if workload.is_downscaled() {
            START_NOW
        } else {
            START
        };
        let cure = Cure::advised(&workload.administrator(), start, vec![workload.scale_up()]);
        let cause = Cause {
            confidence: Confidence::proved(SPEC),
            ..cause
        };
        return cause
            .quoting(workload.schedule())
            .cured(cure)
            .looked([look])
            .followed(workload.check())
            .shown(workload.scaled_evidence());
    }
    let message = format!("{object} {}.", workload.stop());
    let cause = Cause::new(Code::RolloutFailing, state, object.clone(), &message);
    let action =
        "Find out why the Pods of the Deployment cannot be created or do not become ready.";
    let ready = format!("{} of {}", workload.ready, workload.desired);
    let evidence = Evidence::at(object.clone(), "status.readyReplicas", &ready);
    cause
        .cured(Cure::external(&workload.administrator(), action))
        .looked([look])
        .followed(workload.check())
        .shown([evidence])
}
