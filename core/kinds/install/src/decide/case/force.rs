//! The fields of an object that other field managers own.

use portolan_api::plan::{Collisions, MemberState, Reason};
use portolan_core_names::text::listed;
use serde_json::Value;

use super::{Blocked, ObjectView, PlanContext};
use crate::decide::Halt;
use crate::decide::decision::Ask;
use crate::decide::tried::Attempt;
use crate::fields::OwnedField;
use crate::object::text;

/// The answer to the question if a plan may take fields by force.
enum Taking {
    Allowed,
    Denied,
    /// A dry run is needed to decide.
    Unknown,
}

/// Returns the end of a sentence that names the owners of the conflicting fields.
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
    /// Returns the view of a member to adopt, based on the conflicts of its dry run.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with a forced dry run, if the plan may proceed only when no field
    /// changes.
    pub(in crate::decide) fn taken_over(&self, place: usize) -> Result<ObjectView, Halt> {
        match self.object(place) {
            Some(object) => self.stale(place, object),
            None => Ok(ObjectView::Adoptable),
        }
    }

    /// Returns the view of an object that must be applied. The view is blocked if other owners have
    /// some of its fields with different values.
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

    /// Decides if the plan may take fields from their owners.
    fn taking(&self, attempt: &Attempt, version: &str) -> Taking {
        let (plan, living) = (&self.observed.plan, &self.observed.living);
        if attempt.conflicts.is_empty() {
            return Taking::Denied;
        }
        // A lineage without plans no longer counts as an owner.
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
                    // The object has changed since the forced dry run.
                    (true, false) => Taking::Unknown,
                }
            }
        }
    }
}
