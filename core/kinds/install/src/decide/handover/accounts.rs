//! The records of all plans in one or more merged lineages: the objects that these plans created,
//! and the objects that existed before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::ObjectRef;

use super::members;
use crate::decide::Halt;
use crate::decide::found;
use crate::decide::made::{MadeUids, NOT_MADE, UidDigest, digest};
use crate::decide::observation::Observation;
use crate::decide::relations::Relations;
use crate::succession::Peer;

/// The records of earlier plans about objects.
#[derive(Default)]
pub(in crate::decide) struct Accounts(BTreeMap<ObjectRef, SharedAccount>);

/// The merged records about one object.
struct SharedAccount {
    account: Account,
    /// The lineages of the plans whose records were merged.
    lineages: Vec<Arc<BTreeSet<String>>>,
}

/// The record of one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::decide) struct Account {
    /// The uid of the object that existed before all the plans. None if one of the plans created
    /// the object.
    pub(in crate::decide) found: Option<String>,
    /// The digest of the uid of the object that a plan created. None if the uid is unknown.
    pub(in crate::decide) made: Option<UidDigest>,
}

impl Accounts {
    pub(in crate::decide) fn of(
        observed: &Observation,
        relations: &Relations<'_>,
    ) -> Result<Self, Halt> {
        let mut accounts = Self::default();
        // Only the newest plan of a lineage is used, because its record includes the records of the
        // earlier plans.
        let leaving = relations.leaving.into_iter();
        let peers = leaving.chain(relations.predecessors);
        for peer in peers.filter(|peer| peer.has_begun()) {
            accounts.add(observed, peer)?;
        }
        Ok(accounts)
    }

    /// Returns the records of another plan that is being deleted and gives its objects back to this
    /// plan.
    pub(in crate::decide) fn of_leaving(
        observed: &Observation,
        relations: &Relations<'_>,
    ) -> Result<Self, Halt> {
        let mut accounts = Self::default();
        if let Some(leaving) = relations.leaving {
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
                Some(shared) if is_merge => shared.add(account, &lineages),
                Some(_) => {}
                None => {
                    let lineages = vec![lineages.clone()];
                    let shared = SharedAccount { account, lineages };
                    self.0.insert(member.identity.clone(), shared);
                }
            }
        }
        Ok(())
    }

    /// Returns true if a plan of the lineage created an object. An object without a record counts
    /// as existing before the plans.
    pub(in crate::decide) fn is_made(&self, identity: &ObjectRef, uid: &str) -> bool {
        self.get(identity).is_some_and(|account| {
            let is_same = account.made.is_none_or(|made| made == digest(uid));
            account.found.is_none() && is_same
        })
    }

    /// Returns the record of an object. Returns None if there is no record.
    pub(in crate::decide) fn get(&self, identity: &ObjectRef) -> Option<&Account> {
        self.0.get(identity).map(|shared| &shared.account)
    }
}

impl SharedAccount {
    /// Adds the record of an older plan. The record is used only if no newer plan of the lineage
    /// has a record of the object.
    fn add(&mut self, older: Account, lineages: &Arc<BTreeSet<String>>) {
        let has_record = |own: &Arc<BTreeSet<String>>| !own.is_disjoint(lineages);
        if !self.lineages.iter().any(has_record) {
            self.account = std::mem::take(&mut self.account).or(older);
            self.lineages.push(lineages.clone());
        }
    }
}

impl Account {
    /// Merges the records of two plans from different lineages. One plan may have found an object
    /// that the other plan created.
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

    /// Returns the rank of a record: lowest for an object of another owner, then an unknown object,
    /// then a known object.
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

    /// Both orders give the same result.
    #[rstest]
    #[case::one_plan_found_the_object_of_the_other(
        found("u"),
        made(Some(digest("u"))),
        made(Some(digest("u")))
    )]
    #[case::one_plan_found_another_object(found("u"), made(Some(digest("v"))), found("u"))]
    #[case::found_and_unknown(found("u"), made(None), found("u"))]
    #[case::one_plan_saw_a_foreign_object(
        made(Some(NOT_MADE)),
        made(Some(digest("u"))),
        made(Some(digest("u")))
    )]
    #[case::foreign_and_unknown(made(Some(NOT_MADE)), made(None), made(None))]
    fn merges_two_records(#[case] a: Account, #[case] b: Account, #[case] both: Account) {
        assert_eq!(a.clone().or(b.clone()), both);
        assert_eq!(b.or(a), both);
    }
}
