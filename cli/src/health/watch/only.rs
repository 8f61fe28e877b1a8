//! The selection of a single object of a watch.

use std::collections::BTreeSet;

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_proto::health::v1::watch_response::Event;

use super::rows::{Id, id, subject};

/// The only operator or catalog that is watched, and its existence. The object of a handle may
/// change: an operator without a Subscription is identified by its ClusterServiceVersion.
#[derive(Debug)]
pub(super) struct Only {
    subject: ObjectRef,
    /// The handle. None for an object that has only one name.
    handle: Option<Handle>,
    is_there: bool,
    /// True once all current objects have been reported.
    is_synced: bool,
    /// The current objects.
    known: BTreeSet<Id>,
}

// === impl Only ===

impl Only {
    /// Creates the filter for the object that a handle currently selects.
    pub(super) fn new(subject: ObjectRef, handle: Option<Handle>) -> Self {
        Self {
            subject,
            handle,
            is_there: false,
            is_synced: false,
            known: BTreeSet::new(),
        }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.subject.namespace
    }

    /// Applies an event. Returns true if it is about the watched object.
    pub(super) fn take(&mut self, event: &Event) -> bool {
        let about = subject(event);
        match (event, about) {
            (Event::Operator(_) | Event::Catalog(_), Some(about)) => {
                self.known.insert(id(about));
            }
            (Event::Gone(_), Some(about)) => {
                self.known.remove(&id(about));
            }
            (Event::Synced(_), _) => self.is_synced = true,
            (Event::Reset(_), _) => {
                self.is_synced = false;
                self.known.clear();
            }
            (Event::Operator(_) | Event::Catalog(_) | Event::Gone(_) | Event::Heartbeat(_), _) => {}
        }
        self.is_there = self.known.contains(&id(&self.subject));
        about.is_none_or(|about| *about == self.subject)
    }

    /// Returns the handle if the event removed its object, because the handle may now resolve to
    /// another object.
    pub(super) fn lost(&self, event: &Event) -> Option<&Handle> {
        let may_be_another = match event {
            Event::Operator(_) | Event::Gone(_) | Event::Synced(_) => true,
            Event::Catalog(_) | Event::Reset(_) | Event::Heartbeat(_) => false,
        };
        let is_lost = self.is_synced && !self.is_there && may_be_another;
        self.handle.as_ref().filter(|_| is_lost)
    }

    /// Sets the object of the handle. Returns true if the stream already reported this object and
    /// will not report it again.
    pub(super) fn becomes(&mut self, subject: &ObjectRef) -> bool {
        self.subject = subject.clone();
        self.is_there = self.known.contains(&id(subject));
        self.is_there
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::health::v1::Operator;
    use portolan_proto::health::v1::watch_response::{Gone, Reset, Synced};

    use super::*;

    fn object(name: &str) -> ObjectRef {
        ObjectRef {
            kind: "Subscription".to_owned(),
            namespace: "harbor".to_owned(),
            name: name.to_owned(),
        }
    }

    fn there(name: &str) -> Event {
        Event::Operator(Operator {
            subject: Some(object(name)),
            ..Operator::default()
        })
    }

    fn gone(name: &str) -> Event {
        Event::Gone(Gone {
            subject: Some(object(name)),
        })
    }

    /// Returns true twice: if an event is relevant, and if the handle must be resolved again
    /// afterwards.
    fn take(only: &mut Only, event: Event) -> (bool, bool) {
        (only.take(&event), only.lost(&event).is_some())
    }

    #[test]
    fn finds_removed_operator_under_another_name() {
        let handle = Some(Handle::Name("a".to_owned()));
        let mut only = Only::new(object("a"), handle);
        assert_eq!(take(&mut only, there("b")), (false, false));
        assert_eq!(take(&mut only, there("a")), (true, false));
        assert_eq!(take(&mut only, Event::Synced(Synced {})), (true, false));
        assert_eq!(take(&mut only, gone("b")), (false, false));
        assert_eq!(take(&mut only, gone("a")), (true, true));
        assert_eq!(take(&mut only, there("c")), (false, true));
        assert!(
            only.becomes(&object("c")),
            "the object has been reported already"
        );
        assert_eq!(take(&mut only, there("c")), (true, false));
    }

    #[test]
    fn finds_renamed_operator_after_reset_and_sync() {
        let handle = Some(Handle::Name("a".to_owned()));
        let mut only = Only::new(object("a"), handle);
        take(&mut only, there("a"));
        take(&mut only, Event::Synced(Synced {}));
        assert_eq!(take(&mut only, Event::Reset(Reset {})), (true, false));
        assert_eq!(take(&mut only, there("d")), (false, false));
        assert_eq!(take(&mut only, Event::Synced(Synced {})), (true, true));
        assert!(
            !only.becomes(&object("e")),
            "the object has not been reported yet"
        );
        assert_eq!(take(&mut only, there("e")), (true, false));
    }

    #[test]
    fn catalog_has_one_name() {
        let mut only = Only::new(object("a"), None);
        take(&mut only, Event::Synced(Synced {}));
        assert_eq!(take(&mut only, gone("a")), (true, false));
    }
}
