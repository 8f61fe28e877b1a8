//! Portolan's `Operator` of `operators.coreos.com/v2alpha1`, with the conditions that Portolan
//! reports.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// An operator with its components, an object of Portolan.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ComponentOperator {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The state that Portolan reports.
    pub status: ComponentOperatorStatus,
}

resource!(
    ComponentOperator as "Operator",
    "operators",
    "operators.coreos.com",
    "v2alpha1",
    ClusterResourceScope
);

/// The state of an operator with its components.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ComponentOperatorStatus {
    /// The conditions. There is one condition of each type.
    pub conditions: Vec<Condition>,
}
