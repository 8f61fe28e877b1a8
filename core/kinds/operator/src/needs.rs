//! The dependencies between the Operators of a Fleet, computed once.
//!
//! A requirement is compared only with the Operators that provide the required package or API.
//! Therefore the time grows linearly with the number of Operators.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use portolan_core_names::{Gvk, VersionRange};

use crate::member::FleetMember;
use crate::question::Installation;

/// The `Needs` of a Fleet, computed on first use. A clone computes its own `Needs`, because the
/// members of the clone may change.
#[derive(Default)]
pub struct Links(OnceLock<Needs>);

/// The dependencies between Operators. A `place` is the index of an Operator in the list of names.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    names: Vec<String>,
    /// The direct users of each Operator, by index.
    users: Vec<BTreeSet<usize>>,
    /// The direct dependencies of each Operator, by index.
    needed: Vec<BTreeSet<usize>>,
}

/// The Operators that provide each package and each API, by index.
#[derive(Default)]
struct Offered<'m> {
    packages: BTreeMap<&'m str, Vec<(usize, &'m str)>>,
    apis: BTreeMap<&'m Gvk, Vec<usize>>,
}

// === impl Links ===

impl Links {
    pub(crate) fn get(&self, members: &BTreeMap<String, Arc<FleetMember>>) -> &Needs {
        self.0.get_or_init(|| Needs::of(members))
    }
}

impl Clone for Links {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Links {
    /// Always returns true. A Fleet also compares its members, and equal members have equal
    /// dependencies.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Links").finish_non_exhaustive()
    }
}

// === impl Needs ===

impl Needs {
    fn of(members: &BTreeMap<String, Arc<FleetMember>>) -> Self {
        let offered = Offered::of(members);
        let mut needs = Self {
            names: members.keys().cloned().collect(),
            users: vec![BTreeSet::new(); members.len()],
            needed: vec![BTreeSet::new(); members.len()],
        };
        for (user, member) in members.values().enumerate() {
            let there = member.there().map(|hop| &hop.facts.installs);
            let mut needed: BTreeSet<_> = there.flat_map(|it| offered.needed_by(it)).collect();
            needed.remove(&user);
            for one in &needed {
                needs.users[*one].insert(user);
            }
            needs.needed[user] = needed;
        }
        needs
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|it| (**it).cmp(name)).ok()
    }

    pub(crate) fn name(&self, place: usize) -> Option<&str> {
        self.names.get(place).map(String::as_str)
    }

    /// Returns the Operators that directly need this Operator.
    pub(crate) fn users(&self, place: usize) -> &BTreeSet<usize> {
        &self.users[place]
    }

    /// Returns the Operators that need this Operator, directly or indirectly. In a cycle, the
    /// result includes the Operator itself.
    pub(crate) fn all_users(&self, place: usize) -> BTreeSet<usize> {
        reached(&self.users, [place])
    }

    /// Returns the Operators that this Operator needs, directly or indirectly.
    pub(crate) fn needed_by(&self, place: usize) -> BTreeSet<usize> {
        reached(&self.needed, [place])
    }

    /// Returns the Operators that any of these Operators needs, directly or indirectly.
    pub(crate) fn needed_by_all(&self, places: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        reached(&self.needed, places)
    }
}

/// Returns the indexes that are reachable from these indexes over one or more edges. Follows each
/// edge once.
fn reached(edges: &[BTreeSet<usize>], places: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut next: Vec<usize> = places.into_iter().collect();
    let mut left: BTreeSet<usize> = BTreeSet::new();
    while let Some(place) = next.pop() {
        if left.insert(place) {
            found.extend(&edges[place]);
            next.extend(&edges[place]);
        }
    }
    found
}

// === impl Offered ===

impl<'m> Offered<'m> {
    fn of(members: &'m BTreeMap<String, Arc<FleetMember>>) -> Self {
        let mut offered = Self::default();
        for (place, member) in members.values().enumerate() {
            let Some(it) = member.offered() else {
                continue;
            };
            let packages = offered.packages.entry(&it.package).or_default();
            packages.push((place, &it.version));
            for api in &it.provides {
                offered.apis.entry(api).or_default().push(place);
            }
        }
        offered
    }

    /// Returns the indexes of the Operators that satisfy the requirements of an installation.
    fn needed_by(&self, installation: &Installation) -> Vec<usize> {
        let requires = &installation.requires;
        let mut found = Vec::new();
        for (package, range) in &requires.packages {
            let all = self.packages.get(&**package).into_iter().flatten();
            let met = all.filter(|(_, version)| VersionRange::may_match(range, version));
            found.extend(met.map(|(place, _)| *place));
        }
        for api in &requires.apis {
            found.extend(self.apis.get(api).into_iter().flatten());
        }
        found
    }
}
