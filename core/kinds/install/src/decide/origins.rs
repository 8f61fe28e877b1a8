//! Determines the origin of each member: created by a plan, or existing before the plan.
//!
//! ```text
//! observed for the first time, with our label --> made, with this uid
//! another uid, with our label ------------------> found: made by others, adopted by a deleted plan
//! observed without our label -------------------> not made, regardless of the next uid
//! to be created --------------------------------> unknown; that is recorded first
//! ```

use portolan_api::plan::{OnFound, Status};

use super::case::{ObjectView, PlanContext};
use super::decision::Step;
use super::found::{self, FoundUids};
use super::handover::accounts::{Account, Accounts};
use super::made::{MadeUids, NOT_MADE, digest};
use super::observation::Observation;
use super::relations::Relations;
use super::{Halt, valid};
use crate::manifest::Members;
use crate::object::text;

/// The members that existed before the plan, and the members that the plan created.
pub(super) struct Origins {
    pub(super) found: FoundUids,
    pub(super) made: MadeUids,
    /// True if the status must contain a new record before an object may be created.
    pub(super) is_learning: bool,
}

impl Origins {
    /// Determines the origin of each member from the record and the observed objects.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(super) fn of(
        case: &PlanContext<'_>,
        views: &[ObjectView],
        is_resting: bool,
    ) -> Result<Self, Halt> {
        let mut origins = Self {
            found: case.found.clone(),
            made: MadeUids::of(&case.observed.status),
            is_learning: false,
        };
        // If another plan gives its objects back to this plan, its record shows which of them
        // existed before.
        let left = Accounts::of_leaving(case.observed, case.relations)?;
        origins.take_back(case.members, &left);
        for (place, view) in views.iter().enumerate() {
            origins.observe(case, (place, view), is_resting);
        }
        // A member gets a new origin although the plan did not create it. The status must record
        // this before the plan creates the member.
        let is_unmade = |found: &FoundUids, place: &usize| found::is_unmade(found, *place);
        let mut unmade = case.found.keys();
        let is_known =
            |place: &usize| is_unmade(&case.found, place) && !is_unmade(&origins.found, place);
        origins.is_learning |= unmade.any(is_known);
        Ok(origins)
    }

    /// Copies the records about objects that another plan gives back to this plan.
    fn take_back(&mut self, members: &Members, left: &Accounts) {
        for (place, member) in members.iter().enumerate() {
            if let Some(account) = left.get(&member.identity) {
                self.give_back(place, account);
            }
        }
    }

    fn give_back(&mut self, place: usize, account: &Account) {
        match &account.found {
            Some(uid) => drop(self.found.insert(place, uid.clone())),
            None => {
                self.found.remove(&place);
                self.made.forget(place);
                if let Some(made) = account.made {
                    self.made.put(place, made);
                }
            }
        }
    }

    fn observe(
        &mut self,
        case: &PlanContext<'_>,
        (place, view): (usize, &ObjectView),
        is_resting: bool,
    ) {
        match view {
            // An absent object may exist, because the API server may not serve its kind or version
            // for a while. Therefore only the record of an uncreated member changes.
            ObjectView::Absent => {
                if found::is_unmade(&self.found, place) {
                    self.found.remove(&place);
                }
            }
            ObjectView::Settled(_) if case.is_applied && case.intent.on_found == OnFound::Own => {
                self.found.remove(&place);
                self.made.forget(place);
                self.made.put(place, digest(case.uid(place)));
            }
            ObjectView::Adoptable
                if !is_resting
                    && !case.is_barred
                    && (!case.is_applied || case.recreates(place)) =>
            {
                self.found.insert(place, case.uid(place).to_owned());
                self.made.forget(place);
            }
            ObjectView::Adoptable
            | ObjectView::Stale { .. }
            | ObjectView::Immutable(_)
            | ObjectView::Settled(_)
            | ObjectView::Blocked(_) => self.observe_object(case, place),
        }
    }

    fn observe_object(&mut self, case: &PlanContext<'_>, place: usize) {
        let Some(object) = case.object(place) else {
            return;
        };
        let uid = text(object, "/metadata/uid");
        let found = self.found.get(&place);
        let is_found = found.is_some_and(|found| found == uid);
        match (case.is_ours(object), is_found) {
            (_, true) => {}
            (false, false) => {
                if found.is_some() && !found::is_unmade(&self.found, place) {
                    self.found.remove(&place);
                }
                self.made.put(place, NOT_MADE);
            }
            // The record contains another uid. A deleted plan created or found this object. The
            // record does not show which, so the object counts as found.
            (true, false) if found.is_some() || self.made.is_another(place, uid) => {
                self.found.insert(place, uid.to_owned());
                self.made.forget(place);
            }
            (true, false) => self.made.put(place, digest(uid)),
        }
    }

    /// Removes the earlier objects of members that are created now from the record. If this changes
    /// the record, removes all steps, so that the status is written first.
    pub(super) fn prepare(&mut self, steps: &mut Vec<Step>) {
        for step in steps.iter() {
            if let Step::Create { member, .. } = step {
                let was_found = self.found.remove(member).is_some();
                if was_found {
                    self.made.put(*member, NOT_MADE);
                }
                self.is_learning |= self.made.await_new(*member);
            }
        }
        if self.is_learning {
            steps.clear();
        }
    }
}

/// Records the objects that another plan gives back. Used while this plan cannot be carried out, so
/// that it does not observe its members itself.
pub(super) fn record_given_back(
    observed: &Observation,
    relations: &Relations<'_>,
    status: &mut Status,
) {
    let Ok(intent) = &observed.intent else {
        return;
    };
    let Ok(left) = Accounts::of_leaving(observed, relations) else {
        return;
    };
    let (Some(record), Ok(members)) = (
        &mut status.record,
        valid::members_to_delete(observed, intent),
    ) else {
        return;
    };
    let mut origins = Origins {
        found: found::written(&observed.status),
        made: MadeUids::of(&observed.status),
        is_learning: false,
    };
    origins.take_back(&members, &left);
    record.found = found::print(&origins.found);
    record.made = origins.made.print();
}
