//! The members that a decision has checked. The next decision checks only members whose objects
//! have changed since then.
//!
//! ```text
//! a judgment depends on   the object      its resource version is stored with its place
//!                         its manifest    immutable for a plan
//!                         the plan        its generation
//!                         its owner       the lineages; objects of others are always judged
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::plan::Plan;
use crate::object::text;

/// The members of a plan that match their manifests and are ready. The status does not list them,
/// and they need no step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifiedMembers {
    grounds: Grounds,
    /// The resource version of each object when it was checked, by member index.
    versions: BTreeMap<usize, Box<str>>,
}

/// The state of the plan when the members were checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Grounds {
    uid: String,
    generation: i64,
    lineage: String,
    merged: BTreeSet<String>,
}

impl VerifiedMembers {
    /// Returns the number of verified members.
    pub fn len(&self) -> usize {
        self.versions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Returns an empty set, for members that are checked in the current state of the plan.
    pub(super) fn begin(plan: &Plan) -> Self {
        Self {
            grounds: Grounds::of(plan),
            versions: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, place: usize, object: &Value) {
        self.versions.insert(place, version(object).into());
    }

    /// Returns true if a member was checked before and its object has not changed since.
    pub(super) fn has(&self, place: usize, object: &Value) -> bool {
        let known = self.versions.get(&place);
        known.is_some_and(|known| !known.is_empty() && **known == *version(object))
    }

    /// Returns true if the members were checked in the current state of the plan.
    pub(super) fn is_of(&self, plan: &Plan) -> bool {
        self.grounds == Grounds::of(plan)
    }
}

impl Grounds {
    fn of(plan: &Plan) -> Self {
        Self {
            uid: plan.uid.clone(),
            generation: plan.generation,
            lineage: plan.lineage.clone(),
            merged: plan.merged.clone(),
        }
    }
}

fn version(object: &Value) -> &str {
    text(object, "/metadata/resourceVersion")
}
