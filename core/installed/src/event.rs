//! The events of Installed.

use std::sync::Arc;

use crate::{Installed, Resource, ResourceVersion, Revision};

/// All that a change of one list has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The list.
    pub resource: Resource,
    /// The revision that the list has come to.
    pub revision: Revision,
    /// The version that all Installed have come to: what a bookmark behind the events says. The events
    /// themselves say the one just before, so that who has read only some of them, and goes on from
    /// the last, is shown all of them again.
    pub version: ResourceVersion,
    /// The events, in order of namespaces and names.
    pub events: Vec<Event>,
}

/// The change of one Installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was not there before.
    Added(Installed),
    /// It is not as it was.
    Modified {
        /// As it was.
        was: Installed,
        /// As it is.
        is: Installed,
    },
    /// It is no longer there.
    Deleted(
        /// As it was last, with the version of its end.
        Installed,
    ),
}

/// The type of an event in a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// It was not there before, or not among what is watched.
    Added,
    /// It is not as it was.
    Modified,
    /// It is no longer there, or no longer among what is watched.
    Deleted,
}

// === impl Batch ===

impl Batch {
    /// The events of one namespace.
    pub fn in_namespace(&self, namespace: &str) -> &[Event] {
        let of = |event: &Event| event.object().namespace.clone();
        let first = self.events.partition_point(|event| *of(event) < *namespace);
        let rest = &self.events[first..];
        &rest[..rest.partition_point(|event| *of(event) == *namespace)]
    }
}

// === impl Event ===

impl Event {
    /// The object: as it is, or as it was last.
    pub fn object(&self) -> &Installed {
        match self {
            Self::Added(is) | Self::Modified { is, .. } => is,
            Self::Deleted(was) => was,
        }
    }

    /// The name of the object.
    pub fn name(&self) -> &Arc<str> {
        &self.object().name
    }

    /// Returns the event for a watch that shows only some objects: one that is no longer wanted is
    /// gone, in the form that was wanted last. None where the watch has nothing to tell.
    pub fn seen(&self, is_wanted: impl Fn(&Installed) -> bool) -> Option<(EventType, Installed)> {
        match self {
            Self::Added(is) => is_wanted(is).then(|| (EventType::Added, is.clone())),
            Self::Deleted(was) => is_wanted(was).then(|| (EventType::Deleted, was.clone())),
            Self::Modified { was, is } => match (is_wanted(was), is_wanted(is)) {
                (true, true) => Some((EventType::Modified, is.clone())),
                (false, true) => Some((EventType::Added, is.clone())),
                (true, false) => Some((EventType::Deleted, was.at(&is.version))),
                (false, false) => None,
            },
        }
    }
}

// === impl EventType ===

impl EventType {
    /// As frames of a watch have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

// === impl Installed ===

impl Installed {
    /// The same with another version.
    pub(crate) fn at(&self, version: &Arc<ResourceVersion>) -> Self {
        Self {
            version: version.clone(),
            ..self.clone()
        }
    }
}
