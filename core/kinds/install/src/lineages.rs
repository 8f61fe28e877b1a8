//! The lineages of plans and of objects. A lineage is a chain of plans that replace each other. It
//! exists as long as one of its plans exists.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{InstallPlan, LINEAGE};
use portolan_core_names::Key;
use serde_json::Value;

use crate::fields::{Operation, Owner};
use crate::object::{items, text};

/// The prefix of the field managers that belong to lineages.
const MANAGER: &str = "plans.portolan.dev/";

/// The lineages of the known plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineages {
    /// The plans of each lineage.
    plans: BTreeMap<String, BTreeSet<Key>>,
    is_complete: bool,
}

/// The result of the search for plans of a lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life<'l> {
    /// The existing plans of the lineage. A plan in deletion counts as long as it exists.
    Living(&'l BTreeSet<Key>),
    /// No known plan belongs to the lineage, but some plans of the cluster may be unknown.
    Unknown,
    /// No plan of the cluster belongs to the lineage.
    Gone,
}

impl Lineages {
    /// Returns the lineages of these plans. `is_complete` is true only if `plans` contains all
    /// plans of the cluster.
    pub fn of<'p>(plans: impl IntoIterator<Item = &'p InstallPlan>, is_complete: bool) -> Self {
        let mut lineages = Self {
            plans: BTreeMap::new(),
            is_complete,
        };
        for plan in plans {
            let metadata = &plan.metadata;
            let key = Key::new(
                metadata.namespace.as_deref().unwrap_or_default(),
                metadata.name.as_deref().unwrap_or_default(),
            );
            let status = plan.status.iter();
            let merged = status.flat_map(|status| status.merged_lineages.iter().cloned());
            for lineage in merged.chain([own(plan)]) {
                let plans = lineages.plans.entry(lineage).or_default();
                plans.insert(key.clone());
            }
        }
        lineages
    }

    pub(crate) fn life(&self, lineage: &str) -> Life<'_> {
        match self.plans.get(lineage) {
            Some(plans) => Life::Living(plans),
            None if self.is_complete => Life::Gone,
            None => Life::Unknown,
        }
    }

    /// Returns true if no plan belongs to the lineage and all plans are known.
    pub(crate) fn is_gone(&self, lineage: &str) -> bool {
        match self.life(lineage) {
            Life::Gone => true,
            Life::Living(_) | Life::Unknown => false,
        }
    }

    /// Returns true if a field manager belongs to a lineage without plans.
    pub(crate) fn is_of_gone(&self, manager: &str) -> bool {
        managed(manager).is_some_and(|lineage| self.is_gone(lineage))
    }
}

/// Returns the lineage of a plan: the uid of the first plan in the lineage.
pub(crate) fn own(plan: &InstallPlan) -> String {
    let status = plan.status.as_ref();
    let recorded = status.and_then(|status| status.lineage.clone());
    let own = recorded.or_else(|| plan.metadata.uid.clone());
    own.unwrap_or_default()
}

/// Returns the field manager of a lineage.
pub fn manager(lineage: &str) -> String {
    format!("{MANAGER}{lineage}")
}

/// Returns the lineage to which a field manager belongs. Returns None for any other field manager.
pub(crate) fn managed(manager: &str) -> Option<&str> {
    manager.strip_prefix(MANAGER)
}

/// Returns the lineage in the label of an object. Returns None without the label.
pub(crate) fn labeled(object: &Value) -> Option<&str> {
    let labels = object.pointer("/metadata/labels")?;
    labels.get(LINEAGE.name())?.as_str()
}

/// Returns true if a lineage owns fields of an object through a create or an apply.
pub(crate) fn is_written_by(lineage: &str, object: &Value) -> bool {
    let applied = Owner::applies(&manager(lineage));
    let made = Owner {
        operation: Operation::Update,
        ..applied.clone()
    };
    applied.has_any(object) || made.has_any(object)
}

/// Returns the lineages of an object: first the lineage in the label, then the lineages that own
/// fields.
pub(crate) fn of_object(object: &Value) -> impl Iterator<Item = &str> {
    let entries = items(object, "/metadata/managedFields").iter();
    let owners = entries.filter_map(|entry| managed(text(entry, "/manager")));
    labeled(object).into_iter().chain(owners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lineage_counts_as_deleted_only_if_all_plans_are_known() {
        let mut plan = InstallPlan::new("a", serde_json::json!({}).into());
        plan.metadata.namespace = Some("harbor".to_owned());
        plan.metadata.uid = Some("u-a".to_owned());
        let [complete, partial] = [true, false].map(|is_all| Lineages::of([&plan], is_all));
        let plans = [Key::new("harbor", "a")].into();
        for lineages in [&complete, &partial] {
            assert_eq!(lineages.life("u-a"), Life::Living(&plans));
        }
        assert_eq!(complete.life("u-b"), Life::Gone);
        assert_eq!(partial.life("u-b"), Life::Unknown);
        assert_eq!(Lineages::default().life("u-b"), Life::Unknown);
        let managers = ["plans.portolan.dev/u-b", "plans.portolan.dev/u-a", "helm"];
        let gone = managers.map(|manager| complete.is_of_gone(manager));
        assert_eq!(gone, [true, false, false]);
    }
}
