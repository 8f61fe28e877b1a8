//! `OperatorCondition`: what an operator says of itself.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// What an operator says of itself. It has the name of its ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorCondition {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// What is said.
    pub spec: OperatorConditionSpec,
    /// What OLM took over.
    pub status: OperatorConditionStatus,
}

resource!(
    OperatorCondition,
    "operatorconditions",
    "operators.coreos.com",
    "v2",
    NamespaceResourceScope
);

/// What is said of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorConditionSpec {
    /// What an administrator says instead of the operator.
    pub overrides: Vec<Condition>,
    /// What the operator says.
    pub conditions: Vec<Condition>,
}

/// What OLM took over.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorConditionStatus {
    /// What the operator says, each with the generation that it was taken over from.
    pub conditions: Vec<Condition>,
}

impl OperatorCondition {
    /// The type of the condition by which an operator says whether it may be upgraded.
    pub const UPGRADEABLE: &str = "Upgradeable";
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read_value;

    #[test]
    fn an_operator_and_its_administrator_may_disagree() {
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
