//! `Event`: a report of a component of Kubernetes about an object.

#[cfg(test)]
mod tests;

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::{resource, word};
use crate::{Job, Pod};

/// A report about an object. The times are texts, because they have two precisions (seconds and
/// microseconds), and Portolan mostly compares them to find the newest Event.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The object that the Event is about.
    pub involved_object: InvolvedObject,
    /// Normal or Warning.
    pub r#type: EventType,
    /// The reason as an identifier, such as `FailedMount`.
    pub reason: String,
    /// The description of the event, for users.
    pub message: String,
    /// The number of occurrences, set by older components.
    pub count: Option<i32>,
    /// The time of the first occurrence, set by older components.
    pub first_timestamp: Option<String>,
    /// The time of the last occurrence, set by older components.
    pub last_timestamp: Option<String>,
    /// The time of the first occurrence, set by newer components.
    pub event_time: Option<String>,
    /// The repetitions of the Event, set by newer components.
    pub series: Option<EventSeries>,
}

resource!(Event, "events", "", "v1", NamespaceResourceScope);

/// An Event about a Job that cannot create a Pod. It is a separate kind, so that Portolan can
/// request only these Events from API servers, with a field selector.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobEvent {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The Job that the Event is about.
    pub involved_object: InvolvedObject,
    /// Normal or Warning.
    pub r#type: EventType,
    /// The reason as an identifier.
    pub reason: String,
    /// The error message of the API server, for users.
    pub message: String,
}

resource!(JobEvent as "Event", "events", "", "v1", NamespaceResourceScope);

/// An Event about a Pod whose pull secret the kubelet cannot read. It is a separate kind, so that
/// Portolan can request only these Events from API servers, with a field selector.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PullSecretEvent {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The Pod that the Event is about.
    pub involved_object: InvolvedObject,
    /// The reason as an identifier.
    pub reason: String,
    /// The message for users, with the names of the pull secrets.
    pub message: String,
}

resource!(PullSecretEvent as "Event", "events", "", "v1", NamespaceResourceScope);

/// The reason that the kubelet reports if it cannot read a pull secret.
pub(crate) const NO_PULL_SECRET: &str = "FailedToRetrieveImagePullSecret";

word! {
    /// The type of an Event.
    EventType {
        /// An Event that is only information.
        Normal = "Normal",
        /// An Event that reports a problem.
        Warning = "Warning",
    }
}

/// The object that an Event is about.
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
    /// The field of the object that the Event is about, such as `spec.containers{manager}`. Often
    /// empty.
    #[serde(rename = "fieldPath")]
    pub field_path: String,
}

/// The repetitions of an Event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// The number of occurrences.
    pub count: Option<i32>,
    /// The time of the last repetition.
    pub last_observed_time: Option<String>,
}

/// The number of occurrences of an Event, and the time of the first occurrence.
#[derive(Debug, Clone, PartialEq)]
pub struct Repetition {
    /// The number of occurrences.
    pub count: i32,
    /// The time of the first occurrence. None if unknown.
    pub first: Option<Time>,
}

// === impl JobEvent ===

impl JobEvent {
    /// The field selector with which API servers select these Events.
    pub const FIELDS: &'static str = "type=Warning,reason=FailedCreate,involvedObject.kind=Job";

    /// Returns true if the field selector [`FIELDS`](Self::FIELDS) selects the Event.
    pub fn is_selected(&self) -> bool {
        self.r#type == EventType::Warning
            && self.reason == "FailedCreate"
            && self.involved_object.kind == Job::KIND
    }
}

// === impl PullSecretEvent ===

impl PullSecretEvent {
    /// The field selector with which API servers select these Events.
    pub const FIELDS: &'static str =
        "reason=FailedToRetrieveImagePullSecret,involvedObject.kind=Pod";

    /// Returns true if the field selector [`FIELDS`](Self::FIELDS) selects the Event.
    pub fn is_selected(&self) -> bool {
        self.reason == NO_PULL_SECRET && self.involved_object.kind == Pod::KIND
    }
}

// === impl Event ===

impl Event {
    /// Returns the time of the last occurrence, as text. Returns an empty text if the time is
    /// unknown.
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

    /// Returns the repetition of an Event with more than one occurrence. Returns None for a single
    /// occurrence.
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
