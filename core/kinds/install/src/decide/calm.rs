//! Members of which a decision found that they are as they were meant: the next one judges only what is another
//! one now.
//!
//! ```text
//! a judgment reads    the object               its version stands beside its place
//!                     what it is meant to be   never changes of a plan
//!                     what the plan says       its generation
//!                     whose it is              the lineages; one that is not ours is judged each time
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::case::Case;
use super::observation::Observation;
use crate::object::text;

/// The members of a plan that were judged, and that nothing is said of or done about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calm {
    grounds: Grounds,
    /// By their places, the versions of their objects.
    versions: BTreeMap<usize, Box<str>>,
}

/// The facts that were the same for all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Grounds {
    uid: String,
    generation: i64,
    lineage: String,
    merged: BTreeSet<String>,
}

impl Calm {
    /// The number of these members.
    pub fn len(&self) -> usize {
        self.versions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// None yet.
    pub(super) fn begin(observed: &Observation) -> Self {
        Self {
            grounds: Grounds::of(observed),
            versions: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, place: usize, object: &Value) {
        self.versions.insert(place, version(object).into());
    }

    /// Whether what is known is of this plan as it is now.
    pub(super) fn is_of(&self, observed: &Observation) -> bool {
        self.grounds == Grounds::of(observed)
    }
}

impl Grounds {
    fn of(observed: &Observation) -> Self {
        let plan = &observed.plan;
        Self {
            uid: plan.uid.clone(),
            generation: plan.generation,
            lineage: plan.lineage.clone(),
            merged: plan.merged.clone(),
        }
    }
}

impl Case<'_> {
    /// Whether a member was judged before, as it is now.
    pub(super) fn is_calm(&self, place: usize) -> bool {
        let known = self.calm.and_then(|calm| calm.versions.get(&place));
        known.is_some_and(|known| {
            let object = self.object(place);
            !known.is_empty() && object.is_some_and(|object| **known == *version(object))
        })
    }
}

fn version(object: &Value) -> &str {
    text(object, "/metadata/resourceVersion")
}
