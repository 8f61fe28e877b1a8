//! The records of the plans of a lineage: which objects they made, and which they found.

use std::collections::BTreeMap;

use super::members;
use crate::decide::found;
use crate::decide::{Halt, observation::Observation};
use crate::object::Identity;

/// The records of the plans of the lineage about objects before this plan: each with the uid of the
/// object that was there before them, or None if one of them made it.
pub(in crate::decide) struct Accounts(BTreeMap<Identity, Option<String>>);

impl Accounts {
    pub(in crate::decide) fn of(observed: &Observation) -> Result<Self, Halt> {
        let mut accounts = BTreeMap::new();
        let succession = &observed.succession;
        // The newest counts, as it has asked those before it.
        let peers = succession.leaving.iter().chain(&succession.predecessors);
        for peer in peers.filter(|peer| peer.has_begun()) {
            let Ok(members) = members(observed, peer)? else {
                continue;
            };
            let found = found::of(&peer.status, (*peer.intent).as_ref().ok());
            let made = members.iter().enumerate();
            for (place, member) in made.filter(|(place, _)| !found::is_unmade(&found, *place)) {
                let identity = member.identity.clone();
                accounts
                    .entry(identity)
                    .or_insert_with(|| found.get(&place).cloned());
            }
        }
        Ok(Self(accounts))
    }

    /// Whether a plan of the lineage made an object. Without a record, it was there before.
    pub(in crate::decide) fn is_made(&self, identity: &Identity, uid: &str) -> bool {
        let known = self.0.get(identity);
        known.is_some_and(|found| found.as_ref().is_none_or(|found| found != uid))
    }

    /// The records of the plan that gives back its place about its members: each with the uid of
    /// the object that was there before, or None if a plan of the lineage made it.
    pub(in crate::decide) fn of_leaving(observed: &Observation) -> Result<Self, Halt> {
        let mut accounts = BTreeMap::new();
        if let Some(leaving) = &observed.succession.leaving
            && let Ok(members) = members(observed, leaving)?
        {
            let found = found::of(&leaving.status, (*leaving.intent).as_ref().ok());
            for (place, member) in members.iter().enumerate() {
                if !found::is_unmade(&found, place) {
                    accounts.insert(member.identity.clone(), found.get(&place).cloned());
                }
            }
        }
        Ok(Self(accounts))
    }

    /// The record of an object: None if there is none.
    pub(in crate::decide) fn get(&self, identity: &Identity) -> Option<&Option<String>> {
        self.0.get(identity)
    }

    /// The uid of an object that was there before the plans of the lineage.
    pub(super) fn found(&self, identity: &Identity) -> Option<&String> {
        self.0.get(identity)?.as_ref()
    }
}
