//! The statuses of a Policy and a PolicyBinding.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde::{Deserialize, Serialize};

/// The status of a Policy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyStatus {
    /// The generation of the Policy that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The open window and the next windows of the schedule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowStatus>,
    /// The names of the PolicyBindings that refer to the Policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<String>,
}

/// The status of a PolicyBinding.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BindingStatus {
    /// The generation of the PolicyBinding that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The number of operators that the Policies apply to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_count: Option<i64>,
    /// The first of these operators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<Reference>,
    /// The referenced objects that are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Reference>,
}

/// A time window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WindowStatus {
    pub opens: Time,
    /// None if the window does not close, or too far in the future.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes: Option<Time>,
}

/// An object that a PolicyBinding refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reference {
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    pub name: String,
}
