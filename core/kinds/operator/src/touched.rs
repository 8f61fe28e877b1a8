//! Finds the Operators whose decisions depend on a change of the Fleet.
//!
//! A decision about an Operator is made again if something changes that the decision depends on.
//! These are the Operator itself, other Operators (for example its partners, and the Operators that
//! it requires), objects of other installers, OperatorConditions, and Policies:
//!
//! ```text
//! a decision reads    of itself   all
//!                     of others   Operators with the same package, its partners, those on its route,
//!                                 users of what it has or had, also indirect ones being deleted,
//!                                 and those that it requires
//!                     elsewhere   objects of OLM and others for its package; all objects, if it adopts from OLM
//!                                 or installs over CRDs that OLM left
//!                     of itself and those it moves with   OperatorConditions, and the Policies that apply
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{Gvk, VersionRange};

use crate::answer::CommonRoute;
use crate::fleet::{Fleet, Policies, Present};
use crate::member::FleetMember;
use crate::question::{Installation, Requirements};

/// The differences between a Fleet and the previous Fleet.
pub(crate) struct Change<'f> {
    after: &'f Fleet,
    /// The Operators that were changed, added or deleted, by name. The value contains the old and
    /// the new state of the Operator.
    members: BTreeMap<&'f str, Vec<&'f FleetMember>>,
    /// The packages of the changed Operators.
    packages: BTreeSet<&'f str>,
    /// The old and new requirements of the changed Operators.
    required: Required<'f>,
    /// The old and new packages and APIs of the changed Operators.
    offered: Offered<'f>,
    /// The Operators that another Operator needs, directly or indirectly. The requirements of this
    /// other Operator have changed, or it is being deleted.
    needed: BTreeSet<&'f str>,
    /// The packages of Operators that require a changed package or API.
    depending: BTreeSet<&'f str>,
    /// The packages whose installation by another installer has changed.
    present: BTreeSet<&'f str>,
    has_other_subscriptions: bool,
    /// The packages of Operators whose OperatorConditions or Policies changed.
    moved: BTreeSet<&'f str>,
    has_other_conditions: bool,
    has_other_grounds: bool,
    /// True if the change affects every decision.
    is_for_all: bool,
}

/// The requirements of several Operators.
#[derive(Default)]
struct Required<'f> {
    /// The required version ranges of each package.
    packages: BTreeMap<&'f str, BTreeSet<&'f str>>,
    apis: BTreeSet<&'f Gvk>,
}

/// The packages and APIs of several Operators.
#[derive(Default)]
struct Offered<'f> {
    packages: BTreeSet<&'f str>,
    apis: BTreeSet<&'f Gvk>,
}

// === impl Change ===

impl<'f> Change<'f> {
    pub(crate) fn of(before: &'f Fleet, after: &'f Fleet) -> Self {
        let members = members(before, after);
        let packages = members.values().flatten().filter_map(|it| it.package());
        let grounds = grounds(&before.policies, &after.policies);
        let conditions = others(
            &before.conditions.not_upgradeable,
            &after.conditions.not_upgradeable,
        );
        let is_for_all = grounds.is_none()
            || before.conditions.are_served != after.conditions.are_served
            || before.is_updater_gone != after.is_updater_gone;
        let grounds = grounds.unwrap_or_default();
        let offered = members.values().flatten().filter_map(|it| it.offered());
        let (offered, present) = (Offered::of(offered), present(before, after));
        Self {
            after,
            packages: packages.collect(),
            required: Required::of(members.values().flatten().copied()),
            needed: needed(before, after, &members),
            depending: depending(after, (&offered, &present)),
            moved: moved(after, (&conditions, &grounds)),
            offered,
            members,
            present,
            has_other_subscriptions: before.subscriptions != after.subscriptions,
            has_other_conditions: !conditions.is_empty(),
            has_other_grounds: !grounds.is_empty(),
            is_for_all,
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        let is_any = self.has_other_subscriptions
            || self.has_other_conditions
            || self.has_other_grounds
            || self.is_for_all;
        !is_any && self.members.is_empty() && self.present.is_empty()
    }

    /// Returns true if the decision about an Operator on this route may change.
    pub(crate) fn touches(&self, name: &str, route: Option<&CommonRoute>) -> bool {
        if self.is_for_all || self.members.contains_key(name) {
            return true;
        }
        let Some(member) = self.after.members.get(name) else {
            return false;
        };
        let own = member.package();
        let with = member.hops.iter().flat_map(|hop| &hop.facts.with);
        let with = with.map(|partner| &*partner.package);
        let mine: BTreeSet<_> = own.into_iter().chain(with).collect();
        let routed = route.into_iter().flat_map(CommonRoute::packages);
        let read: BTreeSet<_> = mine.iter().copied().chain(routed).collect();
        !read.is_disjoint(&self.packages)
            || !read.is_disjoint(&self.moved)
            || !mine.is_disjoint(&self.depending)
            || self.needed.contains(name)
            || self.touches_neighbors(member)
            || self.touches_target(member, route)
            || self.has_other_user(member)
    }

    fn touches_neighbors(&self, member: &FleetMember) -> bool {
        if may_adopt(member) {
            return self.has_other_subscriptions || !self.present.is_empty();
        }
        if may_take_left(member) && !self.present.is_empty() {
            return true;
        }
        let package = member.package();
        package.is_some_and(|package| self.present.contains(package))
    }

    /// Returns true if a changed Operator requires a package or API that a member provides. Checks
    /// the requirements before and after the change.
    fn has_other_user(&self, member: &FleetMember) -> bool {
        let mut hops = member.hops.iter();
        hops.any(|hop| self.required.is_met_by(&hop.facts.installs))
    }

    /// Returns true if the target bundle of a member requires a changed package or API.
    fn touches_target(&self, member: &FleetMember, route: Option<&CommonRoute>) -> bool {
        let ends = route.into_iter().flat_map(|route| &route.ends);
        let mut own = ends.filter(|end| member.package() == Some(&end.package));
        own.any(|end| {
            let wanted = end.wanted.as_ref();
            wanted.is_some_and(|it| self.offered.is_about(&it.requires, &self.present))
        })
    }
}

// === impl Required ===

impl<'f> Required<'f> {
    fn of(members: impl Iterator<Item = &'f FleetMember>) -> Self {
        let mut required = Self::default();
        for hop in members.flat_map(FleetMember::there) {
            let requires = &hop.facts.installs.requires;
            for (package, range) in &requires.packages {
                required.packages.entry(package).or_default().insert(range);
            }
            required.apis.extend(&requires.apis);
        }
        required
    }

    fn is_met_by(&self, installation: &Installation) -> bool {
        let ranges = self.packages.get(&*installation.package);
        let mut ranges = ranges.into_iter().flatten();
        ranges.any(|range| VersionRange::may_match(range, &installation.version))
            || installation
                .provides
                .iter()
                .any(|api| self.apis.contains(api))
    }
}

// === impl Offered ===

impl<'f> Offered<'f> {
    fn of(all: impl Iterator<Item = &'f Installation>) -> Self {
        let mut offered = Self::default();
        for one in all {
            offered.packages.insert(&one.package);
            offered.apis.extend(&one.provides);
        }
        offered
    }

    /// Returns true if a requirement names one of these packages or APIs, or may match a package of
    /// another installer.
    fn is_about(&self, requires: &Requirements, present: &BTreeSet<&str>) -> bool {
        let is_other = |package: &str| self.packages.contains(package) || present.contains(package);
        let mut apis = requires.apis.iter();
        requires
            .packages
            .iter()
            .any(|(package, _)| is_other(package))
            || apis.any(|api| !present.is_empty() || self.apis.contains(api))
    }
}

/// Returns the Operators that another Operator needs, directly or indirectly. The requirements of
/// this other Operator have changed, or it is being deleted.
fn needed<'f>(
    before: &'f Fleet,
    after: &'f Fleet,
    members: &BTreeMap<&'f str, Vec<&'f FleetMember>>,
) -> BTreeSet<&'f str> {
    let users = users(members);
    if users.is_empty() {
        return BTreeSet::new();
    }
    let mut needed = before.needed_by(&users);
    needed.extend(after.needed_by(&users));
    needed
}

/// Returns the packages of Operators whose installed or next version requires a changed package or
/// API.
fn depending<'f>(
    after: &'f Fleet,
    (offered, present): (&Offered<'_>, &BTreeSet<&str>),
) -> BTreeSet<&'f str> {
    let members = after.members.values();
    let depending = members.filter(|member| {
        let mut hops = member.there().chain(member.next());
        hops.any(|hop| offered.is_about(&hop.facts.installs.requires, present))
    });
    depending.filter_map(|member| member.package()).collect()
}

/// Returns the packages of Operators whose OperatorConditions or Policies changed.
fn moved<'f>(
    after: &'f Fleet,
    (conditions, grounds): (&BTreeSet<&str>, &BTreeSet<&str>),
) -> BTreeSet<&'f str> {
    if conditions.is_empty() && grounds.is_empty() {
        return BTreeSet::new();
    }
    let movers = after.members.values().filter(|mover| {
        let condition = mover.current().and_then(|hop| hop.facts.condition.as_ref());
        let is_other = condition.is_some_and(|name| conditions.contains(&**name));
        is_other || grounds.contains(&*mover.name)
    });
    movers.filter_map(|mover| mover.package()).collect()
}

/// Returns true if the Operator adopts an operator from OLM, or has begun to adopt it.
fn may_adopt(member: &FleetMember) -> bool {
    let wants = member.intent.as_ref().is_ok_and(|intent| intent.adopts);
    wants || member.hops.iter().any(|hop| hop.facts.adopts.is_some())
}

/// Returns true if the Operator may take over CRDs that OLM left in the cluster. The result depends
/// on all ClusterServiceVersions.
fn may_take_left(member: &FleetMember) -> bool {
    member.predecessor().is_none() && member.next().is_some()
}

fn members<'f>(before: &'f Fleet, after: &'f Fleet) -> BTreeMap<&'f str, Vec<&'f FleetMember>> {
    let mut all: BTreeMap<&str, Vec<&FleetMember>> = BTreeMap::new();
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

/// Returns the Operators whose dependencies are affected: they were added or deleted, their
/// installation changed, or their deletion began.
fn users<'f>(members: &BTreeMap<&'f str, Vec<&'f FleetMember>>) -> BTreeSet<&'f str> {
    let facts = |member: &'f FleetMember| {
        let there = member.there().map(|hop| &hop.facts.installs);
        (member.is_terminating, there.collect::<Vec<_>>())
    };
    let is_other = |states: &[&'f FleetMember]| match states {
        [one, other] => facts(one) != facts(other),
        _ => true,
    };
    let others = members.iter().filter(|(_, states)| is_other(states));
    others.map(|(name, _)| *name).collect()
}

fn same(one: &Arc<FleetMember>, other: &Arc<FleetMember>) -> bool {
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

/// Returns the Operators whose Policies changed. Returns None if the Policies were read for the
/// first time, or if their CRD was added or removed.
fn grounds<'f>(before: &'f Policies, after: &'f Policies) -> Option<BTreeSet<&'f str>> {
    match (before, after) {
        (Policies::NotServed, Policies::NotServed) | (Policies::Unseen, Policies::Unseen) => {
            Some(BTreeSet::new())
        }
        (Policies::Seen(before), Policies::Seen(after)) => Some(others(before, after)),
        (Policies::NotServed | Policies::Unseen | Policies::Seen(_), _) => None,
    }
}

/// Returns the keys whose values differ between two maps, or that only one map contains.
fn others<'m, V: PartialEq>(
    before: &'m BTreeMap<String, V>,
    after: &'m BTreeMap<String, V>,
) -> BTreeSet<&'m str> {
    let keys = before.keys().chain(after.keys());
    let other = keys.filter(|key| before.get(*key) != after.get(*key));
    other.map(String::as_str).collect()
}
