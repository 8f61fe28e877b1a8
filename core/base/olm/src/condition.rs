//! The conditions that a controller sets on an object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Deserialize;

/// A condition in the status of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// The type of the condition, such as `Serving`.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason as one word.
    pub reason: String,
    /// The reason as text for users.
    pub message: String,
    /// The generation of the object that the controller observed. None if the controller did not
    /// set it.
    pub observed_generation: Option<i64>,
    /// The time at which the status of the condition last changed.
    pub last_transition_time: Option<Time>,
}

// === impl Condition ===

impl Condition {
    /// Returns true if the status is True.
    pub fn is_true(&self) -> bool {
        self.status == "True"
    }

    /// Returns true if the status is False.
    pub fn is_false(&self) -> bool {
        self.status == "False"
    }

    /// Returns the message, or the reason if the message is empty.
    pub fn words(&self) -> &str {
        match self.message.trim() {
            "" => &self.reason,
            message => message,
        }
    }

    /// Returns the condition of a type. A valid status has only one condition of each type. If
    /// there are several, returns the first in sort order, in which False comes before True.
    pub fn about<'a>(conditions: &'a [Self], of_type: &str) -> Option<&'a Self> {
        let same = conditions.iter().filter(|said| said.r#type == of_type);
        same.min()
    }
}
