//! `Event`: a report about an object.

#[cfg(test)]
mod tests;

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::{resource, word};
use crate::{Job, Pod};

/// A report about an object. Times are stored as text, because they have two precisions and are
/// mostly used to find the newest Event.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// The name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The object.
    pub involved_object: InvolvedObject,
    /// Normal or Warning.
    pub r#type: EventType,
    /// The reason as an identifier, such as `FailedMount`.
    pub reason: String,
    /// The description of the event, for users.
    pub message: String,
    /// The number of occurrences, as older components report it.
    pub count: Option<i32>,
    /// The time of the first occurrence, as older components report it.
    pub first_timestamp: Option<String>,
    /// The time of the last occurrence, as older components report it.
    pub last_timestamp: Option<String>,
    /// The time of the first occurrence, as newer components report it.
    pub event_time: Option<String>,
    /// The series of its repetitions, as newer components report it.
    pub series: Option<EventSeries>,
}

resource!(Event, "events", "", "v1", NamespaceResourceScope);

/// An Event about a Job that cannot create a Pod. It is a separate kind, so that API servers can
/// select these few among all Events.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobEvent {
    /// The name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The Job.
    pub involved_object: InvolvedObject,
    /// Normal or Warning.
    pub r#type: EventType,
    /// The reason, in a word.
    pub reason: String,
    /// The error message of the API server, for users.
    pub message: String,
}

resource!(JobEvent as "Event", "events", "", "v1", NamespaceResourceScope);

/// An Event about a Pod for which the kubelet cannot read a pull secret. It is a separate kind, so
/// that API servers can select these few among all Events.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PullSecretEvent {
    /// The name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The Pod.
    pub involved_object: InvolvedObject,
    /// The reason, in a word.
    pub reason: String,
    /// The names of the pull secrets, in a message for users.
    pub message: String,
}

resource!(PullSecretEvent as "Event", "events", "", "v1", NamespaceResourceScope);

/// The kubelet's reason for a pull secret that it cannot read.
pub(crate) const NO_PULL_SECRET: &str = "FailedToRetrieveImagePullSecret";

word! {
    /// The type of an Event.
    EventType {
        /// An Event that is only information.
        Normal = "Normal",
        /// A problem.
        Warning = "Warning",
    }
}

/// The object that the event concerns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InvolvedObject {
    /// The kind of the object.
    pub kind: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
    /// The field of the object that the event is about, such as `spec.containers{manager}`. Often
    /// empty.
    #[serde(rename = "fieldPath")]
    pub field_path: String,
}

/// A series of repetitions of an Event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// The number of occurrences.
    pub count: Option<i32>,
    /// The time of the last repetition.
    pub last_observed_time: Option<String>,
}

/// The occurrences of an Event that was observed again.
#[derive(Debug, Clone, PartialEq)]
pub struct Repetition {
    /// The number of occurrences.
    pub count: i32,
    /// The time of the first one, if known.
    pub first: Option<Time>,
}

// === impl JobEvent ===

impl JobEvent {
    /// The field selector of API servers for these Events.
    pub const FIELDS: &'static str = "type=Warning,reason=FailedCreate,involvedObject.kind=Job";

    /// Returns true if the field selector selects the Event.
    pub fn is_selected(&self) -> bool {
        self.r#type == EventType::Warning
            && self.reason == "FailedCreate"
            && self.involved_object.kind == Job::KIND
    }
}

// === impl PullSecretEvent ===

impl PullSecretEvent {
    /// The field selector of API servers for these Events.
    pub const FIELDS: &'static str =
        "reason=FailedToRetrieveImagePullSecret,involvedObject.kind=Pod";

    /// Returns true if the field selector selects the Event.
    pub fn is_selected(&self) -> bool {
        self.reason == NO_PULL_SECRET && self.involved_object.kind == Pod::KIND
    }
}

// === impl Event ===

impl Event {
    /// Returns the time at which the event was last observed, as text. Returns an empty text
    /// without a time.
    pub fn last_seen(&self) -> &str {
        let again = self.series.as_ref();
        let again = again.and_then(|series| series.last_observed_time.as_ref());
        let last = again.or(self.last_timestamp.as_ref());
        last.or(self.event_time.as_ref()).map_or("", String::as_str)
    }

    /// Returns true if the kubelet reports that it cannot read a pull secret of a Pod.
    pub fn is_of_pull_secret(&self) -> bool {
        self.reason == NO_PULL_SECRET
    }

    /// Returns true if the kubelet reports that a probe of a container fails.
    pub fn is_of_probe(&self) -> bool {
        self.reason == "Unhealthy"
    }

    /// Returns the occurrences of an Event that was observed again. Returns None for a single one.
    pub fn repetition(&self) -> Option<Repetition> {
        let series = self.series.as_ref().and_then(|series| series.count);
        let count = series.or(self.count).filter(|count| *count > 1)?;
        let first = self.first_timestamp.as_ref().or(self.event_time.as_ref());
        let first = first.and_then(|text| text.parse::<Timestamp>().ok());
        Some(Repetition {
            count,
            first: first.map(Time),
        })
    }
}

// === impl Repetition ===

impl fmt::Display for Repetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} times", self.count)?;
        let first = self.first.as_ref();
        first.map_or(Ok(()), |Time(first)| {
            write!(f, " since {}", first.strftime("%Y-%m-%d %H:%M UTC"))
        })
    }
}
