//! Deletion of the plans that exceed the history limit.

use portolan_api::plan::GROUP;
use portolan_core_install::{Outdated, PastPlan, Prunable, outdated};
use portolan_core_names::{Gvk, ObjectRef};

use super::{Decision, OperatorContext, Step};

/// The maximum number of plans that one decision deletes.
const MOST_DELETED: usize = 10;

/// Deletes the plans that exceed the history limit. Secrets and ResourceManifests that only these
/// plans refer to are deleted first, because only the plans contain their names.
pub(super) fn prune(case: OperatorContext<'_>, decision: &mut Decision) {
    let newest_first: Vec<_> = case.member.hops.iter().rev().collect();
    let mut begun = newest_first.iter().filter(|hop| !hop.is_held());
    let is_ready = begun.next().is_some_and(|hop| hop.ready_since().is_some());
    if !is_ready || !decision.steps.is_empty() {
        return;
    }
    let past = newest_first.iter().map(|hop| PastPlan {
        lineages: vec![""],
        is_over: hop.is_handed_over && !hop.is_terminating,
        beside: hop.beside.clone(),
    });
    let past: Vec<_> = past.collect();
    let mut keep = usize::try_from(case.intent.revision_history_limit).unwrap_or(usize::MAX);
    let all = outdated(&past, keep).plans.len();
    keep = keep.saturating_add(all.saturating_sub(MOST_DELETED));
    let Outdated { plans, beside } = outdated(&past, keep);
    let gone = plans.iter().map(|place| newest_first[*place]);
    let Some(first) = gone.clone().next() else {
        return;
    };
    let beside = beside
        .iter()
        .filter_map(|it| beside_plan(&first.namespace, it));
    decision.steps.extend(beside.map(Step::DeleteBeside));
    decision.steps.extend(gone.map(Step::delete));
}

/// Returns the reference to a Secret or ResourceManifest in the namespace of the plans. Returns
/// None for a plan.
fn beside_plan(namespace: &str, object: &Prunable) -> Option<ObjectRef<Gvk>> {
    let kind = match object {
        Prunable::Secret(_) => Gvk::new("v1", "Secret"),
        Prunable::ResourceManifest(_) => Gvk::new(&format!("{GROUP}/v1alpha1"), "ResourceManifest"),
        Prunable::Plan(_) => return None,
    };
    Some(ObjectRef::new(kind, namespace, object.name()))
}
