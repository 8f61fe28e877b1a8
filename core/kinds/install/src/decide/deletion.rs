//! Deletes members of a plan that is being deleted, or members of a plan that was replaced.
//!
//! ```text
//! Goal: members to delete -- remaining: exist, made by the plan -- sequence --> Delete ...
//!                                   |  none: it is over
//!                                   +- held: by permissions, objects lost with them, or finalizers
//! ```

mod held;
mod remaining;
mod sequence;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::{
    ConditionType, Intent, MemberState, MemberStatus, Order, Reason, Record, Status,
};
use portolan_core_names::text::{counted, cut, listed_up_to};

use super::decision::{Event, Step};
use super::found::FoundUids;
use super::lacking::{self, Lacking};
use super::made::MadeUids;
use super::observation::Observation;
use super::report::{Missing, UndatedCondition};
use super::{Halt, member_status};
use crate::discovery::Discovery;
use crate::manifest::Members;
use crate::object::holding;
use crate::permissions::Needs;
use held::Held;
use remaining::{RemainingMember, Remains};
use sequence::Sequence;

/// An interval with three uses:
///
/// - If an object is being deleted for longer, the status reports that the deletion is blocked.
/// - A deletion is given up after this interval at the earliest.
/// - Objects without a watch are read again after this interval.
pub(super) const PATIENCE: SignedDuration = SignedDuration::from_secs(30);
/// The maximum length of an Event message.
const LONGEST_EVENT: usize = 1_000;
/// The maximum number of objects named in one Event.
const MOST_NAMED: usize = 20;

/// Returns the indexes of the members that are deleted when their plan is deleted.
pub(super) fn to_delete<'m>(
    intent: &'m Intent,
    members: &'m Members,
) -> impl Iterator<Item = usize> + 'm {
    let members = members.iter().enumerate();
    let deleted = members.filter(|(_, member)| member.is_deleted_with(intent.on_plan_deletion));
    deleted.map(|(place, _)| place)
}

/// Returns true if the plan keeps all objects that it created, even if its deletion policy is to
/// delete them.
pub(super) fn is_kept(observed: &Observation) -> bool {
    observed.plan.is_abandoned || observed.is_retired
}

/// The members to delete, and the plan that deletes them. If a plan deletes the members of an
/// earlier plan, `intent` and `of` differ.
pub(super) struct Goal<'g> {
    pub(super) observed: &'g Observation,
    pub(super) discovery: &'g Discovery,
    /// The plan whose ServiceAccount deletes the members.
    pub(super) intent: &'g Intent,
    /// The plan that contains the members.
    pub(super) of: &'g Intent,
    pub(super) members: &'g Members,
    pub(super) going: BTreeSet<usize>,
    /// The members that existed before the plan `of`.
    pub(super) found: FoundUids,
    /// The objects that the plan `of` created, if they are known.
    pub(super) made: MadeUids,
    /// The advice for the user if the deletion of a member would also delete objects that must be
    /// kept.
    pub(super) way_out: String,
}

/// The state of a deletion. The default is a completed deletion.
#[derive(Default)]
pub(super) struct Removal {
    pub(super) steps: Vec<Step>,
    pub(super) order: Option<Order>,
    /// The members that still exist, in deletion order.
    pub(super) remaining: Vec<MemberStatus>,
    /// The reason why no member may be deleted.
    pub(super) hold: Option<Hold>,
    pub(super) held: Held,
    pub(super) valid: Option<UndatedCondition>,
    pub(super) permitted: Option<UndatedCondition>,
    pub(super) missing: Missing,
    /// The new record of the plan, if it changes while the plan waits for its successor.
    pub(super) record: Option<Record>,
}

/// The reason why no member may be deleted.
pub(super) enum Hold {
    /// The deletion is blocked until a user acts.
    Blocked(String),
    /// The deletion waits until another plan makes progress.
    Waits(String),
}

impl Removal {
    pub(super) fn held(hold: Hold) -> Self {
        Self {
            hold: Some(hold),
            ..Self::default()
        }
    }

    /// Returns a deletion that is blocked because the plan lacks permissions.
    pub(super) fn lacking(lacks: Lacking, remaining: Vec<MemberStatus>) -> Self {
        Self {
            remaining,
            permitted: Some(lacks.said.clone()),
            missing: lacks.missing,
            ..Self::held(Hold::Blocked(lacks.said.message))
        }
    }

    /// Returns a deletion that waits for the progress of another plan.
    pub(super) fn waiting(sentence: String) -> Self {
        Self::held(Hold::Waits(sentence))
    }

    pub(super) fn is_over(&self) -> bool {
        self.remaining.is_empty() && self.hold.is_none()
    }

    /// Returns true if the deletion cannot continue until a user or another controller acts.
    pub(super) fn is_held(&self) -> bool {
        let waits = matches!(self.hold, Some(Hold::Waits(_)));
        let is_blocked = self.hold.is_some() || self.held != Held::No;
        self.steps.is_empty() && is_blocked && !waits
    }

    /// Returns true if a member cannot be deleted now and the start of this problem is unknown.
    pub(super) fn is_held_now(&self) -> bool {
        self.is_held() && self.held == Held::Now
    }

    /// Returns the time since which the deletion waits only for objects that are being deleted.
    /// Returns None if the deletion is not blocked, or if it is blocked for another reason.
    pub(super) fn object_held_since(&self) -> Option<Timestamp> {
        match self.held {
            Held::Since(since) if self.is_held() => Some(since),
            Held::Since(_) | Held::Now | Held::No => None,
        }
    }

    pub(super) fn message(&self) -> String {
        match &self.hold {
            Some(Hold::Blocked(sentence) | Hold::Waits(sentence)) => sentence.clone(),
            None => {
                let objects = counted(self.remaining.len() as i64, "object");
                let worst = self.remaining.iter().min_by_key(|member| member.state);
                let worst = worst.map(|worst| format!(": {} {}", worst.object, worst.message));
                format!("{objects} not deleted yet{}", worst.unwrap_or_default())
            }
        }
    }
}

impl Goal<'_> {
    /// Returns the steps that delete the members, and the state of the deletion. `since` is the
    /// deletion time of the plan.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(super) fn removal(&self, since: Timestamp) -> Result<Removal, Halt> {
        let remains = remaining::remains(self)?;
        let needs = self.needs(&remains);
        if let Some(lacks) = lacking::lacking(self.observed, self.intent, &needs)? {
            let remaining = self.remaining(&remains, &Sequence::default());
            return Ok(Removal::lacking(lacks, remaining));
        }
        let sequence = sequence::sequence(self, &remains)?;
        let mut removal = Removal {
            remaining: self.remaining(&remains, &sequence),
            ..Removal::default()
        };
        if self.intent.is_suspended && !removal.remaining.is_empty() {
            let sentence = "the plan is suspended; set spec.suspend to false".to_owned();
            removal.hold = Some(Hold::Blocked(sentence));
            return Ok(removal);
        }
        removal.held = held::held(self.observed.now, since, &remains, &sequence.held);
        removal.steps = sequence.steps;
        removal.order = sequence.order;
        Ok(removal)
    }

    /// Returns the members that still exist. Does not check the permissions of the ServiceAccount.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(super) fn forecast(&self) -> Result<Vec<MemberStatus>, Halt> {
        let remains = remaining::remains(self)?;
        let sequence = sequence::sequence(self, &remains)?;
        Ok(self.remaining(&remains, &sequence))
    }

    /// Returns the permissions that the ServiceAccount needs to delete the existing members, and to
    /// read the members that it could not read.
    fn needs(&self, remains: &Remains<'_>) -> Needs {
        let (mut there, mut unreadable) = (Vec::new(), Vec::new());
        for (place, remaining) in &remains.at {
            let member = &self.members[*place];
            match remaining {
                RemainingMember::There(_) => there.push(member),
                RemainingMember::Unreadable(_) => unreadable.push(member),
                RemainingMember::Unanswered(_) | RemainingMember::Unserved => {}
            }
        }
        let going = there.iter().chain(&unreadable).copied();
        let needs = Needs::default().and_delete(going, self.discovery);
        needs.and_read(unreadable, self.discovery)
    }

    /// Returns the status of the members that still exist.
    fn remaining(&self, remains: &Remains<'_>, sequence: &Sequence) -> Vec<MemberStatus> {
        let places = remains.at.iter().rev();
        let statuses = places.map(|(place, remaining)| {
            let (state, sentence) = held::describe(remaining, sequence.held.get(place));
            let member = member_status(self.of, &self.members[*place], state, &sentence);
            match remaining {
                RemainingMember::There(object) => MemberStatus {
                    finalizers: holding(object),
                    ..member
                },
                RemainingMember::Unreadable(_)
                | RemainingMember::Unanswered(_)
                | RemainingMember::Unserved => member,
            }
        });
        statuses.collect()
    }

    /// Returns at most `most` members to delete, for a cluster that cannot be observed. They may no
    /// longer exist.
    pub(super) fn unobserved(&self, most: usize) -> Vec<MemberStatus> {
        let going = self.going.iter().rev().take(most);
        let sentence = "will be deleted if it exists";
        let statuses = going.map(|place| {
            let member = &self.members[*place];
            member_status(self.of, member, MemberState::Remaining, sentence)
        });
        statuses.collect()
    }
}

/// Returns the time at which the controller must read objects without a watch again.
pub(super) fn next_read(observed: &Observation) -> Option<Timestamp> {
    observed.now.checked_add(PATIENCE).ok()
}

/// Returns true if this condition already reports that the deletion is blocked.
pub(super) fn was_blocked(status: &Status, type_: ConditionType) -> bool {
    let before = status.condition(type_);
    before.is_some_and(|before| before.reason == Reason::DeletionBlocked.as_str())
}

/// Returns a warning Event that names the remaining objects.
pub(super) fn event(reason: Reason, message: &str, remaining: &[MemberStatus]) -> Event {
    let objects = remaining.iter().map(|member| member.object.as_str());
    let message = match listed_up_to(MOST_NAMED, objects).as_str() {
        "" => message.to_owned(),
        objects => format!("{message}. The following objects remain: {objects}"),
    };
    Event {
        is_warning: true,
        reason,
        message: cut(&message, LONGEST_EVENT),
    }
}
