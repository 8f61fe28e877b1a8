//! Finds failures in the current workloads of a plan.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::OPERATOR;
use portolan_api::plan::{JobState, JobStatus, Phase};
use portolan_core_health::{self as health, HealthCode, Item, PodCause, Sight};
use portolan_core_olm::Pod;

use super::{EXPLAINED, PlanCase};
use crate::command::{JOBS, PODS, Target};
use crate::diagnose::in_order;
use crate::rollout::{Parties, of_workload};
use crate::running::{PodsBelow, RunningWorkload};
use crate::{Cause, Code, Evidence, Step};

/// A Pod that made a run of a Job fail.
#[derive(Debug)]
pub(super) struct FailedRun<'a> {
    below: &'a PodsBelow,
    pod: &'a Item<Pod>,
    cause: PodCause,
}

impl<'a> PlanCase<'a> {
    /// Returns the cause for a failing Pod, if a failing Pod can explain a cause with this code.
    pub(super) fn live(self, code: Code, said: &Condition) -> Option<Cause> {
        if !EXPLAINED.contains(&code) {
            return None;
        }
        let (severity, beginning) = if code == Code::InProgress {
            // While the plan is being applied, a running container may still become ready.
            (health::State::NotYet, "The installation waits for a Pod")
        } else if code == Code::MembersNotReady {
            (
                health::State::No,
                "The objects of the plan are applied, but a Pod does not run",
            )
        } else {
            (
                health::State::No,
                "The installation is stuck: a Pod does not run",
            )
        };
        let cause = self.failing_now(severity)?;
        // A message about a missing object is already a complete explanation.
        let message = if cause.is_at_fault_missing() {
            cause.message.clone()
        } else {
            format!("{beginning}. {}", cause.message)
        };
        let evidence = Evidence::reported(self.object(), said);
        Some(Cause { message, ..cause }.shown([evidence]))
    }

    /// Returns the cause for a failing Pod although the status reports no problem. This happens if
    /// the controller does not run or has not noticed the failure yet.
    pub(super) fn unreported(self, causes: &[Cause]) -> Option<Cause> {
        let is_applied = matches!(self.status.phase, Some(Phase::Applied | Phase::Ready));
        if !is_applied || !causes.is_empty() {
            return None;
        }
        let cause = self.failing_now(health::State::NotYet)?;
        let message = format!(
            "The objects of the plan are applied, but a Pod does not run. {}",
            cause.message
        );
        let value = format!("{:?}", self.status.phase.unwrap_or(Phase::Unknown));
        let evidence = Evidence::at(self.object(), "status.phase", &value);
        Some(Cause { message, ..cause }.shown([evidence]))
    }

    /// Returns the reason why the Pods of a failed workload are unknown. Returns None if they were
    /// read, or if the plan is ready or superseded.
    pub(super) fn unread(self) -> Option<String> {
        if matches!(
            self.status.phase,
            Some(Phase::Superseded | Phase::Ready) | None
        ) {
            return None;
        }
        let mut failing = self.failing_workloads().chain(self.failed_job_run());
        let unread = failing.find_map(|it| match &it.below {
            None => Some(format!(
                "The Pods of {} were not read, because too many workloads have failed.",
                it.object
            )),
            Some(below) => match &below.pods.sight {
                Sight::Dim(why) => {
                    Some(format!("The Pods of {} cannot be read: {why}.", it.object))
                }
                Sight::Clear | Sight::Odd(_) => None,
            },
        });
        unread.or_else(|| self.workloads.troubles.first().cloned())
    }

    fn failing_workloads(self) -> impl Iterator<Item = &'a RunningWorkload> {
        let all = self.workloads.all.iter();
        all.filter(move |it| self.has(it) && !it.is_ready())
    }

    fn failed_job_run(self) -> Option<&'a RunningWorkload> {
        let job = self.failed_job()?;
        let mut all = self.workloads.all.iter();
        all.find(|it| it.is_run(self.namespace, job))
    }

    /// Returns the Pod that made the last run of a Job fail. Returns None if the Pod no longer
    /// exists or was not read.
    pub(super) fn failed_run(self) -> Option<FailedRun<'a>> {
        let below = self.failed_job_run()?.below.as_ref()?;
        let pods = below.pods.objects.iter();
        let failed = pods.filter_map(|pod| Some((pod, pod.cause()?)));
        // The status of the plan contains the same Pod.
        let failed = failed.min_by(|(pod, cause), (other, than)| {
            (cause.code, pod.name()).cmp(&(than.code, other.name()))
        });
        let (pod, cause) = failed?;
        Some(FailedRun { below, pod, cause })
    }

    /// Returns the command that shows why the last run of a Job failed.
    pub(super) fn look_at_run(self, job: &JobStatus) -> Step {
        match self.failed_run() {
            Some(run) => run.look(),
            None => Step::new(
                "Show the log of the Job",
                Target::new(JOBS, self.namespace, &job.job).log(),
            ),
        }
    }

    fn failing_now(self, severity: health::State) -> Option<Cause> {
        let parties = self.parties();
        let causes = self.failing_workloads();
        let causes = causes.flat_map(|it| of_workload(it, severity, &parties));
        let mut causes: Vec<_> = causes.collect();
        in_order(&mut causes);
        causes.into_iter().next()
    }

    /// Returns true if this plan, or a plan that it replaced, has applied the workload. For a run
    /// of a Job, returns true only while the run is in progress.
    fn has(self, workload: &RunningWorkload) -> bool {
        let is_run = |job: &JobStatus| workload.is_run(self.namespace, job);
        if workload.is_job() {
            let mut jobs = self.status.jobs.iter();
            return jobs.any(|job| job.state == JobState::Running && is_run(job));
        }
        let mut lineages = self.status.lineages();
        lineages.any(|lineage| *lineage == workload.lineage)
    }

    fn parties(self) -> Parties {
        match OPERATOR.of(&self.plan.metadata) {
            Some(operator) => Parties {
                administrator: format!("the administrator of Operator {operator}"),
                publisher: "the publisher of the bundle".to_owned(),
                content: "the bundle".to_owned(),
            },
            None => Parties {
                administrator: "the author of the plan".to_owned(),
                publisher: "the publisher of the image".to_owned(),
                content: "the manifest".to_owned(),
            },
        }
    }
}

// === impl FailedRun ===

impl FailedRun<'_> {
    /// Adds the reason of the failure to a message, unless the message already contains it.
    pub(super) fn explain(&self, message: &str) -> String {
        let why = self.cause.message.trim_end_matches('.');
        if message.contains(why) {
            return message.to_owned();
        }
        format!("{}. {why}", message.trim_end_matches('.'))
    }

    /// Returns the state of the Pod and the newest warning Events about the Pod.
    pub(super) fn evidence(&self) -> Vec<Evidence> {
        self.below.evidence(&[self.pod])
    }

    fn look(&self) -> Step {
        let target = Target::of(PODS, &self.pod.observed);
        let container = self.cause.container.as_str();
        let comment = |log: &str| format!("Show {log} of container {container}");
        let code = self.cause.code;
        if code == HealthCode::CrashLooping {
            Step::new(&comment("the last log"), target.last_logs(container))
        } else if code == HealthCode::PodFailed && !container.is_empty() {
            Step::new(&comment("the log"), target.logs(container))
        } else {
            crate::steps::describe(target)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
