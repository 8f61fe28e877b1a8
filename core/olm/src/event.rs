//! `Event`: what happened to an object.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::{resource, word};

/// A report of what happened to an object. Times are as they were written: there are two precisions
/// of them, and they only serve to tell which Event is newer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The object.
    pub involved_object: InvolvedObject,
    /// Whether it is a warning.
    pub r#type: EventType,
    /// The reason, in a word, such as `FailedMount`.
    pub reason: String,
    /// The description of what happened, for people.
    pub message: String,
    /// The time at which it happened last, as older components report it.
    pub last_timestamp: Option<String>,
    /// The time at which it happened first, as newer components report it.
    pub event_time: Option<String>,
    /// The series of its repetitions, as newer components report it.
    pub series: Option<EventSeries>,
}

resource!(Event, "events", "", "v1", NamespaceResourceScope);

word! {
    /// Whether an Event is a warning.
    EventType {
        /// It is not.
        Normal = "Normal",
        /// It is.
        Warning = "Warning",
    }
}

/// The object that something happened to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InvolvedObject {
    /// Its kind.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
}

/// A series of repetitions of an Event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// The time at which it happened last.
    pub last_observed_time: Option<String>,
}

// === impl Event ===

impl Event {
    /// The time at which it was last seen, as it was written; empty if none is given.
    pub fn last_seen(&self) -> &str {
        let again = self.series.as_ref();
        let again = again.and_then(|series| series.last_observed_time.as_ref());
        let last = again.or(self.last_timestamp.as_ref());
        last.or(self.event_time.as_ref()).map_or("", String::as_str)
    }
}
