//! Members of a plan that are to go, of the plan itself or of one whose place it takes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{Intent, MemberState, MemberStatus, MissingRule, Order, Reason, Record};
use portolan_core_names::text::counted;

use super::held::{self, Held};
use super::remaining::{self, Remains, Standing};
use super::sequence::{self, Sequence};
use crate::decide::found::FoundUids;
use crate::decide::made::MadeUids;
use crate::decide::observation::{Observation, Step};
use crate::decide::report::UndatedCondition;
use crate::decide::{Halt, lacking, member_status};
use crate::discovery::Discovery;
use crate::manifest::Members;
use crate::permissions::Needs;

/// The members that are to go.
pub(in crate::decide) struct Goal<'g> {
    pub(in crate::decide) observed: &'g Observation,
    pub(in crate::decide) discovery: &'g Discovery,
    /// The plan as whose ServiceAccount they are deleted.
    pub(in crate::decide) intent: &'g Intent,
    /// The plan that has the members.
    pub(in crate::decide) of: &'g Intent,
    pub(in crate::decide) members: &'g Members,
    pub(in crate::decide) going: BTreeSet<usize>,
    /// The members that were there before the plan that has them.
    pub(in crate::decide) found: FoundUids,
    /// The objects that were made, as far as they are known.
    pub(in crate::decide) made: MadeUids,
    /// The advice for the case that other objects would be lost with a member.
    pub(in crate::decide) way_out: String,
}

/// A deletion as far as it has come; by default it is over.
#[derive(Default)]
pub(in crate::decide) struct Removal {
    pub(in crate::decide) steps: Vec<Step>,
    pub(in crate::decide) order: Option<Order>,
    /// The members that are still there, in the order in which they go.
    pub(in crate::decide) remaining: Vec<MemberStatus>,
    /// The reason why nothing goes at all.
    pub(in crate::decide) hold: Option<Hold>,
    pub(in crate::decide) held: Held,
    pub(in crate::decide) valid: Option<UndatedCondition>,
    pub(in crate::decide) permitted: Option<UndatedCondition>,
    /// The rules that the ServiceAccount lacks.
    pub(in crate::decide) missing: Vec<MissingRule>,
    /// The record, if it changes as the plan waits for the one that takes its place.
    pub(in crate::decide) record: Option<Record>,
}

/// The reason why nothing goes at all.
pub(in crate::decide) enum Hold {
    /// Somebody has to do something.
    Blocked(String),
    /// Another plan has to come further.
    Waits(String),
}

impl Removal {
    pub(in crate::decide) fn held(hold: Hold) -> Self {
        Self {
            hold: Some(hold),
            ..Self::default()
        }
    }

    /// A deletion that waits until another plan comes further.
    pub(in crate::decide) fn waits(sentence: String) -> Self {
        Self::held(Hold::Waits(sentence))
    }

    pub(in crate::decide) fn is_over(&self) -> bool {
        self.remaining.is_empty() && self.hold.is_none()
    }

    /// Whether nothing goes on unless somebody else does something.
    pub(in crate::decide) fn is_held(&self) -> bool {
        let waits = matches!(self.hold, Some(Hold::Waits(_)));
        let is_blocked = self.hold.is_some() || self.held != Held::No;
        self.steps.is_empty() && is_blocked && !waits
    }

    /// The time since which objects that are being deleted hold it up; None if other reasons do, or
    /// nothing does.
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
    /// Deletes the members that are to go. `since` is the time of the deletion.
    ///
    /// # Errors
    /// `Halt::Ask` with what is to be looked at first.
    pub(in crate::decide) fn removal(&self, since: Timestamp) -> Result<Removal, Halt> {
        let remains = remaining::remains(self)?;
        let needs = self.needs(&remains);
        if let Some(lacks) = lacking::lacking(self.observed, self.intent, &needs)? {
            let said = lacks.said;
            return Ok(Removal {
                remaining: self.remaining(&remains, &Sequence::default()),
                permitted: Some(said.clone()),
                missing: lacks.rules,
                ..Removal::held(Hold::Blocked(said.message))
            });
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

    /// Returns the members that still exist, without the permissions of the ServiceAccount.
    ///
    /// # Errors
    /// `Halt::Ask` with the missing facts.
    pub(in crate::decide) fn forecast(&self) -> Result<Vec<MemberStatus>, Halt> {
        let remains = remaining::remains(self)?;
        let sequence = sequence::sequence(self, &remains)?;
        Ok(self.remaining(&remains, &sequence))
    }

    /// The permissions that it takes to delete what is there, and to read what the API server denies.
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

    /// The members that are still there, as a status has them.
    fn remaining(&self, remains: &Remains<'_>, sequence: &Sequence) -> Vec<MemberStatus> {
        let places = remains.at.iter().rev();
        let told = places.map(|(place, standing)| {
            let (state, sentence) = held::told(standing, sequence.held.get(place));
            member_status(self.of, &self.members[*place], state, &sentence)
        });
        told.collect()
    }

    /// The members that may still be there where the cluster cannot be looked at; no more than
    /// `most`.
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

/// The hold of a plan whose members are not known any more.
pub(in crate::decide) fn unread(why: &str) -> Hold {
    Hold::Blocked(format!("nobody knows what the plan made: {why}"))
}

/// The condition that says so.
pub(in crate::decide) fn refused(sentence: String) -> UndatedCondition {
    UndatedCondition::no(Reason::SpecInvalid, sentence)
}
