//! The records of the plans of a lineage: which objects they made, and which they found.

use std::collections::BTreeMap;

use super::members;
use crate::decide::found;
use crate::decide::made::{MadeUids, UidDigest, digest};
use crate::decide::{Halt, observation::Observation};
use crate::object::Identity;
use crate::succession::Peer;

/// The records of the plans of the lineage about objects before this plan.
#[derive(Default)]
pub(in crate::decide) struct Accounts(BTreeMap<Identity, Account>);

/// The record of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        // The newest counts, as it has asked those before it.
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
        for (place, member) in members.iter().enumerate() {
            if found::is_unmade(&found, place) {
                continue;
            }
            let account = || Account {
                found: found.get(&place).cloned(),
                made: made.get(place),
            };
            let identity = member.identity.clone();
            self.0.entry(identity).or_insert_with(account);
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
        self.0.get(identity)
    }
}
