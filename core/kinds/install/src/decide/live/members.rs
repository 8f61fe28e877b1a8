//! The changes that a plan would make to one member.

use std::collections::BTreeSet;

use portolan_api::plan::Reason;
use portolan_core_names::ObjectRef;
use portolan_core_names::text::cite;

use super::{Comparison, LiveChange};
use crate::decide::case::{Blocked, ObjectView};
use crate::decide::decision::{Ask, Step};
use crate::decide::drift::{self, Difference};
use crate::decide::observation::{ObjectRead, Observation, Trial};
use crate::decide::{Halt, collision, valid};
use crate::diff::{FieldChange, removed};
use crate::object::is_terminating;

impl Comparison<'_, '_> {
    pub(super) fn member(&mut self, place: usize) -> Result<(), Halt> {
        match self.case.object_read(place) {
            Some(ObjectRead::Absent) | None => self.absent(place),
            Some(ObjectRead::Unreadable(sentence) | ObjectRead::Unanswered(sentence)) => {
                let sentence = format!("cannot be read: {}", cite(sentence));
                let object = self.identity(place).to_string();
                self.live.not_compared.push((object, sentence));
                Ok(())
            }
            Some(ObjectRead::Present(_)) => {
                let view = self.case.view(place)?;
                self.present(place, view)
            }
        }
    }

    /// Returns the first object that the member needs and that the plan must still create. Returns
    /// None if there is no such object.
    fn needed(&self, place: usize) -> Option<ObjectRef> {
        let mut needed = self.case.dependencies.of_member(place).iter();
        let needed = needed.find(|needed| valid::is_to_come(self.case, needed.on));
        needed.map(|needed| self.identity(needed.on))
    }

    fn absent(&mut self, place: usize) -> Result<(), Halt> {
        let object = self.identity(place);
        if self.case.is_applied && !self.case.recreates(place) {
            let sentence =
                "was deleted, and is not created again: lifecycle.onDeletion is Report".to_owned();
            self.live.left.push((object.to_string(), sentence));
            return Ok(());
        }
        let needed = self.needed(place);
        if needed.is_none() {
            match self.trial(place)? {
                Trial::Accepted | Trial::Undecided | Trial::Immutable => {}
                Trial::Refused(sentence) => {
                    self.refuse(object, &sentence);
                    return Ok(());
                }
            }
        }
        self.live.created.push((object, needed));
        Ok(())
    }

    pub(super) fn refuse(&mut self, object: ObjectRef, sentence: &str) {
        let sentence = format!("the API server rejects the object: {}", cite(sentence));
        self.live.refused.push((object.to_string(), sentence));
    }

    /// Returns the result of a dry run on the current state of a member's object.
    pub(super) fn trial(&self, place: usize) -> Result<Trial, Halt> {
        let object = &self.case.members[place].identity;
        let now = self.case.object_read(place).and_then(ObjectRead::shape);
        let trial = self.case.observed.trials.get(object);
        let trial = trial.filter(|(seen, _)| *seen == now);
        let (_, trial) = trial.ok_or_else(|| Ask::Trial(object.clone()))?;
        Ok(trial.clone())
    }

    fn present(&mut self, place: usize, view: ObjectView) -> Result<(), Halt> {
        match view {
            ObjectView::Settled(_) => self.settled(place),
            ObjectView::Absent => Ok(()),
            ObjectView::Blocked(blocked) => self.blocked(place, &blocked),
            ObjectView::Adoptable if self.case.is_applied => self.lost(place),
            ObjectView::Adoptable => match (self.trial(place)?, self.case.taken_over(place)?) {
                (_, ObjectView::Blocked(blocked)) => self.blocked(place, &blocked),
                (trial, _) => self.tried(place, trial),
            },
            ObjectView::Stale { .. } if self.case.keeps_webhook(place) => {
                self.change(place, self.fields(place), false);
                Ok(())
            }
            ObjectView::Stale { .. } | ObjectView::Immutable(_) => {
                let trial = self.trial(place)?;
                self.tried(place, trial)
            }
        }
    }

    /// Handles a member whose manifest is already applied. The plan would only revert changes by
    /// other clients.
    fn settled(&mut self, place: usize) -> Result<(), Halt> {
        let object = self.identity(place);
        let object_read = self.case.object(place);
        if object_read.is_some_and(is_terminating) {
            let sentence = "is being deleted".to_owned();
            self.live.not_compared.push((object.to_string(), sentence));
            return Ok(());
        }
        let mut asks = BTreeSet::new();
        let difference = drift::changed(self.case, place, &mut asks);
        if !asks.is_empty() {
            return Err(Halt::Ask(asks));
        }
        match difference {
            None => self.live.unchanged += 1,
            Some(Difference {
                step: Some(step), ..
            }) => {
                let fields = match (step, object_read) {
                    (Step::Seal { fields, .. }, Some(seen)) => removed(&object.kind, seen, &fields),
                    _ => self.fields(place),
                };
                self.change(place, fields, false);
            }
            Some(Difference { sentence, .. }) => {
                self.live.left.push((object.to_string(), sentence));
            }
        }
        Ok(())
    }

    pub(super) fn fields(&self, place: usize) -> Vec<FieldChange> {
        let fields = self.previews.get(&self.case.members[place].identity);
        fields.cloned().unwrap_or_default()
    }

    fn change(&mut self, place: usize, fields: Vec<FieldChange>, is_made_again: bool) {
        let object = self.identity(place);
        let Observation { plan, attempts, .. } = self.case.observed;
        let taken = attempts.get(&object).into_iter();
        let taken = taken.flat_map(|attempt| &attempt.conflicts);
        let seen = self.case.object(place);
        self.live.changed.push(LiveChange {
            fields,
            // The plan does not take fields from its own lineages. These include the lineages that
            // it merges.
            taken: taken
                .filter(|it| !plan.is_manager(&it.manager))
                .cloned()
                .collect(),
            is_taken_over: seen.is_some_and(|seen| !self.case.is_ours(seen)),
            is_made_again,
            object,
        });
    }

    fn blocked(&mut self, place: usize, blocked: &Blocked) -> Result<(), Halt> {
        let object = self.identity(place);
        let sentence = blocked.sentence.clone();
        let is = |reason| blocked.reason == reason;
        if is(Reason::ObjectNotOwned) && self.case.is_applied {
            return self.lost(place);
        }
        if is(Reason::FieldConflict) {
            self.live.conflicts.push((object, sentence));
        } else if is(Reason::Applying) {
            // The object is being deleted. The plan creates it again afterwards.
            self.live.created.push((object, None));
        } else if is(Reason::NotObserved) {
            self.live.not_compared.push((object.to_string(), sentence));
        } else {
            self.live.refused.push((object.to_string(), sentence));
        }
        Ok(())
    }

    /// Handles an applied member whose object another owner took over or created again.
    fn lost(&mut self, place: usize) -> Result<(), Halt> {
        if let Some(seen) = self.case.object(place) {
            let sentence = collision::taken(seen, self.case.observed)?.sentence;
            let object = self.identity(place).to_string();
            self.live.left.push((object, sentence));
        }
        Ok(())
    }

    /// Handles a member whose manifest would be applied to an existing object. The dry run decides.
    fn tried(&mut self, place: usize, trial: Trial) -> Result<(), Halt> {
        let object = self.identity(place);
        match trial {
            Trial::Immutable => self.change(place, Vec::new(), true),
            Trial::Undecided => {
                let sentence = "the dry run has no result for the object".to_owned();
                self.live.not_compared.push((object.to_string(), sentence));
            }
            Trial::Refused(sentence) => match self.needed(place) {
                Some(needed) => {
                    let sentence =
                        format!("is rejected until {needed} is applied: {}", cite(&sentence));
                    self.live.not_compared.push((object.to_string(), sentence));
                }
                None => self.refuse(object, &sentence),
            },
            Trial::Accepted => {
                let fields = self.fields(place);
                let seen = self.case.object(place);
                let is_ours = seen.is_some_and(|seen| self.case.is_ours(seen));
                if fields.is_empty() && is_ours {
                    self.live.unchanged += 1;
                } else {
                    self.change(place, fields, false);
                }
            }
        }
        Ok(())
    }
}
