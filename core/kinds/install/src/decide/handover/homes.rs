//! The lineages in which a merging plan creates missing objects. A merging plan replaces plans of
//! several lineages.

use std::collections::BTreeMap;

use super::members;
use crate::decide::Halt;
use crate::decide::case::PlanContext;
use crate::decide::observation::ObjectRead;
use crate::succession::Peer;

/// Returns the lineage in which each missing member must be created, by member index. This is the
/// lineage of an earlier plan with the same object, so that this plan can take the object back
/// later. Empty for a plan that merges no other plans.
///
/// # Errors
///
/// Returns `Halt::Ask` with the objects that the earlier plans refer to.
pub(in crate::decide) fn homes(case: &PlanContext<'_>) -> Result<BTreeMap<usize, String>, Halt> {
    let plan = &case.observed.plan;
    let is_absent = |place: usize| matches!(case.object_read(place), Some(ObjectRead::Absent));
    let mut homes = BTreeMap::new();
    if plan.merged.is_empty() || !(0..case.members.len()).any(is_absent) {
        return Ok(homes);
    }
    // Of the plans that have begun, the newest plan had the object last, so it comes first.
    let (begun, idle): (Vec<_>, Vec<_>) = case
        .relations
        .predecessors
        .iter()
        .partition(|peer| peer.has_begun());
    // A merging plan also contains the objects of the plans that it merged. Therefore the other
    // plans come first.
    let (merging, single): (Vec<_>, Vec<_>) = begun
        .into_iter()
        .partition(|peer: &&Peer| !peer.status.merged_lineages.is_empty());
    for peer in single.into_iter().chain(merging).chain(idle) {
        let lineage = peer.status.lineage.as_ref();
        let Some(lineage) = lineage.filter(|it| plan.lineages().any(|own| own == *it)) else {
            continue;
        };
        let Ok(members) = members(case.observed, peer)? else {
            continue;
        };
        for (place, member) in case.members.iter().enumerate() {
            if is_absent(place) && members.get(&member.identity).is_some() {
                homes.entry(place).or_insert_with(|| lineage.clone());
            }
        }
    }
    Ok(homes)
}
