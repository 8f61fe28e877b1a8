//! The conditions that a controller sets on an object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Deserialize;

/// One condition of a status.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// The type of the condition, such as `Serving`.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason as one word.
    pub reason: String,
    /// The reason for people.
    pub message: String,
    /// The generation of the object that the condition describes. None if it is not set.
    pub observed_generation: Option<i64>,
    /// The time since which the condition has this status.
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

    /// Returns the message. Returns the reason if there is no message.
    pub fn words(&self) -> &str {
        match self.message.trim() {
            "" => &self.reason,
            message => message,
        }
    }

    /// Returns the condition of a type. A valid status has only one condition of each type. If
    /// there are several, returns the first in order: False comes before True.
    pub fn about<'a>(conditions: &'a [Self], of_type: &str) -> Option<&'a Self> {
        let same = conditions.iter().filter(|said| said.r#type == of_type);
        same.min()
    }
}
