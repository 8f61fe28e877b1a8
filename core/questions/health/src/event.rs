//! Finds warning Events about objects.

use portolan_core_olm::Event;
use portolan_core_olm::messages::{has_reason, restarting_probe};

use crate::{Item, ObjectVersion};

/// The warning Events about one object, newest first.
#[derive(Debug)]
pub(crate) struct Warned<'a> {
    events: Vec<&'a Item<Event>>,
}

/// All warning Events that were read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Events<'a>(pub(crate) &'a [Item<Event>]);

// === impl Events ===

impl<'a> Events<'a> {
    /// Returns the warning Events about one object, newest first. Ignores Events about a deleted
    /// object with the same name, because the deleted object has another uid.
    pub(crate) fn about(self, observed: &ObjectVersion) -> Warned<'a> {
        let Self(events) = self;
        let mut events: Vec<&Item<Event>> = events
            .iter()
            .filter(|event| event.is_about(observed))
            .collect();
        events.sort_by(|a, b| (b.moment(), *b).cmp(&(a.moment(), *a)));
        Warned { events }
    }
}

impl Item<Event> {
    fn is_about(&self, observed: &ObjectVersion) -> bool {
        let about = &self.involved_object;
        if about.uid.is_empty() || observed.uid.is_empty() {
            let object = &observed.object;
            about.kind == object.kind.as_str()
                && about.namespace == object.namespace
                && about.name == object.name
        } else {
            about.uid == observed.uid
        }
    }

    /// Returns the time as a sort key without the final letter `Z`. With this letter, a time in
    /// whole seconds would sort after times with fractions of the same second.
    fn moment(&self) -> &str {
        self.last_seen().trim_end_matches('Z')
    }
}

// === impl Warned ===

impl<'a> Warned<'a> {
    /// Returns the newest Event that has one of these reasons and an informative message. Returns
    /// None if no such Event exists. The kubelet reports a failure in detail only once, and later
    /// only as `Error: ImagePullBackOff`.
    pub(crate) fn newest_that_says(&self, reasons: &[&str]) -> Option<&'a Item<Event>> {
        let is_told = |event: &&&Item<Event>| {
            reasons.contains(&event.reason.as_str()) && has_reason(&event.message)
        };
        let mut events = self.events.iter();
        events.find(is_told).copied()
    }

    /// Returns the newest probe failure that makes the kubelet restart this container, with the
    /// name of the probe. Returns None if no such failure exists.
    pub(crate) fn restarting_probe(&self, container: &str) -> Option<(&'static str, &'a str)> {
        let part = format!("{{{container}}}");
        let mut events = self.events.iter().filter(|event| {
            let path = &event.involved_object.field_path;
            event.is_of_probe() && (path.is_empty() || path.ends_with(&part))
        });
        events.find_map(|event| restarting_probe(&event.message))
    }

    /// Returns the newest Event that has one of these reasons. Returns None if no such Event
    /// exists.
    pub(crate) fn newest(&self, reasons: &[&str]) -> Option<&'a Item<Event>> {
        let mut events = self.events.iter().copied();
        events.find(|event| reasons.contains(&event.reason.as_str()))
    }
}
