//! `OperatorCondition`: the conditions that an operator reports about itself.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// The conditions that an operator reports about itself. The OperatorCondition has the same name as
/// the ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorCondition {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The conditions that the operator and administrators set.
    pub spec: OperatorConditionSpec,
    /// The conditions that OLM copied from the spec.
    pub status: OperatorConditionStatus,
}

resource!(
    OperatorCondition,
    "operatorconditions",
    "operators.coreos.com",
    "v2",
    NamespaceResourceScope
);

/// The conditions that the operator and administrators set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorConditionSpec {
    /// The conditions that an administrator set. OLM uses them instead of the operator's
    /// conditions.
    pub overrides: Vec<Condition>,
    /// The conditions that the operator set.
    pub conditions: Vec<Condition>,
}

/// The conditions that OLM copied from the spec.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorConditionStatus {
    /// The conditions, each with the generation of the spec from which OLM copied it.
    pub conditions: Vec<Condition>,
}

impl OperatorCondition {
    /// The type of the condition with which an operator reports whether it can be upgraded.
    pub const UPGRADEABLE: &str = "Upgradeable";
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read_value;

    #[test]
    fn differing_overrides_and_conditions_are_both_read() {
        let says = |status, generation| {
            json!({"type": "Upgradeable", "status": status, "reason": "Busy",
                   "message": "m", "observedGeneration": generation,
                   "lastTransitionTime": null})
        };
        let condition = json!({
            "metadata": {"name": "ferry.v1.2.0", "generation": 4},
            "spec": {"overrides": [says("True", 0)], "conditions": [says("False", 4)]},
            "status": {"conditions": [says("False", 3)]},
        });
        let (condition, faults) = read_value::<OperatorCondition>(condition).expect("a condition");
        assert_eq!(faults, []);
        let said = |status: &str, generation| Condition {
            r#type: "Upgradeable".into(),
            status: status.into(),
            reason: "Busy".into(),
            message: "m".into(),
            observed_generation: Some(generation),
            last_transition_time: None,
        };
        let expected = OperatorConditionSpec {
            overrides: vec![said("True", 0)],
            conditions: vec![said("False", 4)],
        };
        assert_eq!(condition.spec, expected);
        assert_eq!(condition.status.conditions, [said("False", 3)]);
        assert_eq!(condition.metadata.generation, Some(4));
    }
}
