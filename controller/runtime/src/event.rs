//! Creates Kubernetes Events. Each event is created only once.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};
use portolan_world::Key;
use serde_json::json;

use crate::client::{FencedClient, Mismatch, WriteFailure};
use crate::write::Write;

#[cfg(test)]
mod tests;

/// The maximum length of the name of an object.
const NAME: usize = 253;
/// The namespace of events about cluster-scoped objects.
const DEFAULT: &str = "default";
/// The action of events about conditions.
const RECONCILE: &str = "Reconcile";

/// Returns the reference to an object for an event.
pub fn reference(api_version: &str, kind: &str, metadata: &ObjectMeta) -> ObjectReference {
    ObjectReference {
        api_version: Some(api_version.to_owned()),
        kind: Some(kind.to_owned()),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone(),
        uid: metadata.uid.clone(),
        ..ObjectReference::default()
    }
}

/// Returns the conditions that are new, and the conditions whose status or reason has changed.
pub fn entered<'c>(
    before: &'c [Condition],
    after: &'c [Condition],
) -> impl Iterator<Item = &'c Condition> {
    let words = |of: &'c Condition| (&of.type_, &of.status, &of.reason);
    after
        .iter()
        .filter(move |new| !before.iter().any(|old| words(old) == words(new)))
}

/// A report about an object, which becomes an Event.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    /// The object of the event.
    pub about: ObjectReference,
    /// A related object.
    pub related: Option<ObjectReference>,
    /// True if the event has type Warning.
    pub is_warning: bool,
    /// The reason in CamelCase.
    pub reason: String,
    /// The action, as one word.
    pub action: String,
    /// The message of the event, as a sentence.
    pub message: String,
    /// The time since which the message is true. A report with the same object, time and mark is
    /// the same event, even if several processes report it.
    pub at: Timestamp,
    /// A text that distinguishes this event from other events about the same object with the same
    /// time.
    pub mark: String,
}

/// Creates each event once. The name of an event is derived from its object, its time and its mark.
#[derive(Debug)]
pub struct Recorder {
    /// The name of the controller in events.
    component: &'static str,
    /// The name of the process in events: the name of its Pod or of its machine.
    identity: String,
    /// The events that must be created again, by the object whose reconciliation caused them.
    owed: Mutex<BTreeMap<Key, Owed>>,
}

/// The events of one object that may not have been created yet.
#[derive(Debug)]
struct Owed {
    uid: Option<String>,
    events: Vec<Event>,
}

// === impl News ===

impl News {
    /// Returns the report for a condition of an object.
    pub fn of_condition(
        about: ObjectReference,
        condition: &Condition,
        is_warning: bool,
        at: Timestamp,
    ) -> Self {
        Self {
            about,
            related: None,
            is_warning,
            reason: condition.reason.clone(),
            action: RECONCILE.to_owned(),
            message: condition.message.clone(),
            at,
            mark: format!("{} {}", condition.type_, condition.reason),
        }
    }

    /// Logs the report, because events expire after an hour.
    fn log(&self) {
        let about = &self.about;
        let [kind, namespace, name] =
            [&about.kind, &about.namespace, &about.name].map(|text| text.as_deref());
        tracing::info!(
            kind,
            namespace,
            name,
            reason = self.reason.as_str(),
            "{}",
            self.message
        );
    }

    /// Converts the report to an Event.
    fn event(self, component: &str, identity: &str) -> Event {
        let Self {
            about,
            related,
            is_warning,
            reason,
            action,
            message,
            at,
            mark,
        } = self;
        let (component, identity) = (Some(component.to_owned()), Some(identity.to_owned()));
        let time = Some(Time(at));
        let kind = if is_warning { "Warning" } else { "Normal" };
        let namespace = about.namespace.as_deref().unwrap_or(DEFAULT);
        let name = about.name.as_deref().unwrap_or_default();
        Event {
            metadata: ObjectMeta {
                name: Some(event_name(name, at, &mark)),
                namespace: Some(namespace.to_owned()),
                ..ObjectMeta::default()
            },
            involved_object: about,
            related,
            reason: Some(reason),
            message: Some(message),
            source: Some(EventSource {
                component: component.clone(),
                host: identity.clone(),
            }),
            reporting_component: component,
            reporting_instance: identity,
            action: Some(action),
            type_: Some(kind.to_owned()),
            count: Some(1),
            first_timestamp: time.clone(),
            last_timestamp: time,
            ..Event::default()
        }
    }
}

// === impl Recorder ===

impl Recorder {
    /// Creates a recorder. Its events name this controller and this process.
    pub fn new(component: &'static str, identity: &str) -> Self {
        Self {
            component,
            identity: identity.to_owned(),
            owed: Mutex::default(),
        }
    }

    /// Converts a report to an Event.
    pub fn event(&self, news: News) -> Event {
        news.event(self.component, &self.identity)
    }

    /// Logs a report about a reconciled object, and creates an Event. If the API server rejects the
    /// Event, there is no retry, because the API server would reject it again.
    ///
    /// # Errors
    /// Returns an error if the outcome is unknown. [`Recorder::settle`] then creates the event
    /// again.
    pub async fn record(
        &self,
        client: &FencedClient,
        reconciled: &ObjectMeta,
        news: News,
    ) -> Result<(), WriteFailure> {
        news.log();
        self.make(client, reconciled, self.event(news)).await
    }

    /// Creates the events of an object again that may not have been created yet.
    ///
    /// # Errors
    /// Returns an error if the outcome is still unknown.
    pub async fn settle(
        &self,
        client: &FencedClient,
        reconciled: &ObjectMeta,
    ) -> Result<(), WriteFailure> {
        let owed = self.owed().remove(&key(reconciled));
        // The events of a deleted object with the same name are dropped.
        let owed = owed.filter(|owed| owed.uid == reconciled.uid);
        let mut result = Ok(());
        for event in owed.into_iter().flat_map(|owed| owed.events) {
            result = result.and(self.make(client, reconciled, event).await);
        }
        result
    }

    /// Drops the events of an object that no longer exists.
    pub fn forget(&self, reconciled: &Key) {
        self.owed().remove(reconciled);
    }

    async fn make(
        &self,
        client: &FencedClient,
        reconciled: &ObjectMeta,
        event: Event,
    ) -> Result<(), WriteFailure> {
        let write = Write::create(json!(event))?;
        match client.write(&write).await {
            // The event was already created.
            Ok(_) | Err(WriteFailure::Conflict(Mismatch::Exists(_))) => Ok(()),
            Err(failure @ (WriteFailure::Refused(_) | WriteFailure::FieldsOwned(_))) => {
                tracing::warn!(error = %failure, "the API server rejected an event");
                Ok(())
            }
            Err(lost) => {
                let mut all = self.owed();
                let owed = all.entry(key(reconciled)).or_insert_with(|| Owed {
                    uid: reconciled.uid.clone(),
                    events: Vec::new(),
                });
                if owed.uid != reconciled.uid {
                    owed.uid.clone_from(&reconciled.uid);
                    owed.events.clear();
                }
                owed.events.push(event);
                Err(lost)
            }
        }
    }

    fn owed(&self) -> MutexGuard<'_, BTreeMap<Key, Owed>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(metadata: &ObjectMeta) -> Key {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Key::new(&text(&metadata.namespace), &text(&metadata.name))
}

/// Derives the name of an event from its object and from its time in microseconds. Other programs
/// interpret the number in the name as nanoseconds. Its last three digits come from the mark, so
/// that two events about one object with the same time have different names.
fn event_name(about: &str, at: Timestamp, mark: &str) -> String {
    let nanos = i128::from(at.as_microsecond()) * 1000 + i128::from(number(mark));
    let end = format!(".{nanos:x}");
    let room = NAME - end.len();
    let cut = about.char_indices().take_while(|(place, _)| *place < room);
    let cut: String = cut.map(|(_, char)| char).collect();
    // A name must have a letter or digit before a dot.
    format!("{}{end}", cut.trim_end_matches(['.', '-']))
}

/// Returns a number below one thousand that depends only on the mark (FNV-1a hash).
fn number(mark: &str) -> u64 {
    let hash = mark.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash % 1000
}
