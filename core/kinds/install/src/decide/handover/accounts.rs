//! The records of earlier plans, merged: the objects that these plans created, and the objects that
//! existed before them.

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

/// The merged records of earlier plans, by object.
#[derive(Default)]
pub(in crate::decide) struct Accounts(BTreeMap<ObjectRef, SharedAccount>);

/// The merged record of one object.
struct SharedAccount {
    account: Account,
    /// The lineages of each plan whose record was merged.
    lineages: Vec<Arc<BTreeSet<String>>>,
}

/// The information that the merged records contain about an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::decide) struct Account {
    /// The uid of the object, if it existed before all these plans. None if one of the plans
    /// created the object.
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
        // The newest plan of a lineage comes first. Its record is used, because it includes the
        // records of the earlier plans.
        let leaving = relations.leaving.into_iter();
        let peers = leaving.chain(relations.predecessors);
        for peer in peers.filter(|peer| peer.has_begun()) {
            accounts.add(observed, peer)?;
        }
        Ok(accounts)
    }

    /// Returns the records of the plan that gives its objects back to this plan, because it is
    /// being deleted.
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

    /// Returns true if one of the plans created the object. If the object has no record, it counts
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
    /// Merges the record of an older plan. It is ignored if a newer plan of the same lineage has a
    /// record about the object.
    fn add(&mut self, older: Account, lineages: &Arc<BTreeSet<String>>) {
        let has_record = |own: &Arc<BTreeSet<String>>| !own.is_disjoint(lineages);
        if !self.lineages.iter().any(has_record) {
            self.account = std::mem::take(&mut self.account).or(older);
            self.lineages.push(lineages.clone());
        }
    }
}

impl Account {
    /// Merges the records of two plans from different lineages. If one plan created the object that
    /// the other plan found, the record of its creator is used.
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

    /// Returns the rank of a record. The lowest rank is an object of another owner, followed by an
    /// unknown object. A known object has the highest rank.
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

    /// The result does not depend on the order of the two records.
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
    fn merges_two_account_records_in_any_order(
        #[case] a: Account,
        #[case] b: Account,
        #[case] both: Account,
    ) {
        assert_eq!(a.clone().or(b.clone()), both);
        assert_eq!(b.or(a), both);
    }
}
