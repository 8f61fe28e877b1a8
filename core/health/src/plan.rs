//! InstallPlans: a step that OLM takes.

use portolan_core_names::text::listed;
use portolan_core_names::trouble;

use crate::case::Case;
use crate::ground::Found;
use crate::words::because;
use crate::{Code, Condition, Fact, Observed, PlanPhase, State};

/// A step of OLM.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstallPlan {
    /// Which object.
    pub observed: Observed,
    /// The ClusterServiceVersions that it brings.
    pub csvs: Vec<String>,
    /// Whether somebody has let it go ahead.
    pub is_approved: bool,
    /// How far it has come.
    pub phase: PlanPhase,
    /// What OLM says of the whole; empty if nothing.
    pub message: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// What it makes, as far as that is not done: neither `Created` nor `Present`.
    pub open_steps: Vec<Step>,
}

/// One object that an InstallPlan makes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The kind of the object.
    pub kind: String,
    /// Its name.
    pub name: String,
}

// === impl InstallPlan ===

impl InstallPlan {
    /// Whether OLM is carrying it out, or will without anybody's doing.
    pub(crate) fn is_under_way(&self) -> bool {
        match &self.phase {
            PlanPhase::Planning | PlanPhase::Installing => true,
            PlanPhase::Other(word) if word.is_empty() => true,
            PlanPhase::RequiresApproval => self.is_approved,
            PlanPhase::Complete | PlanPhase::Failed | PlanPhase::Other(_) => false,
        }
    }

    /// What it means for the operator that it is to bring.
    fn judge(&self, case: &Case<'_>) -> Fact {
        let plan = &self.observed.object;
        let fact =
            |state, code, message: String| Fact::judged(&self.observed, state, code, &message);
        match &self.phase {
            PlanPhase::RequiresApproval if !self.is_approved => {
                fact(case.delay(), Code::PlanRequiresApproval, self.asks())
            }
            PlanPhase::Other(word) if !word.is_empty() => {
                let message = format!("{plan} is in the phase {word}, which is not known here.");
                fact(State::NotYet, Code::PlanInstalling, message)
            }
            PlanPhase::Failed => {
                let claim = trouble::plan_failed(&plan.namespace, &plan.name);
                fact(State::No, Code::PlanFailed, because(claim, self.cause()))
            }
            PlanPhase::Complete => Fact::fine(&self.observed, &format!("{plan} is carried out.")),
            PlanPhase::Planning
            | PlanPhase::RequiresApproval
            | PlanPhase::Installing
            | PlanPhase::Other(_) => {
                fact(State::NotYet, Code::PlanInstalling, self.goes_on()).with_detail(&self.open())
            }
        }
    }

    fn asks(&self) -> String {
        let plan = &self.observed.object;
        let brings = match self.csvs.as_slice() {
            [] => String::new(),
            csvs => format!(" It brings {}.", listed(csvs)),
        };
        format!("{plan} waits until somebody approves it.{brings}")
    }

    fn goes_on(&self) -> String {
        let plan = &self.observed.object;
        because(format!("{plan} is being carried out"), self.cause())
    }

    /// The steps that are left.
    fn open(&self) -> String {
        match self.open_steps.as_slice() {
            [] => String::new(),
            steps => {
                let names = steps
                    .iter()
                    .map(|step| format!("{} {}", step.kind, step.name));
                format!("still to be made: {}", listed(names))
            }
        }
    }

    /// What OLM says is wrong with it.
    fn cause(&self) -> &str {
        let mut conditions = self.conditions.iter();
        let wrong = conditions
            .find(|condition| condition.status == "False" && !condition.message.is_empty());
        match (self.message.is_empty(), wrong) {
            (false, _) | (true, None) => &self.message,
            (true, Some(condition)) => &condition.message,
        }
    }
}

/// What the InstallPlan that the Subscription names means for the operator. Once what it brought
/// is installed it means nothing.
pub(crate) fn judge(case: &Case<'_>) -> Option<Fact> {
    match case.plan()? {
        Found::There(plan) if case.is_settled() => {
            let message = format!("What {} was to bring is installed.", plan.observed.object);
            Some(Fact::fine(&plan.observed, &message))
        }
        Found::There(plan) => Some(plan.judge(case)),
        Found::Missing(_) if case.is_settled() => None,
        Found::Missing(observed) => {
            let plan = &observed.object;
            let message = format!("{plan} is not there, though the Subscription names it.");
            let state = case.hindrance().max(State::NotYet);
            Some(Fact::new(&observed, state, Code::PlanMissing, &message))
        }
        Found::Unseen => None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
