//! Members to delete, of the plan itself or of a plan that it takes over from.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{Intent, MemberState, MemberStatus, Order, Reason, Record};
use portolan_core_names::text::counted;

use super::held::{self, Held};
use super::remaining::{self, Remains, Standing};
use super::sequence::{self, Sequence};
use crate::decide::found::FoundUids;
use crate::decide::lacking::{self, Lacking};
use crate::decide::made::MadeUids;
use crate::decide::observation::{Observation, Step};
use crate::decide::report::{Missing, UndatedCondition};
use crate::decide::{Halt, member_status};
use crate::discovery::Discovery;
use crate::manifest::Members;
use crate::object::holding;
use crate::permissions::Needs;

/// The members to delete.
pub(in crate::decide) struct Goal<'g> {
    pub(in crate::decide) observed: &'g Observation,
    pub(in crate::decide) discovery: &'g Discovery,
    /// The plan whose ServiceAccount deletes them.
    pub(in crate::decide) intent: &'g Intent,
    /// The plan that has the members.
    pub(in crate::decide) of: &'g Intent,
    pub(in crate::decide) members: &'g Members,
    pub(in crate::decide) going: BTreeSet<usize>,
    /// The members that existed before the plan that has them.
    pub(in crate::decide) found: FoundUids,
    /// The known objects that the plan made.
    pub(in crate::decide) made: MadeUids,
    /// The advice if other objects would be lost with a member.
    pub(in crate::decide) way_out: String,
}

/// The progress of a deletion. The default is a finished one.
#[derive(Default)]
pub(in crate::decide) struct Removal {
    pub(in crate::decide) steps: Vec<Step>,
    pub(in crate::decide) order: Option<Order>,
    /// The members that still exist, in deletion order.
    pub(in crate::decide) remaining: Vec<MemberStatus>,
    /// The reason why nothing is deleted at all.
    pub(in crate::decide) hold: Option<Hold>,
    pub(in crate::decide) held: Held,
    pub(in crate::decide) valid: Option<UndatedCondition>,
    pub(in crate::decide) permitted: Option<UndatedCondition>,
    pub(in crate::decide) missing: Missing,
    /// The record, if it changes while the plan waits for its successor.
    pub(in crate::decide) record: Option<Record>,
}

/// The reason why nothing is deleted at all.
pub(in crate::decide) enum Hold {
    /// A user has to act.
    Blocked(String),
    /// Another plan has to make progress.
    Waits(String),
}

impl Removal {
    pub(in crate::decide) fn held(hold: Hold) -> Self {
        Self {
            hold: Some(hold),
            ..Self::default()
        }
    }

    /// Returns a deletion that is blocked because the plan lacks permissions.
    pub(in crate::decide) fn lacking(lacks: Lacking, remaining: Vec<MemberStatus>) -> Self {
        Self {
            remaining,
            permitted: Some(lacks.said.clone()),
            missing: lacks.missing,
            ..Self::held(Hold::Blocked(lacks.said.message))
        }
    }

    /// Returns a deletion that waits for the progress of another plan.
    pub(in crate::decide) fn waits(sentence: String) -> Self {
        Self::held(Hold::Waits(sentence))
    }

    pub(in crate::decide) fn is_over(&self) -> bool {
        self.remaining.is_empty() && self.hold.is_none()
    }

    /// Returns true if the deletion continues only after someone else acts.
    pub(in crate::decide) fn is_held(&self) -> bool {
        let waits = matches!(self.hold, Some(Hold::Waits(_)));
        let is_blocked = self.hold.is_some() || self.held != Held::No;
        self.steps.is_empty() && is_blocked && !waits
    }

    /// Returns the time since which objects that are being deleted block it; None if it is blocked
    /// for another reason, or not at all.
    pub(in crate::decide) fn object_held_since(&self) -> Option<Timestamp> {
        match self.held {
            Held::Since(since) if self.is_held() => Some(since),
            Held::Since(_) | Held::Now | Held::No => None,
        }
    }

    pub(in crate::decide) fn message(&self) -> String {
        match &self.hold {
            Some(Hold::Blocked(sentence) | Hold::Waits(sentence)) => sentence.clone(),
            None => {
                let objects = counted(self.remaining.len() as i64, "object");
                let worst = self.remaining.iter().min_by_key(|member| member.state);
                let worst = worst.map(|worst| format!(": {} {}", worst.object, worst.message));
                format!("{objects} still there{}", worst.unwrap_or_default())
            }
        }
    }
}

impl Goal<'_> {
    /// Deletes the members. `since` is the time of the deletion.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(in crate::decide) fn removal(&self, since: Timestamp) -> Result<Removal, Halt> {
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
            let sentence = "it is suspended; set spec.suspend to false".to_owned();
            removal.hold = Some(Hold::Blocked(sentence));
            return Ok(removal);
        }
        removal.held = held::held(self.observed.now, since, &remains, &sequence);
        removal.steps = sequence.steps;
        removal.order = sequence.order;
        Ok(removal)
    }

    /// Returns the members that still exist, without checking the permissions of the
    /// ServiceAccount.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(in crate::decide) fn forecast(&self) -> Result<Vec<MemberStatus>, Halt> {
        let remains = remaining::remains(self)?;
        let sequence = sequence::sequence(self, &remains)?;
        Ok(self.remaining(&remains, &sequence))
    }

    /// Returns the permissions needed to delete the existing members, and to read those that the
    /// API server denies.
    fn needs(&self, remains: &Remains<'_>) -> Needs {
        let (mut there, mut unreadable) = (Vec::new(), Vec::new());
        for (place, standing) in &remains.at {
            let member = &self.members[*place];
            match standing {
                Standing::There(_) => there.push(member),
                Standing::Unreadable(_) => unreadable.push(member),
                Standing::Unanswered(_) | Standing::Unserved => {}
            }
        }
        let going = there.iter().chain(&unreadable).copied();
        let needs = Needs::default().and_delete(going, self.discovery);
        needs.and_read(unreadable, self.discovery)
    }

    /// Returns the status of the members that still exist.
    fn remaining(&self, remains: &Remains<'_>, sequence: &Sequence) -> Vec<MemberStatus> {
        let places = remains.at.iter().rev();
        let told = places.map(|(place, standing)| {
            let (state, sentence) = held::told(standing, sequence.held.get(place));
            let member = member_status(self.of, &self.members[*place], state, &sentence);
            match standing {
                Standing::There(object) => MemberStatus {
                    finalizers: holding(object),
                    ..member
                },
                Standing::Unreadable(_) | Standing::Unanswered(_) | Standing::Unserved => member,
            }
        });
        told.collect()
    }

    /// Returns at most `most` members that may still exist if the cluster cannot be observed.
    pub(in crate::decide) fn unlooked(&self, most: usize) -> Vec<MemberStatus> {
        let going = self.going.iter().rev().take(most);
        let sentence = "is to be deleted, if it is there";
        let told = going.map(|place| {
            let member = &self.members[*place];
            member_status(self.of, member, MemberState::Remaining, sentence)
        });
        told.collect()
    }
}

/// Returns the hold of a plan whose members are no longer known.
pub(in crate::decide) fn unread(why: &str) -> Hold {
    Hold::Blocked(format!("nobody knows what the plan made: {why}"))
}

/// Returns the `Valid` condition with this fault.
pub(in crate::decide) fn refused(sentence: String) -> UndatedCondition {
    UndatedCondition::no(Reason::SpecInvalid, sentence)
}
