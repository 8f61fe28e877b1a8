//! The status after the controller has executed the steps of a decision.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{
    ConditionType, Intent, MOST_MEMBERS, MemberState, MemberStatus, Order, Phase, Reason, Status,
};
use portolan_api::status::explain;
use portolan_core_names::ObjectRef;
use portolan_core_names::text::{cite, plain};

use super::decision::{Decision, Outcome, Step};
use super::observation::Observation;
use super::tally::DriftTally;
use super::{case, failing_webhook, member_status, repairs, transform};
use crate::manifest::Members;

impl Decision {
    /// Returns the drift that the decision found.
    pub fn drift_tally(&self) -> DriftTally {
        match self.drifting {
            Some(drifting) => DriftTally::Known(drifting),
            None if self.status.condition(ConditionType::Drifted).is_some() => DriftTally::AsBefore,
            None => DriftTally::None,
        }
    }

    /// Returns a decision without steps and with the current status.
    pub(super) fn waiting(observed: &Observation) -> Self {
        Self {
            asks: BTreeSet::new(),
            steps: Vec::new(),
            order: Order::InOrder,
            status: observed.status.clone(),
            until: None,
            drifting: None,
            verified: None,
            is_repair: false,
            event: None,
        }
    }

    /// Returns true if an outcome reports field owners that were unknown before. In this case, the
    /// controller decides again at once.
    ///
    /// If the owners were already known, the object keeps changing. The status then reports the
    /// conflict, and the step is retried after the same delay as other failed writes.
    pub fn is_news(&self, observed: &Observation, members: &Members, outcomes: &[Outcome]) -> bool {
        let mut steps = self.steps.iter().zip(outcomes);
        steps.any(|(step, outcome)| match outcome {
            Outcome::FieldsOwned(_) => {
                let member = step.member().map(|place| &members[place].identity);
                member.is_some_and(|identity| !observed.attempts.contains_key(identity))
            }
            Outcome::Done | Outcome::Again | Outcome::Refused(_) | Outcome::Lost(_) => false,
        })
    }

    /// Returns the status after the steps. `outcomes` contains the outcome of each step, in the
    /// same order.
    ///
    /// `observed` is the observation on which the decision was based. It does not contain the
    /// [`Attempt`](super::Attempt) of an outcome yet. If an outcome [`is_news`](Self::is_news), the
    /// status does not change.
    #[must_use]
    pub fn after(self, observed: &Observation, members: &Members, outcomes: &[Outcome]) -> Status {
        let Ok(intent) = &observed.intent else {
            return self.status;
        };
        if self.is_news(observed, members, outcomes) {
            return observed.status.clone();
        }
        let is_repair = self.is_repair || super::is_latched(&observed.status);
        // True if the object is a member of this plan, or if a transformation of this plan deletes
        // it. False if only an earlier plan contains the object.
        let is_own = |object: &ObjectRef| {
            let mut taken = self.status.transformed.iter().flat_map(|one| &one.objects);
            members.get(object).is_some()
                || taken.any(|taken| transform::identity(taken) == *object)
        };
        let steps = self.steps.iter().zip(outcomes);
        let failed = steps.clone().filter_map(|(step, outcome)| {
            let (reason, sentence) = match outcome {
                Outcome::Done | Outcome::Again => return None,
                Outcome::FieldsOwned(conflicts) => {
                    (Some(Reason::FieldConflict), case::owned(conflicts))
                }
                Outcome::Refused(said) => {
                    let sentence = format!("is refused: {}", cite(said));
                    (Some(Reason::WriteRejected), sentence)
                }
                // The next attempt may succeed, so the status gets no special reason for a lost
                // response.
                Outcome::Lost(said) => {
                    let sentence = format!(
                        "will be written again, because it is unknown if the write succeeded: {}",
                        cite(said)
                    );
                    (None, sentence)
                }
            };
            let mut said = failed(step, &self.status, (observed, intent, members), &sentence)?;
            if let Outcome::Refused(message) | Outcome::Lost(message) = outcome {
                said.failing_webhook = failing_webhook(message);
            }
            if reason.is_none() {
                said.state = reported_state(&self.status, &said.object);
            }
            let blocked = reason.map(|_| Reason::DeletionBlocked);
            Some(match (step, self.status.phase) {
                (Step::Delete { .. }, Some(Phase::Terminating)) => {
                    (ConditionType::Ready, blocked, said)
                }
                (Step::Delete { object, .. }, _) if !is_own(object) => {
                    (ConditionType::Replaced, blocked, said)
                }
                _ if is_repair => (ConditionType::Drifted, reason, said),
                _ => (ConditionType::Applied, reason, said),
            })
        });
        let failed: Vec<_> = failed.take(MOST_MEMBERS).collect();
        let mut status = self.status;
        if is_repair {
            let done = steps.filter(|(_, outcome)| **outcome == Outcome::Done);
            count_repairs(
                &mut status,
                done.filter_map(|(step, _)| step.member()),
                observed.now,
            );
        }
        let for_good = failed.iter().find(|(_, reason, _)| reason.is_some());
        let Some((about, reason, first)) = for_good.or(failed.first()) else {
            return status;
        };
        let message = plain(&format!("{} {}", first.object, first.message));
        explain(&mut status.conditions, *about, *reason, message);
        let objects: BTreeSet<_> = failed.iter().map(|(_, _, said)| &said.object).collect();
        let others = status.members.into_iter();
        let others: Vec<_> = others
            .filter(|other| !objects.contains(&other.object))
            .collect();
        let failed = failed.into_iter().map(|(_, _, said)| said);
        status.members = failed.chain(others).take(MOST_MEMBERS).collect();
        status
    }
}

/// Returns the state of an object as a status reports it. Returns `NotApplied` if the status does
/// not contain the object.
fn reported_state(status: &Status, object: &str) -> MemberState {
    let mut told = status.members.iter();
    let told = told.find(|told| told.object == object);
    told.map_or(MemberState::NotApplied, |told| told.state)
}

fn count_repairs(status: &mut Status, done: impl Iterator<Item = usize>, now: Timestamp) {
    let mut done = done.peekable();
    if done.peek().is_some() {
        repairs::expire(&mut status.repairs, now);
    }
    for place in done {
        repairs::count(&mut status.repairs, place, now);
    }
}

/// Returns the status of the member whose step failed. Returns None for a step that writes the plan
/// itself.
fn failed(
    step: &Step,
    status: &Status,
    (observed, intent, members): (&Observation, &Intent, &Members),
    sentence: &str,
) -> Option<MemberStatus> {
    match step {
        Step::Run { job, run } => {
            let job = &members.jobs()[*job];
            let identity = job.identity(observed.job_owner(intent), *run);
            Some(MemberStatus::new(
                (&job.stage, job.place.index),
                identity.to_string(),
                MemberState::Refused,
                plain(sentence),
            ))
        }
        Step::Create { member, .. }
        | Step::Apply { member, .. }
        | Step::Replace { member, .. }
        | Step::Seal { member, .. } => {
            let member = &members[*member];
            let state = MemberState::Refused;
            Some(member_status(intent, member, state, sentence))
        }
        Step::Delete { object, .. } => {
            let object = object.to_string();
            let told = status.members.iter().find(|told| told.object == object)?;
            Some(MemberStatus {
                state: MemberState::Refused,
                message: plain(sentence),
                ..told.clone()
            })
        }
        Step::AddFinalizer | Step::RemoveFinalizer => None,
    }
}
