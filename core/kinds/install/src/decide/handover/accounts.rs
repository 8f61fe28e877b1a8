//! The records of the plans of a lineage, or of several that are merged: which objects they made, and which they
//! found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::members;
use crate::decide::found;
use crate::decide::made::{MadeUids, NOT_MADE, UidDigest, digest};
use crate::decide::{Halt, observation::Observation};
use crate::object::Identity;
use crate::succession::Peer;

/// The records of the plans before this one about objects.
#[derive(Default)]
pub(in crate::decide) struct Accounts(BTreeMap<Identity, Told>);

/// The records of plans about one object, as one.
struct Told {
    account: Account,
    /// The lineages of the plans that have these records.
    lineages: Vec<Arc<BTreeSet<String>>>,
}

/// The record of one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::decide) struct Account {
    /// The uid of the object that was there before the plans; None if one of them made it.
    pub(in crate::decide) found: Option<String>,
    /// The digest of the uid of the object that one of them made, as far as it is known.
    pub(in crate::decide) made: Option<UidDigest>,
}

impl Accounts {
    pub(in crate::decide) fn of(observed: &Observation) -> Result<Self, Halt> {
        let mut accounts = Self::default();
        let succession = &observed.succession;
        // The newest of a lineage counts, as it has asked those before it.
        let peers = succession.leaving.iter().chain(&succession.predecessors);
        for peer in peers.filter(|peer| peer.has_begun()) {
            accounts.add(observed, peer)?;
        }
        Ok(accounts)
    }

    /// The records of the plan that gives back its place about its members.
    pub(in crate::decide) fn of_leaving(observed: &Observation) -> Result<Self, Halt> {
        let mut accounts = Self::default();
        if let Some(leaving) = &observed.succession.leaving {
            accounts.add(observed, leaving)?;
        }
        Ok(accounts)
    }

    fn add(&mut self, observed: &Observation, peer: &Peer) -> Result<(), Halt> {
        let Ok(members) = members(observed, peer)? else {
            return Ok(());
        };
        let found = found::of(&peer.status, (*peer.intent).as_ref().ok());
        let made = MadeUids::of(&peer.status);
        let lineages: BTreeSet<_> = peer.status.lineages().cloned().collect();
        let lineages = Arc::new(lineages);
        let is_merge = !observed.plan.merged.is_empty();
        for (place, member) in members.iter().enumerate() {
            if found::is_unmade(&found, place) {
                continue;
            }
            let account = Account {
                found: found.get(&place).cloned(),
                made: made.get(place),
            };
            match self.0.get_mut(&member.identity) {
                Some(told) if is_merge => told.add(account, &lineages),
                Some(_) => {}
                None => {
                    let lineages = vec![lineages.clone()];
                    let told = Told { account, lineages };
                    self.0.insert(member.identity.clone(), told);
                }
            }
        }
        Ok(())
    }

    /// Whether a plan of the lineage made an object. Without a record, it was there before.
    pub(in crate::decide) fn is_made(&self, identity: &Identity, uid: &str) -> bool {
        self.get(identity).is_some_and(|account| {
            let is_same = account.made.is_none_or(|made| made == digest(uid));
            account.found.is_none() && is_same
        })
    }

    /// The record of an object: None if there is none.
    pub(in crate::decide) fn get(&self, identity: &Identity) -> Option<&Account> {
        self.0.get(identity).map(|told| &told.account)
    }
}

impl Told {
    /// Adds the record of an older plan. It counts if no newer plan of its lineage has one.
    fn add(&mut self, older: Account, lineages: &Arc<BTreeSet<String>>) {
        let is_told = |own: &Arc<BTreeSet<String>>| !own.is_disjoint(lineages);
        if !self.lineages.iter().any(is_told) {
            self.account = std::mem::take(&mut self.account).or(older);
            self.lineages.push(lineages.clone());
        }
    }
}

impl Account {
    /// Joins the records of two plans of different lineages. One of them may have found what the other made.
    fn or(self, older: Self) -> Self {
        if older.has_made_what_is_found(&self) {
            return older;
        }
        if self.has_made_what_is_found(&older) || self.found.is_some() {
            return self;
        }
        if older.found.is_some() || older.certainty() > self.certainty() {
            older
        } else {
            self
        }
    }

    fn has_made_what_is_found(&self, other: &Self) -> bool {
        let found = other.found.as_ref().map(|uid| digest(uid));
        self.found.is_none() && found.is_some() && self.made == found
    }

    /// Ranks records: another object than that of the plan, an unknown object, a known one.
    fn certainty(&self) -> u8 {
        match self.made {
            Some(NOT_MADE) => 0,
            None => 1,
            Some(_) => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn found(uid: &str) -> Account {
        Account {
            found: Some(uid.to_owned()),
            made: None,
        }
    }

    fn made(made: Option<UidDigest>) -> Account {
        Account { found: None, made }
    }

    /// Both orders give the same answer.
    #[rstest]
    #[case::one_found_what_the_other_made(
        found("u"),
        made(Some(digest("u"))),
        made(Some(digest("u")))
    )]
    #[case::one_found_another_object(found("u"), made(Some(digest("v"))), found("u"))]
    #[case::one_found_it_and_the_other_does_not_know(found("u"), made(None), found("u"))]
    #[case::one_saw_an_object_of_others(
        made(Some(NOT_MADE)),
        made(Some(digest("u"))),
        made(Some(digest("u")))
    )]
    #[case::one_saw_an_object_of_others_and_the_other_does_not_know(
        made(Some(NOT_MADE)),
        made(None),
        made(None)
    )]
    fn merges_two_records(#[case] a: Account, #[case] b: Account, #[case] both: Account) {
        assert_eq!(a.clone().or(b.clone()), both);
        assert_eq!(b.or(a), both);
    }
}
