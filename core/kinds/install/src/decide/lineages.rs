//! The lineages of plans, and whether a lineage still has a plan.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::case::MANAGER;
use super::collision;
use crate::object::{items, text};

/// The lineages of the known plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineages {
    /// The plans of each lineage, each as `namespace/name`.
    plans: BTreeMap<String, BTreeSet<String>>,
    is_complete: bool,
}

/// The state of a lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life<'l> {
    /// The plans of the lineage. A plan that is being deleted counts until it is gone.
    Living(&'l BTreeSet<String>),
    /// No known plan belongs to it, but not all plans are known.
    Unknown,
    /// No plan belongs to it.
    Gone,
}

impl Lineages {
    /// Returns the lineages of all plans in the cluster.
    pub fn complete(plans: BTreeMap<String, BTreeSet<String>>) -> Self {
        Self {
            plans,
            is_complete: true,
        }
    }

    /// Returns the lineages of some plans. There may be others.
    pub fn partial(plans: BTreeMap<String, BTreeSet<String>>) -> Self {
        Self {
            plans,
            is_complete: false,
        }
    }

    pub(super) fn life(&self, lineage: &str) -> Life<'_> {
        match self.plans.get(lineage) {
            Some(plans) => Life::Living(plans),
            None if self.is_complete => Life::Gone,
            None => Life::Unknown,
        }
    }

    /// Returns true if no plan belongs to the lineage.
    pub(super) fn is_gone(&self, lineage: &str) -> bool {
        match self.life(lineage) {
            Life::Gone => true,
            Life::Living(_) | Life::Unknown => false,
        }
    }

    /// Returns true if a field manager belongs to a lineage without plans.
    pub(super) fn is_of_gone(&self, manager: &str) -> bool {
        let lineage = manager.strip_prefix(MANAGER);
        lineage.is_some_and(|lineage| self.is_gone(lineage))
    }
}

/// Returns the lineages of an object: first the one in its label, then those that own fields.
pub(super) fn of_object(object: &Value) -> impl Iterator<Item = &str> {
    let entries = items(object, "/metadata/managedFields").iter();
    let owners = entries.filter_map(|entry| text(entry, "/manager").strip_prefix(MANAGER));
    collision::lineage(object).into_iter().chain(owners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lineage_is_gone_only_if_all_plans_are_known() {
        let plans: BTreeMap<_, _> = [("u-a".to_owned(), ["harbor/a".to_owned()].into())].into();
        let (complete, partial) = (
            Lineages::complete(plans.clone()),
            Lineages::partial(plans.clone()),
        );
        for lineages in [&complete, &partial] {
            assert_eq!(lineages.life("u-a"), Life::Living(&plans["u-a"]));
        }
        assert_eq!(complete.life("u-b"), Life::Gone);
        assert_eq!(partial.life("u-b"), Life::Unknown);
        assert_eq!(Lineages::default().life("u-b"), Life::Unknown);
        let managers = ["plans.portolan.dev/u-b", "plans.portolan.dev/u-a", "helm"];
        let gone = managers.map(|manager| complete.is_of_gone(manager));
        assert_eq!(gone, [true, false, false]);
    }
}
