//! The goal of a step: the state of its operator after the step.

use portolan_api::inventory::InstalledOperator;
use serde::{Deserialize, Serialize};

/// The state of an operator after a step. An empty field requires nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Goal {
    /// None of these bundles is installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) leaves: Vec<String>,
    /// The operator follows only this channel.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) channel: String,
    /// The operator no longer follows this catalog.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) catalog: String,
}

// === impl Goal ===

impl Goal {
    /// Returns true if the operator has reached the goal.
    pub(super) fn is_reached_by(&self, operator: &InstalledOperator) -> bool {
        let follows = |channel: &String| operator.channels.iter().eq([channel]);
        !self.leaves.contains(&operator.bundle)
            && (self.channel.is_empty() || follows(&self.channel))
            && (self.catalog.is_empty() || self.catalog != operator.catalog)
    }
}

#[cfg(test)]
mod tests {
    use portolan_api::inventory::Manager;
    use portolan_core_names::{GroupKind, ObjectRef};
    use rstest::rstest;

    use super::*;

    fn goal(leaves: &[&str], channel: &str, catalog: &str) -> Goal {
        Goal {
            leaves: leaves.iter().map(|it| (*it).to_owned()).collect(),
            channel: channel.to_owned(),
            catalog: catalog.to_owned(),
        }
    }

    #[rstest]
    #[case::no_requirement(goal(&[], "", ""), true)]
    #[case::another_bundle(goal(&["ferry.v1.0.0"], "", ""), true)]
    #[case::bundle_to_leave(goal(&["ferry.v1.0.0", "ferry.v1.1.0"], "", ""), false)]
    #[case::its_channel(goal(&[], "stable", ""), true)]
    #[case::another_channel(goal(&[], "fast", ""), false)]
    #[case::another_catalog(goal(&[], "", "olm/eus"), true)]
    #[case::catalog_to_leave(goal(&[], "", "olm/shop"), false)]
    fn operator_reaches_goal_if_all_parts_hold(#[case] goal: Goal, #[case] expected: bool) {
        let object = ObjectRef::new(GroupKind::new("", "Subscription"), "docks", "ferry");
        let operator = InstalledOperator {
            bundle: "ferry.v1.1.0".to_owned(),
            channels: ["stable".to_owned()].into(),
            catalog: "olm/shop".to_owned(),
            ..InstalledOperator::new(Manager::Olm, object)
        };
        assert_eq!(goal.is_reached_by(&operator), expected);
    }
}
