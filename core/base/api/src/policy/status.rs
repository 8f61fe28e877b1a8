//! The statuses of Policy and PolicyBinding.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::schema::{self, items, moment, structural};

// `kubectl explain` prints the comments of these types and fields.

/// The observed state of the Policy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = structural)]
pub struct PolicyStatus {
    /// The generation of the Policy that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The current conditions, one per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions_of_policy")]
    pub conditions: Vec<Condition>,
    /// The open window and the next windows of the schedule. At most 3 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowStatus>,
    /// The PolicyBindings that refer to the Policy. At most 100 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("The name of a PolicyBinding."))]
    pub bindings: Vec<String>,
}

/// The observed state of the PolicyBinding.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = structural)]
pub struct BindingStatus {
    /// The generation of the PolicyBinding that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The current conditions, one per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions_of_binding")]
    pub conditions: Vec<Condition>,
    /// The number of operators that the Policies apply to. Absent if the spec of the PolicyBinding
    /// is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub operator_count: Option<i64>,
    /// The operators that the Policies apply to. At most 100 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<Reference>,
    /// The referenced objects that do not exist. At most 100 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Reference>,
}

/// A time window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WindowStatus {
    /// The time when the window opens, or opened.
    #[schemars(schema_with = "moment")]
    pub opens: Time,
    // None if the window never closes, or closes too far in the future.
    /// The time when the window closes. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "moment")]
    pub closes: Option<Time>,
}

/// A reference to an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reference {
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the object. Absent for cluster-scoped objects.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name of the object.
    pub name: String,
}

fn conditions_of_policy(_: &mut SchemaGenerator) -> Schema {
    schema::finished(schema::conditions("Policy"))
}

fn conditions_of_binding(_: &mut SchemaGenerator) -> Schema {
    schema::finished(schema::conditions("PolicyBinding"))
}
