//! Warnings about objects.

use crate::{Object, Observed};

/// A warning about an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// What it is about.
    pub about: Object,
    /// The uid of that; empty if it is not said.
    pub about_uid: String,
    /// In a word, such as `FailedMount`.
    pub reason: String,
    /// For people.
    pub message: String,
    /// When it was last seen (RFC 3339, as it was written), to tell the newest.
    pub last_seen: String,
}

/// What is warned of about one object.
#[derive(Debug)]
pub(crate) struct Warned<'a> {
    events: Vec<&'a Event>,
}

/// All warnings that were looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Events<'a>(pub(crate) &'a [Event]);

// === impl Events ===

impl<'a> Events<'a> {
    /// Those about one object, the newest first. An object of the same name that is gone has
    /// another uid.
    pub(crate) fn about(self, observed: &Observed) -> Warned<'a> {
        let Self(events) = self;
        let mut events: Vec<&Event> = events
            .iter()
            .filter(|event| event.is_about(observed))
            .collect();
        events.sort_by(|a, b| (b.moment(), *b).cmp(&(a.moment(), *a)));
        Warned { events }
    }
}

// === impl Event ===

impl Event {
    fn is_about(&self, observed: &Observed) -> bool {
        let has_uids = !self.about_uid.is_empty() && !observed.uid.is_empty();
        match has_uids {
            true => self.about_uid == observed.uid,
            false => self.about == observed.object,
        }
    }

    /// What orders events by time: without its last letter a second comes before its fractions.
    fn moment(&self) -> &str {
        self.last_seen.trim_end_matches('Z')
    }
}

// === impl Warned ===

impl<'a> Warned<'a> {
    /// The newest with one of these words.
    pub(crate) fn newest(&self, reasons: &[&str]) -> Option<&'a Event> {
        let mut events = self.events.iter().copied();
        events.find(|event| reasons.contains(&event.reason.as_str()))
    }
}
