//! The current workloads of a plan.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::OPERATOR;
use portolan_api::plan::Phase;
use portolan_core_health::{self as health, Sight};

use super::{EXPLAINED, PlanCase};
use crate::diagnose::in_order;
use crate::rollout::{Parties, of_workload};
use crate::running::RunningWorkload;
use crate::{Cause, Code, Evidence};

impl<'a> PlanCase<'a> {
    /// Returns the cause that a failing Pod has, if it explains a condition with this code.
    pub(super) fn live(self, code: Code, said: &Condition) -> Option<Cause> {
        if !EXPLAINED.contains(&code) {
            return None;
        }
        let (severity, beginning) = if code == Code::InProgress {
            // A running container may still become ready.
            (health::State::NotYet, "The installation waits for a Pod")
        } else if code == Code::MembersNotReady {
            (health::State::No, "Installed, but a Pod does not run")
        } else {
            (
                health::State::No,
                "The installation is stuck: a Pod does not run",
            )
        };
        let cause = self.failing_now(severity)?;
        let message = format!("{beginning}. {}", cause.message);
        let evidence = Evidence::reported(self.object(), said);
        Some(Cause { message, ..cause }.shown([evidence]))
    }

    /// Returns the cause of a Pod that fails although the status reports that the plan works. The
    /// controller may not run, or has not noticed it yet.
    pub(super) fn unreported(self, causes: &[Cause]) -> Option<Cause> {
        let is_applied = matches!(self.status.phase, Some(Phase::Applied | Phase::Ready));
        if !is_applied || !causes.is_empty() {
            return None;
        }
        let cause = self.failing_now(health::State::NotYet)?;
        let message = format!("Installed, but a Pod does not run. {}", cause.message);
        let value = format!("{:?}", self.status.phase.unwrap_or(Phase::Unknown));
        let evidence = Evidence::at(self.object(), "status.phase", &value);
        Some(Cause { message, ..cause }.shown([evidence]))
    }

    /// Returns the reason why the failing Pods of a plan that does not work are unknown.
    pub(super) fn unread(self) -> Option<String> {
        if matches!(
            self.status.phase,
            Some(Phase::Superseded | Phase::Ready) | None
        ) {
            return None;
        }
        let mut failing = self.failing_workloads();
        let unread = failing.find_map(|it| match &it.below {
            None => Some(format!(
                "The Pods of {} were not read, because too many workloads fail.",
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

    fn failing_now(self, severity: health::State) -> Option<Cause> {
        let parties = self.parties();
        let causes = self.failing_workloads();
        let causes = causes.flat_map(|it| of_workload(it, severity, &parties));
        let mut causes: Vec<_> = causes.collect();
        in_order(&mut causes);
        causes.into_iter().next()
    }

    /// Returns true if the plan, or one that it replaced, has applied the workload.
    fn has(self, workload: &RunningWorkload) -> bool {
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
                content: "it".to_owned(),
            },
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
