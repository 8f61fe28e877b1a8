//! The operators that need another operator, directly or indirectly.
//!
//! An Operator that is being deleted waits until all operators that need it are deleted. If
//! operators need each other, they are deleted together, when all of them are marked for deletion.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::operator::UserStatus;

use crate::fleet::Fleet;
use crate::member::FleetMember;
use crate::needs::Needs;
use crate::question::Installation;

/// The reason why an Operator cannot be deleted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hold {
    /// These operators need the Operator and are not being deleted.
    Needed(Vec<UserStatus>),
    /// These operators need the Operator and are also being deleted.
    After(Vec<UserStatus>),
}

impl Fleet {
    /// Returns the operators that require a package or API of a member. Includes operators that are
    /// still being installed.
    pub fn users(&self, member: &FleetMember) -> Vec<UserStatus> {
        let Some((needs, at)) = self.place(member) else {
            return Vec::new();
        };
        let needed = needs.needed_by(at);
        let users = needs.users(at).iter();
        let users = users.filter_map(|user| Some((user, self.at(needs, *user)?)));
        users
            .map(|(user, other)| UserStatus {
                name: other.name.clone(),
                version: other.uses(member).map_or_else(String::new, version),
                terminating: other.is_terminating,
                mutual: needed.contains(user),
            })
            .collect()
    }

    /// Returns the reason why a member that is being deleted must still exist. Returns None if no
    /// operator needs the member, or if all operators that need it are deleted together with it.
    pub(crate) fn hold(&self, member: &FleetMember) -> Option<Hold> {
        let users = self.users(member).into_iter();
        let needed: Vec<_> = users.filter(|it| !it.terminating).collect();
        if !needed.is_empty() {
            return Some(Hold::Needed(needed));
        }
        let (needs, at) = self.place(member)?;
        let all = needs.all_users(at);
        let others = || {
            let others = all.iter().filter(|user| **user != at);
            others.filter_map(|user| Some((user, self.at(needs, *user)?)))
        };
        let alive = others().filter(|(_, other)| !other.is_terminating);
        let alive: Vec<_> = alive.map(|(_, other)| indirect(other)).collect();
        if !alive.is_empty() {
            return Some(Hold::Needed(alive));
        }
        let needed = needs.needed_by(at);
        let first = others().filter(|(user, _)| !needed.contains(user));
        let first: Vec<_> = first.map(|(_, other)| indirect(other)).collect();
        (!first.is_empty()).then_some(Hold::After(first))
    }

    /// Returns the names of the members that any of these members needs, directly or indirectly.
    pub(crate) fn needed_by<'f>(&'f self, names: &BTreeSet<&str>) -> BTreeSet<&'f str> {
        let needs = self.needs();
        let places = names.iter().filter_map(|name| needs.place(name));
        let found = needs.needed_by_all(places);
        found.into_iter().filter_map(|at| needs.name(at)).collect()
    }

    fn needs(&self) -> &Needs {
        self.links.get(&self.members)
    }

    fn place(&self, member: &FleetMember) -> Option<(&Needs, usize)> {
        let needs = self.needs();
        Some((needs, needs.place(&member.name)?))
    }

    fn at(&self, needs: &Needs, place: usize) -> Option<&FleetMember> {
        self.members.get(needs.name(place)?).map(Arc::as_ref)
    }
}

impl FleetMember {
    /// Returns the packages and APIs that this member offers to other Operators. If no version was
    /// applied completely yet, this is the version that is being installed.
    pub(crate) fn offered(&self) -> Option<&Installation> {
        let hop = self.installed().or_else(|| self.there().next());
        hop.map(|hop| &hop.facts.installs)
    }

    /// Returns the installation of this member that requires a package or API of another member.
    /// Returns None if it requires nothing of that member.
    pub(crate) fn uses(&self, other: &Self) -> Option<&Installation> {
        let offered = other.offered()?;
        let mut there = self.there().map(|hop| &hop.facts.installs);
        there.find(|it| it.requires.is_met_by(offered))
    }
}

fn version(installation: &Installation) -> String {
    installation.version.clone()
}

fn indirect(member: &FleetMember) -> UserStatus {
    let installed = member.there().next();
    UserStatus {
        name: member.name.clone(),
        version: installed.map_or_else(String::new, |hop| version(&hop.facts.installs)),
        ..UserStatus::default()
    }
}
