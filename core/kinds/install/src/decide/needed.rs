//! Finds the members that a member still waits for.

use portolan_core_olm::State;

use super::Halt;
use super::case::{ObjectView, PlanContext};
use super::decision::Ask;
use super::dependency::{Dependency, Until, is_before};

/// Returns the first member that this member still waits for. Returns None if it waits for no
/// member.
///
/// A needed member that comes later in the plan is ignored. Either it existed before the plan, or
/// this member works without it.
pub(super) fn unmet(
    case: &PlanContext<'_>,
    views: &[ObjectView],
    place: usize,
) -> Result<Option<usize>, Halt> {
    for needed in case.dependencies.of_member(place) {
        let is_before = is_before(case.intent, case.members, needed.on, place);
        if is_before && !case.is_met(views, place, *needed)? {
            return Ok(Some(needed.on));
        }
    }
    Ok(None)
}

impl PlanContext<'_> {
    /// Returns true if the dependency of a member is satisfied. `views` contains the states of all
    /// members.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(super) fn is_met(
        &self,
        views: &[ObjectView],
        place: usize,
        needed: Dependency,
    ) -> Result<bool, Halt> {
        let member = &self.members[place];
        let Some(ObjectView::Settled(readiness)) = views.get(needed.on) else {
            return Ok(false);
        };
        let is_ready = match needed.until {
            Until::Applied => true,
            Until::Ready => readiness.state == State::Yes,
        };
        let serves = self.members[needed.on].identity.kind.is_definition()
            || self.members[needed.on].identity.kind.is_api_service();
        let is_served = || {
            self.discovery
                .serves(&member.identity.kind, &member.version)
        };
        if !is_ready || !serves || is_served() {
            return Ok(is_ready);
        }
        // The stored discovery may be older than the new kind. If so, the controller reads the
        // discovery again.
        if self.observed.is_discovery_fresh {
            Ok(false)
        } else {
            Err(Ask::Discovery.into())
        }
    }
}
