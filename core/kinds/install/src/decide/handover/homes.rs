//! The lineages in which a plan that merges other plans creates objects.

use std::collections::BTreeMap;

use super::members;
use crate::decide::Halt;
use crate::decide::case::PlanContext;
use crate::decide::observation::ObjectRead;
use crate::succession::Peer;

/// Returns the lineage in which to create each missing member of an earlier plan, by member index.
/// Later, each earlier plan can take back these objects as its own. Empty for a plan that merges no
/// other plans.
///
/// # Errors
///
/// Returns `Halt::Ask` with the objects that these plans refer to.
pub(in crate::decide) fn homes(case: &PlanContext<'_>) -> Result<BTreeMap<usize, String>, Halt> {
    let plan = &case.observed.plan;
    let is_absent = |place: usize| matches!(case.object_read(place), Some(ObjectRead::Absent));
    let mut homes = BTreeMap::new();
    if plan.merged.is_empty() || !(0..case.members.len()).any(is_absent) {
        return Ok(homes);
    }
    // Among the plans that have begun, the newest one had the object last.
    let (begun, idle): (Vec<_>, Vec<_>) = case
        .relations
        .predecessors
        .iter()
        .partition(|peer| peer.has_begun());
    // A plan that merges other plans contains their objects, so merging plans come first.
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
