//! The relations of a plan to other plans, as reported in its status.

use std::collections::BTreeSet;

use portolan_api::plan::{ConditionType, Reason, Status};
use portolan_core_names::text::listed;

use super::leftovers::Leftovers;
use crate::decide::observation::Observation;
use crate::decide::relations::Relations;
use crate::decide::report::UndatedCondition;
use crate::succession::Peer;

/// Adds the lineages of the plan, its predecessors, and the plans that it has taken over completely
/// to a status.
pub(in crate::decide) fn add(
    observed: &Observation,
    relations: &Relations<'_>,
    status: &mut Status,
    leftovers: Option<&Leftovers>,
) {
    let before = &observed.status;
    let is_related = !relations.is_alone() && relations.refusal().is_none();
    if status.has_begun() || is_related {
        let lineage = before.lineage.clone();
        status.lineage = lineage.or_else(|| Some(observed.plan.lineage.clone()));
        let known = status.merged_lineages.iter().chain(&observed.plan.merged);
        let known = known.filter(|one| Some(*one) != status.lineage.as_ref());
        let merged: BTreeSet<_> = known.cloned().collect();
        status.merged_lineages = merged.into_iter().collect();
    }
    let uids: BTreeSet<_> = relations.predecessors.iter().map(|it| &it.uid).collect();
    if is_related {
        status.predecessors = uids.iter().copied().cloned().collect();
    }
    let done = leftovers.into_iter().flat_map(|leftovers| &leftovers.done);
    let taken: BTreeSet<_> = before.taken_over.iter().chain(done).collect();
    status.taken_over = taken.intersection(&uids).copied().cloned().collect();
}

/// Returns the `Replaced` condition. Returns None if the plan does not replace another plan and no
/// other plan replaces it.
pub(in crate::decide) fn replaced(
    observed: &Observation,
    relations: &Relations<'_>,
    leftovers: Option<&Leftovers>,
) -> Option<UndatedCondition> {
    let has_had = observed.status.condition(ConditionType::Replaced).is_some();
    if relations.is_alone() && !has_had && relations.circle.is_empty() {
        return None;
    }
    let mut replaced = match relations.successor {
        Some(Peer { name, .. }) if relations.is_over => {
            UndatedCondition::yes(Reason::HandedOver, format!("{name} has replaced this plan"))
        }
        Some(Peer { name, .. }) => {
            UndatedCondition::yes(Reason::HandingOver, format!("{name} replaces this plan"))
        }
        None => leftovers
            .and_then(|leftovers| leftovers.replaced.clone())
            .unwrap_or_else(|| {
                UndatedCondition::not_yet(Reason::NotReplaced, "no plan replaces this plan")
            }),
    };
    if !relations.circle.is_empty() {
        let names = listed(relations.circle);
        replaced.message.push_str(&format!(
            "; spec.replaces names {names}, which is newer and replaces this plan, so this entry \
             of spec.replaces is ignored"
        ));
    }
    Some(replaced)
}
