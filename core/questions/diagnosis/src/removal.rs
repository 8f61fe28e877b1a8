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
    let crds = case.situation().namespace.crds.objects.iter();
    let deleting = crds.filter(|crd| crd.is_deleting());
    let deleting: BTreeSet<_> = deleting
        .map(|crd| crd.observed.object.name.clone())
        .collect();
    let is_deleting =
        |cause: &Cause| cause.code == Code::CrdNotUsable && deleting.contains(&cause.at_fault.name);
    if !causes.iter().any(is_down) || !causes.iter().any(is_deleting) {
        return;
    }
    let title = case.title();
    for cause in &mut *causes {
        if is_down(cause) {
            cause.message = format!(
                "{} CustomResourceDefinition {} is being deleted, and custom resources with finalizers wait \
                 for this operator.",
                cause.message,
                listed(&deleting)
            );
            for change in cause.remedy.fix.iter_mut().chain(&mut cause.remedy.decide) {
                change.risk = format!(
                    "The operator finishes the deletion of its custom resources. This cannot be undone, and \
                     their data may be lost: save it first. {}",
                    change.risk
                );
            }
        } else if is_deleting(cause) {
            let action = format!(
                "Do not repair it: its deletion cannot be undone. It ends once {title} runs and processes the \
                 finalizers of the custom resources."
            );
            let who = format!("the administrator of {title}");
            let waiting = Cause {
                state: State::Stuck,
                ..cause.clone()
            };
            *cause = waiting.cured(Cure::external(&who, &action));
        }
    }
}
