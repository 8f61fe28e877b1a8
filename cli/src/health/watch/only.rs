//! Filters the events of a watch if the user named a single object.

use std::collections::BTreeSet;

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_proto::health::v1::watch_response::Event;

use super::rows::{Id, id, subject};

/// The only operator or catalog that is shown, and if it exists.
///
/// A handle can select another object later. For example, an operator has no Subscription at first,
/// so its ClusterServiceVersion identifies it.
#[derive(Debug)]
pub(super) struct Only {
    subject: ObjectRef,
    /// The handle that selects the object. None for an object with only one name.
    handle: Option<Handle>,
    is_there: bool,
    /// True after the stream has sent all current objects.
    is_synced: bool,
    /// The objects that currently exist, according to the stream.
    known: BTreeSet<Id>,
}

// === impl Only ===

impl Only {
    /// Creates a filter for the object that the handle currently selects.
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

    /// Updates the filter with an event. Returns true if the event must be shown.
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

    /// Returns the handle if its object does not exist after this event. The handle may now select
    /// another object.
    pub(super) fn lost(&self, event: &Event) -> Option<&Handle> {
        let may_be_another = match event {
            Event::Operator(_) | Event::Gone(_) | Event::Synced(_) => true,
            Event::Catalog(_) | Event::Reset(_) | Event::Heartbeat(_) => false,
        };
        let is_lost = self.is_synced && !self.is_there && may_be_another;
        self.handle.as_ref().filter(|_| is_lost)
    }

    /// Sets the object that the handle selects. Returns true if the stream has already sent the
    /// object and will not send it again.
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

    /// Returns two values: true if the event must be shown, and true if the handle must be resolved
    /// again.
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
    fn removed_catalog_is_never_found_under_another_name() {
        let mut only = Only::new(object("a"), None);
        take(&mut only, Event::Synced(Synced {}));
        assert_eq!(take(&mut only, gone("a")), (true, false));
    }
}
