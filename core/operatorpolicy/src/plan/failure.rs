//! Why an InstallPlan failed.

use portolan_core_names::trouble;
use portolan_core_olm::Step;

use super::Relevant;
use crate::phrase::clause;

/// Why the InstallPlan failed, unless what failed of it is only of others.
pub(super) fn why(relevant: &Relevant<'_>) -> Option<String> {
    let plan = relevant.plan;
    let is_shared = plan.spec.csvs.len() > 1;
    let mut own = plan
        .status
        .steps
        .iter()
        .filter(|step| is_own(step, relevant));
    let is_done = own.clone().next().is_some() && own.all(Step::is_done);
    if is_shared && is_done {
        return None;
    }
    let name = relevant.name();
    let step = match failing(relevant) {
        Some(step) => format!(" (at {} {})", step.resource.kind, step.resource.name),
        None => String::new(),
    };
    let claim = trouble::plan_failed(&relevant.case.namespace.name, name) + &step;
    Some(match message(relevant) {
        Some(message) => format!("{claim}: {message}"),
        None => claim,
    })
}

fn is_own(step: &Step, relevant: &Relevant<'_>) -> bool {
    step.resolving == relevant.current()
}

/// Where OLM stopped: it takes one step after the other, and those of the operator itself are of
/// more interest than those of others.
fn failing<'a>(relevant: &Relevant<'a>) -> Option<&'a Step> {
    let steps = || {
        relevant
            .plan
            .status
            .steps
            .iter()
            .filter(|step| !step.is_done())
    };
    let own = steps().find(|step| is_own(step, relevant));
    own.or_else(|| steps().next())
}

/// What OLM says of it.
fn message(relevant: &Relevant<'_>) -> Option<String> {
    let status = &relevant.plan.status;
    let failed = status
        .conditions
        .iter()
        .filter(|condition| condition.status == "False");
    let mut messages = failed
        .map(|condition| condition.message.as_str())
        .chain([status.message.as_str()])
        .map(clause);
    messages.find(|message| !message.is_empty())
}
