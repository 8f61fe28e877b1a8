//! Judges InstallPlans, which describe the steps of an installation by OLM.

use portolan_core_names::text::listed;
use portolan_core_names::trouble;
use portolan_core_olm::InstallPlan;

use crate::case::Case;
use crate::objects::LookupResult;
use crate::words::because;
use crate::{Fact, HealthCode, InstallPlanPhase, Item, State};

impl Item<InstallPlan> {
    /// Returns true if OLM is executing the InstallPlan, or will execute it without another
    /// approval.
    pub(crate) fn is_under_way(&self) -> bool {
        match &self.status.phase {
            InstallPlanPhase::Planning | InstallPlanPhase::Installing => true,
            InstallPlanPhase::Other(word) if word.is_empty() => true,
            InstallPlanPhase::RequiresApproval => self.spec.approved,
            InstallPlanPhase::Complete | InstallPlanPhase::Failed | InstallPlanPhase::Other(_) => {
                false
            }
        }
    }

    /// Judges the InstallPlan that installs the operator.
    fn judge(&self, case: &Case<'_>) -> Fact {
        let plan = &self.observed.object;
        let fact =
            |state, code, message: String| Fact::judged(&self.observed, state, code, &message);
        match &self.status.phase {
            InstallPlanPhase::RequiresApproval if !self.spec.approved => {
                fact(case.delay(), HealthCode::PlanRequiresApproval, self.asks())
            }
            InstallPlanPhase::RequiresApproval => {
                let message = format!(
                    "{plan} is approved, but OLM has not started it yet. If OLM does not start it \
                     within 5 minutes, check that OLM runs (Deployment catalog-operator)."
                );
                fact(State::NotYet, HealthCode::PlanNotStarted, message)
            }
            InstallPlanPhase::Other(word) if !word.is_empty() => {
                let message = format!(
                    "{plan} is in phase {word}, which this version of Portolan does not know."
                );
                fact(State::NotYet, HealthCode::PlanInstalling, message)
            }
            InstallPlanPhase::Failed => {
                let claim = trouble::plan_failed(&plan.namespace, &plan.name);
                fact(
                    State::No,
                    HealthCode::PlanFailed,
                    because(claim, self.cause()),
                )
            }
            InstallPlanPhase::Complete => {
                Fact::fine(&self.observed, &format!("{plan} is complete."))
            }
            InstallPlanPhase::Planning
            | InstallPlanPhase::Installing
            | InstallPlanPhase::Other(_) => {
                fact(State::NotYet, HealthCode::PlanInstalling, self.goes_on())
                    .with_detail(&self.open())
            }
        }
    }

    fn asks(&self) -> String {
        let plan = &self.observed.object;
        let brings = match self.spec.csvs.as_slice() {
            [] => String::new(),
            csvs => format!(" The InstallPlan installs {}.", listed(csvs)),
        };
        format!("{plan} waits for approval.{brings}")
    }

    fn goes_on(&self) -> String {
        let plan = &self.observed.object;
        because(format!("{plan} is being executed"), self.cause())
    }

    /// Returns text about the objects that OLM has not created yet. Empty if OLM has created all
    /// objects.
    fn open(&self) -> String {
        let open = self.status.steps.iter().filter(|step| !step.is_done());
        let open: Vec<_> = open
            .map(|step| format!("{} {}", step.resource.kind, step.resource.name))
            .collect();
        if open.is_empty() {
            String::new()
        } else {
            format!("these objects are not created yet: {}", listed(open))
        }
    }

    /// Returns the problem that OLM reports for the InstallPlan. Empty if OLM reports no problem.
    fn cause(&self) -> &str {
        if !self.status.message.is_empty() {
            return &self.status.message;
        }
        let mut conditions = self.status.conditions.iter();
        let wrong = conditions.find(|said| said.is_false() && !said.message.is_empty());
        wrong.map_or("", |said| &said.message)
    }
}

/// Judges the InstallPlan that the operator's Subscription names. Returns None if the Subscription
/// names no InstallPlan. If OLM has already installed the bundle, problems of the InstallPlan are
/// ignored.
pub(crate) fn judge(case: &Case<'_>) -> Option<Fact> {
    match case.plan()? {
        LookupResult::There(plan) if case.is_settled() => {
            let message = format!("All objects of {} are installed.", plan.observed.object);
            Some(Fact::fine(&plan.observed, &message))
        }
        LookupResult::There(plan) => Some(plan.judge(case)),
        LookupResult::Missing(_) if case.is_settled() => None,
        LookupResult::Missing(observed) => {
            let plan = &observed.object;
            let message = format!("{plan} is missing, although the Subscription refers to it.");
            let state = case.hindrance().max(State::NotYet);
            Some(Fact::new(
                &observed,
                state,
                HealthCode::PlanMissing,
                &message,
            ))
        }
        LookupResult::Unseen => None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
