//! Which Operators a change of the Fleet touches: those of which a decision reads something that is another
//! one now.
//!
//! ```text
//! a decision reads    of itself   all
//!                     of others   who has the same package, whom it moves with or is on one route with,
//!                                 who requires what it has or had, through others who is deleted,
//!                                 what it requires
//!                     besides     what OLM and others have of its package; all of it, if it takes over from OLM
//!                                 or installs over CRDs that OLM left
//!                     of itself and those it moves with   OperatorConditions, and which Policies have a say
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::answer::Route;
use crate::fleet::{Fleet, Member, Policies, Present};

/// The differences between a Fleet and the one before it.
pub(crate) struct Change<'f> {
    before: &'f Fleet,
    after: &'f Fleet,
    /// Those that are others, came or went, as they were and as they are, by name.
    members: BTreeMap<&'f str, Vec<&'f Member>>,
    /// Those among these that require something else, or are being deleted now.
    users: BTreeSet<&'f str>,
    /// The packages of these.
    packages: BTreeSet<&'f str>,
    /// The packages of which others have installed something else.
    present: BTreeSet<&'f str>,
    has_other_subscriptions: bool,
    /// The OperatorConditions that say something else.
    conditions: BTreeSet<&'f str>,
    /// The Operators in which other Policies have a say.
    grounds: BTreeSet<&'f str>,
    /// Whether something is another one that all read.
    is_for_all: bool,
}

impl<'f> Change<'f> {
    pub(crate) fn of(before: &'f Fleet, after: &'f Fleet) -> Self {
        let members = members(before, after);
        let packages = members.values().flatten().filter_map(|it| it.package());
        let grounds = grounds(&before.policies, &after.policies);
        let is_for_all = grounds.is_none()
            || before.conditions.are_served != after.conditions.are_served
            || before.is_updater_gone != after.is_updater_gone;
        Self {
            before,
            after,
            users: users(&members),
            packages: packages.collect(),
            members,
            present: present(before, after),
            has_other_subscriptions: before.subscriptions != after.subscriptions,
            conditions: others(
                &before.conditions.not_upgradeable,
                &after.conditions.not_upgradeable,
            ),
            grounds: grounds.unwrap_or_default(),
            is_for_all,
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        let Self {
            before: _,
            after: _,
            members,
            users: _,
            packages: _,
            present,
            has_other_subscriptions,
            conditions,
            grounds,
            is_for_all,
        } = self;
        let is_any = *has_other_subscriptions || *is_for_all;
        !is_any
            && members.is_empty()
            && present.is_empty()
            && conditions.is_empty()
            && grounds.is_empty()
    }

    /// Whether a decision about an Operator that was led by this route may be another one.
    pub(crate) fn touches(&self, name: &str, route: Option<&Route>) -> bool {
        if self.is_for_all || self.members.contains_key(name) {
            return true;
        }
        let Some(member) = self.after.members.get(name) else {
            return false;
        };
        let own = member.package();
        let with = member.hops.iter().flat_map(|hop| &hop.facts.with);
        let with = with.map(|partner| &*partner.package);
        let routed = route.into_iter().flat_map(Route::packages);
        let read: BTreeSet<_> = own.into_iter().chain(with).chain(routed).collect();
        if !read.is_disjoint(&self.packages) {
            return true;
        }
        self.touches_neighbors(member)
            || self.has_other_user(member)
            || self.has_other_dependency(member, route)
            || self.has_other_indirect_user(member)
            || self.touches_movers(&read)
    }

    fn touches_neighbors(&self, member: &Member) -> bool {
        if may_adopt(member) {
            return self.has_other_subscriptions || !self.present.is_empty();
        }
        if may_take_left(member) && !self.present.is_empty() {
            return true;
        }
        let package = member.package();
        package.is_some_and(|package| self.present.contains(package))
    }

    /// Whether one that is another now requires, or required, what a member has or had.
    fn has_other_user(&self, member: &Member) -> bool {
        let others = self.members.values().flatten();
        let there = others.flat_map(|other| other.there());
        let mut required = there.map(|hop| &hop.facts.installs.requires);
        required.any(|requires| {
            let mut hops = member.hops.iter();
            hops.any(|hop| requires.is_met_by(&hop.facts.installs))
        })
    }

    /// True if a changed operator is a dependency of a member or of its target bundle.
    fn has_other_dependency(&self, member: &Member, route: Option<&Route>) -> bool {
        let ends = route.into_iter().flat_map(|route| &route.ends);
        let own = ends.filter(|end| member.package() == Some(&end.package));
        let wanted = own.filter_map(|end| Some(&end.wanted.as_ref()?.requires));
        let there = member.there().map(|hop| &hop.facts.installs.requires);
        let mut required = wanted.chain(there);
        required.any(|requires| {
            let others = self.members.values().flatten();
            let mut hops = others.filter_map(|other| other.installed());
            let mut packages = requires.packages.iter();
            hops.any(|hop| requires.is_about(&hop.facts.installs))
                || packages.any(|(package, _)| self.present.contains(&**package))
                || !(requires.apis.is_empty() || self.present.is_empty())
        })
    }

    /// True if an indirect user of a member has other requirements now, or is being deleted.
    fn has_other_indirect_user(&self, member: &Member) -> bool {
        let is_user = |fleet: &Fleet| !fleet.all_users(member).is_disjoint(&self.users);
        !self.users.is_empty() && (is_user(self.before) || is_user(self.after))
    }

    /// Whether one of these packages may be moved by others, or at another time.
    fn touches_movers(&self, packages: &BTreeSet<&str>) -> bool {
        if self.conditions.is_empty() && self.grounds.is_empty() {
            return false;
        }
        let members = self.after.members.values();
        let mut movers =
            members.filter(|it| it.package().is_some_and(|its| packages.contains(its)));
        movers.any(|mover| {
            let condition = mover.current().and_then(|hop| hop.facts.condition.as_ref());
            let is_other = condition.is_some_and(|name| self.conditions.contains(&**name));
            is_other || self.grounds.contains(&*mover.name)
        })
    }
}

/// Whether it takes over what OLM has installed, or has begun to.
fn may_adopt(member: &Member) -> bool {
    let wants = member.intent.as_ref().is_ok_and(|intent| intent.adopts);
    wants || member.hops.iter().any(|hop| hop.facts.adopts.is_some())
}

/// Returns true if it may take over CRDs that OLM left, which depends on all ClusterServiceVersions.
fn may_take_left(member: &Member) -> bool {
    member.predecessor().is_none() && member.next().is_some()
}

fn members<'f>(before: &'f Fleet, after: &'f Fleet) -> BTreeMap<&'f str, Vec<&'f Member>> {
    let mut all: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for (one, other) in [(before, after), (after, before)] {
        for (name, member) in &one.members {
            let is_same = other.members.get(name).is_some_and(|it| same(it, member));
            if !is_same {
                all.entry(name).or_default().push(member);
            }
        }
    }
    all
}

/// Those of which others see another user, or see it go.
fn users<'f>(members: &BTreeMap<&'f str, Vec<&'f Member>>) -> BTreeSet<&'f str> {
    let facts = |member: &'f Member| {
        let there = member.there().map(|hop| &hop.facts.installs);
        (member.is_terminating, there.collect::<Vec<_>>())
    };
    let is_other = |states: &[&'f Member]| match states {
        [one, other] => facts(one) != facts(other),
        _ => true,
    };
    let others = members.iter().filter(|(_, states)| is_other(states));
    others.map(|(name, _)| *name).collect()
}

fn same(one: &Arc<Member>, other: &Arc<Member>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

fn present<'f>(before: &'f Fleet, after: &'f Fleet) -> BTreeSet<&'f str> {
    let by_package = |fleet: &'f Fleet| {
        let mut all: BTreeMap<&str, Vec<&Present>> = BTreeMap::new();
        for one in &fleet.present {
            all.entry(&one.installs.package).or_default().push(one);
        }
        all
    };
    let (before, after) = (by_package(before), by_package(after));
    let packages = before.keys().chain(after.keys()).copied();
    packages
        .filter(|package| before.get(package) != after.get(package))
        .collect()
}

/// The Operators in which others have a say; None where that is not known of any, or was not.
fn grounds<'f>(before: &'f Policies, after: &'f Policies) -> Option<BTreeSet<&'f str>> {
    match (before, after) {
        (Policies::NotServed, Policies::NotServed) | (Policies::Unseen, Policies::Unseen) => {
            Some(BTreeSet::new())
        }
        (Policies::Seen(before), Policies::Seen(after)) => Some(others(before, after)),
        (Policies::NotServed | Policies::Unseen | Policies::Seen(_), _) => None,
    }
}

/// The keys whose values are others, or which one of both lacks.
fn others<'m, V: PartialEq>(
    before: &'m BTreeMap<String, V>,
    after: &'m BTreeMap<String, V>,
) -> BTreeSet<&'m str> {
    let keys = before.keys().chain(after.keys());
    let other = keys.filter(|key| before.get(*key) != after.get(*key));
    other.map(String::as_str).collect()
}
