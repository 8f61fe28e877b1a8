//! CustomResourceDefinitions whose deletion waits for an operator that does not run.

use std::collections::BTreeSet;

use portolan_core_names::text::listed;

use crate::case::Case;
use crate::code::Matter;
use crate::cure::Cure;
use crate::{Cause, Code, State};

/// Puts the workload that does not run before the CRDs of the operator that are being deleted: only
/// the operator processes the finalizers of their custom resources. Warns that starting it finishes
/// the deletion.
pub(crate) fn wait_for_workload(case: Case<'_>, causes: &mut [Cause]) {
    let is_down =
        |cause: &Cause| cause.code.matter() == Matter::Workload && cause.state == State::Broken;
    let leaving = causes.iter().filter(|cause| is_leaving(case, cause));
    let leaving: BTreeSet<_> = leaving.map(|cause| cause.at_fault.name.clone()).collect();
    if !causes.iter().any(is_down) || leaving.is_empty() {
        return;
    }
    for cause in &mut *causes {
        if is_down(cause) {
            warn(case, cause, &leaving);
        } else if is_leaving(case, cause) {
            *cause = waiting(case, cause);
        }
    }
}

/// Returns true if the cause is a CRD that is being deleted.
pub(crate) fn is_leaving(case: Case<'_>, cause: &Cause) -> bool {
    let crds = case.situation().namespace.crds.objects.iter();
    let mut leaving = crds.filter(|crd| crd.is_deleting());
    cause.code == Code::CrdNotUsable
        && leaving.any(|crd| crd.observed.object.name == cause.at_fault.name)
}

/// Warns that a start of the operator finishes the deletion.
fn warn(case: Case<'_>, cause: &mut Cause, leaving: &BTreeSet<String>) {
    let policy = policy(case);
    cause.message = format!(
        "{}{policy} CustomResourceDefinition {} is being deleted, and its custom resources with finalizers wait for \
         this operator. When the operator runs again, it finishes their deletion.",
        cause.message,
        listed(leaving)
    );
    cause.responsible.who = administrator(case);
    for change in cause.remedy.fix.iter_mut().chain(&mut cause.remedy.decide) {
        change.risk = format!(
            "The operator finishes the deletion of its custom resources. This cannot be undone, and their data \
             may be lost: save it first. {}",
            change.risk
        );
    }
}

/// Returns the cause of a CRD whose deletion waits for the operator.
fn waiting(case: Case<'_>, cause: &Cause) -> Cause {
    let action = format!(
        "Do not repair it: its deletion cannot be undone. It ends once {} runs and processes the finalizers \
         of the custom resources.",
        case.title()
    );
    let waiting = Cause {
        state: State::Stuck,
        ..cause.clone()
    };
    waiting.cured(Cure::external(&administrator(case), &action))
}

/// Returns the sentence about the OperatorPolicy that removes the operator; empty without one.
fn policy(case: Case<'_>) -> String {
    let place = case.situation().name();
    let mut removals = case.situation().around.removals.iter();
    let own = removals.find(|it| it.csv.0 == place && case.has_csv(&it.csv.1));
    own.map_or_else(String::new, |removal| {
        let (namespace, name) = &removal.policy;
        format!(" OperatorPolicy {namespace}/{name} removes this operator.")
    })
}

fn administrator(case: Case<'_>) -> String {
    format!("the administrator of {}", case.title())
}
