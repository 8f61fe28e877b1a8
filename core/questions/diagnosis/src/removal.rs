//! Explains CustomResourceDefinitions whose deletion waits for an operator that does not run.

use std::collections::BTreeSet;

use portolan_core_health::Kind;
use portolan_core_names::text::{listed, some};

use crate::around::Removal;
use crate::case::Case;
use crate::code::Matter;
use crate::steps::gone;
use crate::{Cause, Code, Object, State};

/// The maximum number of custom resources in a sentence.
const MOST_NAMED: usize = 5;

/// If CRDs of the operator are being deleted and its workload does not run, reports only the
/// workload. Only the running operator can process the finalizers of the custom resources, so users
/// must not change the CRDs. Adds a warning: when the operator starts, it completes the deletion.
pub(crate) fn wait_for_workload(case: Case<'_>, causes: &mut Vec<Cause>) {
    let is_down =
        |cause: &Cause| cause.code.matter() == Matter::Workload && cause.state == State::Broken;
    let leaving = causes.iter().filter(|cause| is_leaving(case, cause));
    let leaving: BTreeSet<_> = leaving.map(|cause| cause.at_fault.name.clone()).collect();
    if !causes.iter().any(is_down) || leaving.is_empty() {
        return;
    }
    causes.retain(|cause| !is_leaving(case, cause));
    for cause in causes.iter_mut().filter(|cause| is_down(cause)) {
        warn(case, cause, &leaving);
        let crds = leaving
            .iter()
            .map(|name| Object::new(Kind::CustomResourceDefinition.as_str(), "", name));
        cause.remedy.later.extend(crds.flat_map(|crd| gone(&crd)));
    }
}

/// Returns true if the cause is about a CRD that is being deleted.
pub(crate) fn is_leaving(case: Case<'_>, cause: &Cause) -> bool {
    let crds = case.situation().namespace.crds.objects.iter();
    let mut leaving = crds.filter(|crd| crd.is_deleting());
    cause.code == Code::CrdNotUsable
        && leaving.any(|crd| crd.observed.object.name == cause.at_fault.name)
}

/// Adds the warning that the operator, when it starts, completes the deletion of the custom
/// resources.
fn warn(case: Case<'_>, cause: &mut Cause, leaving: &BTreeSet<String>) {
    let removal = removal(case);
    let policy = removal.map_or_else(String::new, |it| {
        format!(" {} removes this operator.", it.policy())
    });
    let remaining = removal.map_or(&[][..], |it| &it.remaining);
    let (resources, wait) = match remaining {
        [] => ("its custom resources with finalizers".to_owned(), "wait"),
        [one] => (one.to_string(), "waits"),
        many => (some(MOST_NAMED, many), "wait"),
    };
    cause.message = format!(
        "{}{policy} CustomResourceDefinition {} is being deleted, and {resources} {wait} until \
         this operator processes the finalizers. When the operator runs again, it finishes the \
         deletion.",
        cause.message,
        listed(leaving)
    );
    let lost = match remaining {
        [] => "its custom resources".to_owned(),
        remaining => some(MOST_NAMED, remaining),
    };
    cause.responsible.who = administrator(case);
    for change in cause.remedy.fix.iter_mut().chain(&mut cause.remedy.decide) {
        change.risk = format!(
            "The operator finishes the deletion of {lost}. The deletion cannot be undone, and data \
             may be lost: save the custom resources and their data first. {}",
            change.risk
        );
    }
}

/// Returns the OperatorPolicy removal that removes this operator, if there is one.
fn removal(case: Case<'_>) -> Option<&Removal> {
    let place = case.situation().name();
    let mut removals = case.situation().around.removals.iter();
    removals.find(|it| it.csv.0 == place && case.has_csv(&it.csv.1))
}

fn administrator(case: Case<'_>) -> String {
    format!("the administrator of {}", case.title())
}
