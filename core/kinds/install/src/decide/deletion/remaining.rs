//! Finds the members to delete that still exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Goal;
use crate::decide::Halt;
use crate::decide::decision::Ask;
use crate::decide::dependency::{Dependencies, Until};
use crate::decide::observation::{ObjectRead, Observation};
use crate::decide::plan::Plan;
use crate::discovery::Discovery;
use crate::lineages::{is_written_by, labeled};
use crate::manifest::Members;
use crate::object::text;

/// The members to delete that still exist, by member index.
pub(super) struct Remains<'o> {
    pub(super) at: BTreeMap<usize, RemainingMember<'o>>,
    pub(super) dependencies: Dependencies,
}

/// A member that may still exist.
pub(super) enum RemainingMember<'o> {
    There(&'o Value),
    /// The object cannot be read. Contains the error message of the API server.
    Unreadable(&'o str),
    /// The API server gets no answer for the object, because another program serves its kind.
    /// Contains the error message of the API server.
    Unanswered(&'o str),
    /// The API server does not serve the kind now, but another member that defines this kind still
    /// exists. The object may exist too.
    Unserved,
}

/// Observes all members to delete.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn remains<'o>(goal: &Goal<'o>) -> Result<Remains<'o>, Halt> {
    let look = RemovalFacts {
        observed: goal.observed,
        members: goal.members,
        discovery: goal.discovery,
        dependencies: Dependencies::of(goal.members),
    };
    look.all(&goal.going)?;
    let mut at = BTreeMap::new();
    for place in &goal.going {
        let remaining = match look.object_read(*place) {
            Some(ObjectRead::Present(object)) => {
                let uid = text(object, "/metadata/uid");
                // If the uid differs from the recorded uid, another client created the object.
                let is_found = goal.found.contains_key(place) || goal.made.is_another(*place, uid);
                if is_found || !is_made_by(&goal.observed.plan, object) {
                    continue;
                }
                RemainingMember::There(object)
            }
            Some(ObjectRead::Unreadable(sentence)) => RemainingMember::Unreadable(sentence),
            Some(ObjectRead::Unanswered(sentence)) => RemainingMember::Unanswered(sentence),
            Some(ObjectRead::Absent) | None if look.is_hidden(*place) => RemainingMember::Unserved,
            Some(ObjectRead::Absent) | None => continue,
        };
        at.insert(*place, remaining);
    }
    Ok(Remains {
        at,
        dependencies: look.dependencies,
    })
}

/// Returns true if the object belongs to a lineage of the plan. The object must have the label of
/// the lineage, and the lineage must own fields of the object. The label alone is no evidence,
/// because any user can write it and copies of an object contain it.
fn is_made_by(plan: &Plan, object: &Value) -> bool {
    let of = labeled(object).filter(|of| plan.lineages().any(|own| own == of));
    of.is_some_and(|of| is_written_by(of, object))
}

struct RemovalFacts<'o, 'm> {
    observed: &'o Observation,
    members: &'m Members,
    discovery: &'m Discovery,
    dependencies: Dependencies,
}

impl<'o> RemovalFacts<'o, '_> {
    fn is_served(&self, place: usize) -> bool {
        self.discovery
            .kind(&self.members[place].identity.kind)
            .is_some()
    }

    /// Returns the observed object of a member. Returns None if the object was not read, or if its
    /// kind is not served.
    fn object_read(&self, place: usize) -> Option<&'o ObjectRead> {
        let objects = &self.observed.objects;
        let object_read = objects.get(&self.members[place].identity);
        object_read.filter(|_| self.is_served(place))
    }

    /// Returns the members without which this member cannot exist, such as the CRD of its kind.
    fn providers(&self, place: usize) -> impl Iterator<Item = usize> {
        let needed = self.dependencies.of_member(place).iter();
        needed
            .filter(|needed| needed.until == Until::Ready)
            .map(|needed| needed.on)
    }

    /// Returns true if the kind of a member is not served, but the object that defines this kind
    /// exists. The object of the member may then exist too.
    fn is_hidden(&self, place: usize) -> bool {
        let mut providers = self.providers(place);
        !self.is_served(place)
            && providers.any(|on| {
                let is_namespace = self.members[on].identity.kind.is_namespace();
                !is_namespace && matches!(self.object_read(on), Some(ObjectRead::Present(_)))
            })
    }

    /// Checks that the objects of all these members were read. If the kind of a member is not
    /// served, checks that the objects that define the kind were read.
    fn all(&self, places: &BTreeSet<usize>) -> Result<(), Halt> {
        let mut asks = BTreeSet::new();
        let mut ask = |place: usize| {
            let identity = &self.members[place].identity;
            if !self.observed.objects.contains_key(identity) {
                asks.insert(Ask::Object(identity.clone()));
            }
        };
        let mut is_any_unserved = false;
        for place in places {
            if self.is_served(*place) {
                ask(*place);
                continue;
            }
            is_any_unserved = true;
            let providers = self.providers(*place).filter(|on| self.is_served(*on));
            providers.for_each(&mut ask);
        }
        if !asks.is_empty() {
            return Err(Halt::Ask(asks));
        }
        if is_any_unserved && !self.observed.is_discovery_fresh {
            return Err(Halt::ask(Ask::Discovery));
        }
        Ok(())
    }
}
