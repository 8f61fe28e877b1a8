//! The results of the steps of a decision.

use std::collections::BTreeMap;

use portolan_core_install::{Attempt, ObjectRead, ObjectRef, Observation, Outcome, Step};
use portolan_runtime::{PendingWrite, WriteFailure};

use super::{Wrote, conflict};

/// The results of the steps that were executed.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// The outcome of each step, in order.
    pub(crate) outcomes: Vec<Outcome>,
    /// The states of the written objects. None if the state after the write is unknown.
    pub(crate) objects: BTreeMap<ObjectRef, Option<ObjectRead>>,
    pub(crate) attempts: BTreeMap<ObjectRef, Attempt>,
    /// True if the finalizer was added to the plan, and false if it was removed. None if the
    /// finalizer did not change.
    pub(crate) finalizer: Option<bool>,
    /// The write of the plan itself, which the cache must contain. None if the plan was not
    /// written.
    pub(crate) plan: Option<PendingWrite>,
    /// The message of the first write with an unknown outcome. None if all outcomes are known.
    pub(crate) lost: Option<String>,
}

impl Sent {
    pub(super) fn done(&mut self, step: &Step, wrote: Wrote) -> Outcome {
        match wrote {
            Wrote::Object(object, object_read) => {
                // An object that is being deleted may exist for a long time, so it is only known
                // that the object exists.
                let is_there = matches!(object_read, ObjectRead::Present(_));
                let is_held = is_there && matches!(step, Step::Delete { .. });
                self.objects.insert(object, Some(object_read));
                if is_held {
                    Outcome::Again
                } else {
                    Outcome::Done
                }
            }
            Wrote::Finalizer(is_there, pending) => {
                self.finalizer = Some(is_there);
                self.plan = pending;
                Outcome::Done
            }
        }
    }

    pub(super) fn fail(
        &mut self,
        observed: &Observation,
        object: Option<&ObjectRef>,
        failure: WriteFailure,
    ) -> Outcome {
        let Some(member) = object else {
            return self.fail_of_plan(failure);
        };
        match failure {
            WriteFailure::Conflict(_) => {
                self.objects.insert(member.clone(), None);
                Outcome::Again
            }
            WriteFailure::FieldsOwned(conflicts) => {
                let conflicts: Vec<_> = conflicts.into_iter().map(conflict).collect();
                if let Some(ObjectRead::Present(object)) = observed.objects.get(member) {
                    let attempt = Attempt::new(object, conflicts.clone());
                    self.attempts.insert(member.clone(), attempt);
                }
                Outcome::FieldsOwned(conflicts)
            }
            WriteFailure::Refused(sentence) => Outcome::Refused(sentence),
            WriteFailure::Lost(sentence) => {
                self.objects.insert(member.clone(), None);
                self.lost.get_or_insert(format!("{member}: {sentence}"));
                Outcome::Lost(sentence)
            }
        }
    }

    fn fail_of_plan(&mut self, failure: WriteFailure) -> Outcome {
        match failure {
            WriteFailure::Conflict(_) => {}
            failure => {
                self.lost
                    .get_or_insert(format!("cannot change the finalizer: {failure}"));
            }
        }
        Outcome::Again
    }

    /// Returns true if all steps have succeeded.
    pub(crate) fn is_done(&self) -> bool {
        let mut outcomes = self.outcomes.iter();
        outcomes.all(|outcome| *outcome == Outcome::Done)
    }

    /// Returns true if an object was written, even if its change is not complete yet.
    pub(crate) fn has_written(&self) -> bool {
        self.outcomes.contains(&Outcome::Done)
            || self
                .objects
                .values()
                .any(|object_read| object_read.is_some())
    }

    /// Returns the references to the written objects that exist.
    pub(crate) fn written(&self) -> impl Iterator<Item = ObjectRef> {
        let there = self
            .objects
            .iter()
            .filter(|(_, object_read)| matches!(object_read, Some(ObjectRead::Present(_))));
        there.map(|(object, _)| object.clone())
    }

    /// Returns the reason why the next attempt must wait. Returns None if the next attempt can
    /// start immediately.
    pub(crate) fn failure(&self) -> Option<String> {
        let refused = self.outcomes.iter().find_map(|outcome| match outcome {
            Outcome::Refused(sentence) => Some(sentence),
            Outcome::Done | Outcome::Again | Outcome::FieldsOwned(_) | Outcome::Lost(_) => None,
        });
        self.lost.as_ref().or(refused).cloned()
    }

    /// Adds the states of the written objects to an observation.
    pub(crate) fn put(self, observed: &mut Observation) {
        for (member, object_read) in self.objects {
            match object_read {
                Some(object_read) => drop(observed.objects.insert(member, object_read)),
                None => drop(observed.objects.remove(&member)),
            }
        }
        observed.attempts.extend(self.attempts);
        if let Some(is_there) = self.finalizer {
            observed.plan.has_finalizer = is_there;
        }
        observed.is_discovery_fresh = false;
    }
}
