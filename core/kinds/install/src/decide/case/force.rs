//! Decides if a plan may take fields that other field managers own.

use portolan_api::plan::{Collisions, MemberState, Reason};
use portolan_core_names::text::listed;
use serde_json::Value;

use super::{Blocked, ObjectView, PlanContext};
use crate::decide::Halt;
use crate::decide::decision::Ask;
use crate::decide::tried::Attempt;
use crate::fields::OwnedField;
use crate::object::text;

/// The decision if a plan may take the conflicting fields by force.
enum Taking {
    Allowed,
    Denied,
    /// The result of a forced dry run is missing.
    Unknown,
}

/// Returns the end of a sentence about the conflicting fields and their owners.
pub(in crate::decide) fn owned(conflicts: &[OwnedField]) -> String {
    if conflicts.is_empty() {
        return "has fields whose values differ from the manifest, and the API server does not \
                report the owners of these fields"
            .to_owned();
    }
    format!(
        "has fields whose values differ from the manifest: {}; set spec.collisions to Adopt, or \
         remove these fields from the manifest",
        listed(conflicts)
    )
}

impl PlanContext<'_> {
    /// Returns the state of a member that the plan adopts. It depends on the conflicts that a dry
    /// run found.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with a forced dry run, if the plan may take the fields only when their
    /// values do not change.
    pub(in crate::decide) fn taken_over(&self, place: usize) -> Result<ObjectView, Halt> {
        match self.object(place) {
            Some(object) => self.stale(place, object),
            None => Ok(ObjectView::Adoptable),
        }
    }

    /// Returns the state of a member whose manifest must be applied. It is blocked if other owners
    /// have set fields of the manifest to different values, and the plan may not take these fields.
    pub(super) fn stale(&self, place: usize, object: &Value) -> Result<ObjectView, Halt> {
        let identity = &self.members[place].identity;
        let version = text(object, "/metadata/resourceVersion");
        let attempt = self.observed.attempts.get(identity);
        let attempt = attempt.filter(|attempt| attempt.holds(object));
        let uid = text(object, "/metadata/uid").to_owned();
        let Some(attempt) = attempt else {
            return Ok(ObjectView::Stale { uid, force: None });
        };
        let force = Some(version.to_owned());
        Ok(match self.taking(attempt, version) {
            Taking::Allowed => ObjectView::Stale { uid, force },
            Taking::Unknown => return Err(Ask::ForcedTrial(identity.clone()).into()),
            Taking::Denied => ObjectView::Blocked(Blocked::new(
                MemberState::Refused,
                Reason::FieldConflict,
                owned(&attempt.conflicts),
            )),
        })
    }

    /// Decides if the plan may take the conflicting fields from their owners.
    fn taking(&self, attempt: &Attempt, version: &str) -> Taking {
        let (plan, living) = (&self.observed.plan, &self.observed.living);
        if attempt.conflicts.is_empty() {
            return Taking::Denied;
        }
        // The plan may take fields from its own lineages, and from lineages whose plans are all
        // deleted.
        let is_free = |owner: &str| plan.is_manager(owner) || living.is_of_gone(owner);
        let mut conflicts = attempt.conflicts.iter();
        if conflicts.all(|conflict| is_free(&conflict.manager)) {
            return Taking::Allowed;
        }
        match (self.intent.collisions, &attempt.forced) {
            (Collisions::Adopt, _) => Taking::Allowed,
            (Collisions::Refuse | Collisions::IfUnowned, None) => Taking::Unknown,
            (Collisions::Refuse | Collisions::IfUnowned, Some(forced)) => {
                match (forced.changed.is_empty(), forced.version == version) {
                    (false, _) => Taking::Denied,
                    (true, true) => Taking::Allowed,
                    // The object has changed since the forced dry run, so a new dry run is needed.
                    (true, false) => Taking::Unknown,
                }
            }
        }
    }
}
