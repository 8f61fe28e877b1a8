//! The handover of objects between plans. A plan takes over objects from the plans that it
//! replaces, and gives them back when it is deleted.
//!
//! ```text
//! new plan: valid, permitted -> waits -------> applies -> Ready -> deletes leftovers -> deleted
//!                                 |      ^                              |                  |
//! old plan:                       +-> keeps its objects, rests ... may be deleted          |
//!                                                                                          v
//!                                                                                       applies
//! ```
//!
//! Each file implements one step. The step gets the [`Relations`](super::relations::Relations) of
//! the plan, and does not call the other steps.

pub(super) mod accounts;
pub(super) mod give_back;
pub(super) mod homes;
pub(super) mod leftovers;
pub(super) mod orphans;
pub(super) mod report;
pub(super) mod rest;

use portolan_core_names::ObjectRef;

use super::observation::Observation;
use super::{Halt, valid};
use crate::manifest::Members;
use crate::succession::Peer;

/// Returns the members of another plan. The inner error is the reason why they are unknown.
fn members(observed: &Observation, peer: &Peer) -> Result<Result<Members, String>, Halt> {
    let intent = match &*peer.intent {
        Ok(intent) => intent,
        Err(refusals) => return Ok(Err(refusals.to_string())),
    };
    let asks = valid::contents(observed, intent);
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    let identity = ObjectRef {
        name: peer.name.clone(),
        ..observed.plan.identity.clone()
    };
    let read = Members::read(intent, &identity, &observed.contents);
    let record = peer.status.record.as_ref();
    let digest = record.map(|record| &record.digest);
    let read = match read {
        Ok(members) if digest.is_some_and(|digest| *digest != members.digest()) => {
            Err("the manifests of the plan changed after the plan had started".to_owned())
        }
        Ok(members) => Ok(members),
        Err(faults) => Err(faults.first().map(ToString::to_string).unwrap_or_default()),
    };
    Ok(read.or_else(|why| {
        let recalled = record.and_then(|record| Members::recalled(intent, record));
        recalled.ok_or(why)
    }))
}
