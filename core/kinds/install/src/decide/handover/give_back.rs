//! Decides which objects a plan in deletion gives back to its predecessors, and which plans it must
//! wait for.

use std::collections::BTreeSet;

use portolan_core_names::ObjectRef;

use super::members;
use crate::decide::Halt;
use crate::decide::deletion::{Hold, to_delete};
use crate::decide::observation::Observation;
use crate::decide::relations::Relations;
use crate::succession::Peer;

/// Returns the message that a deleted plan must wait for its successor, because the successor may
/// take over its objects. Returns None if no wait is needed.
pub(in crate::decide) fn wait_for_successor(relations: &Relations<'_>) -> Option<String> {
    if let Some(Peer { name, .. }) = relations.successor {
        return Some(format!(
            "{name} replaces this plan: this plan is deleted once {name} is ready and has deleted \
             the objects that only this plan created"
        ));
    }
    let name = relations.undecided?;
    Some(format!(
        "{name} replaces this plan, but the new plan is not valid and permitted yet; delete one of \
         the two plans, or wait"
    ))
}

/// Returns the message that a deleted plan must wait for its predecessor. Returns None if no wait
/// is needed.
///
/// The predecessor takes objects back, so it must first be applied again. If the deletion of the
/// predecessor deletes objects, the predecessor must also have its finalizer.
///
/// # Errors
///
/// Returns `Halt::Ask` with the objects to read first.
pub(in crate::decide) fn wait_for_predecessor(
    observed: &Observation,
    relations: &Relations<'_>,
) -> Result<Option<String>, Halt> {
    // When this plan reports its deletion, the first of these predecessors becomes active again.
    // The earlier ones stay replaced.
    if let Some(first) = relations.heirs.first()
        && relations.heirs.iter().all(|heir| heir.is_resting())
    {
        let sentence = format!("this plan is deleted once {} is active again", first.name);
        return Ok(Some(sentence));
    }
    for heir in &relations.heirs {
        let name = &heir.name;
        if heir.is_working() && !heir.is_applied() {
            return Ok(Some(format!(
                "this plan is deleted once {name} has applied its objects again; to continue \
                 without {name}, delete {name} as well"
            )));
        }
        if !heir.has_finalizer && has_something_to_delete(observed, heir)? {
            let sentence = format!("this plan is deleted once {name} has its finalizer again");
            return Ok(Some(sentence));
        }
    }
    Ok(None)
}

/// Returns true if the deletion of this predecessor would delete objects. Such a plan adds its
/// finalizer when no other plan replaces it any more, even if it cannot be carried out.
fn has_something_to_delete(observed: &Observation, heir: &Peer) -> Result<bool, Halt> {
    let Ok(intent) = &*heir.intent else {
        return Ok(false);
    };
    let members = members(observed, heir)?;
    let mut places = members
        .iter()
        .flat_map(|members| to_delete(intent, members));
    Ok(!heir.is_abandoned && places.next().is_some())
}

/// Returns the objects that a deleted plan gives back to its predecessors. The inner error is the
/// reason why these objects are unknown.
pub(in crate::decide) fn given_back(
    observed: &Observation,
    relations: &Relations<'_>,
) -> Result<Result<BTreeSet<ObjectRef>, Hold>, Halt> {
    let mut heirs = relations.heirs.iter();
    if let Some(Peer { name, .. }) = heirs.find(|heir| !heir.has_begun()) {
        // This predecessor still needs the plan, to find out who created each existing object.
        let sentence = format!(
            "this plan is deleted once {name} has started to replace this plan, or cannot start"
        );
        return Ok(Err(Hold::Waits(sentence)));
    }
    let mut given = BTreeSet::new();
    for heir in &relations.heirs {
        match members(observed, heir)? {
            Ok(members) => given.extend(members.iter().map(|member| member.identity.clone())),
            Err(why) => {
                let sentence = format!(
                    "the objects that {} would get back from this plan are unknown: {why}",
                    heir.name
                );
                return Ok(Err(Hold::Blocked(sentence)));
            }
        }
    }
    Ok(Ok(given))
}
