//! What a controller says of an object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Deserialize;

/// One condition of a status.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// What it is about, such as `Serving`.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, in a word.
    pub reason: String,
    /// Why, for people.
    pub message: String,
    /// The generation of the object that it was said of; None where that is not said.
    pub observed_generation: Option<i64>,
    /// Since when.
    pub last_transition_time: Option<Time>,
}
