//! The operators that need another one, directly or through others.
//!
//! An Operator that is being deleted goes after all that need it. Operators that need each other go together, once
//! all of them are being deleted.

use std::collections::BTreeSet;

use portolan_api::operator::UserStatus;

use crate::fleet::{Fleet, Member};
use crate::question::Installation;

/// The reason why an Operator that is being deleted stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hold {
    /// These need it and are not being deleted.
    Needed(Vec<UserStatus>),
    /// These need it and are being deleted.
    After(Vec<UserStatus>),
}

impl Fleet {
    /// The operators that are installed, or are being installed, and require what a member has.
    pub fn users(&self, member: &Member) -> Vec<UserStatus> {
        let is_circular = self.all_users(member).contains(&*member.name);
        let users = self.direct_users(member);
        let users = users.map(|(other, user)| UserStatus {
            name: other.name.clone(),
            version: user.version.clone(),
            terminating: other.is_terminating,
            mutual: is_circular && self.all_users(other).contains(&*member.name),
        });
        users.collect()
    }

    /// Why a member that is being deleted stays; None if all that need it are gone, or go together with it.
    pub(crate) fn hold(&self, member: &Member) -> Option<Hold> {
        let users = self.users(member).into_iter();
        let needed: Vec<_> = users.filter(|it| !it.terminating).collect();
        if !needed.is_empty() {
            return Some(Hold::Needed(needed));
        }
        let all = self.all_users(member).into_iter();
        let others = all.filter_map(|name| self.members.get(name));
        let others = others.filter(|it| it.name != member.name);
        let (later, alive): (Vec<_>, Vec<_>) = others.partition(|it| it.is_terminating);
        if !alive.is_empty() {
            return Some(Hold::Needed(alive.iter().map(|it| indirect(it)).collect()));
        }
        let is_first = |it: &&Member| !self.all_users(it).contains(&*member.name);
        let first = later.into_iter().map(|it| &**it).filter(is_first);
        let first: Vec<_> = first.map(indirect).collect();
        (!first.is_empty()).then_some(Hold::After(first))
    }

    /// The names of all that need a member, directly or through others. Its own is among them if it needs itself
    /// through others.
    pub(crate) fn all_users<'f>(&'f self, member: &Member) -> BTreeSet<&'f str> {
        let mut found = BTreeSet::new();
        let mut next: Vec<_> = self.direct_users(member).map(|(it, _)| it).collect();
        while let Some(user) = next.pop() {
            if found.insert(&*user.name) {
                next.extend(self.direct_users(user).map(|(it, _)| it));
            }
        }
        found
    }

    fn direct_users<'f>(
        &'f self,
        member: &Member,
    ) -> impl Iterator<Item = (&'f Member, &'f Installation)> {
        // A first version that is not applied yet may be used already.
        let own = member.installed().or_else(|| member.there().next());
        let own = own.map(|hop| hop.facts.installs.clone());
        let name = member.name.clone();
        let others = self.members.values().filter(move |it| it.name != name);
        others.filter_map(move |other| {
            let own = own.as_ref()?;
            let mut there = other.there().map(|hop| &hop.facts.installs);
            let user = there.find(|it| it.requires.is_met_by(own))?;
            Some((&**other, user))
        })
    }
}

fn indirect(member: &Member) -> UserStatus {
    let installed = member.there().next();
    UserStatus {
        name: member.name.clone(),
        version: installed.map_or_else(String::new, |hop| hop.facts.installs.version.clone()),
        ..UserStatus::default()
    }
}
