//! Events about changed Installed objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Installed, Operator, Resource, ResourceVersion, Revision};

/// The estimated size in bytes of a batch, and of each change in it, without the objects to which
/// they refer.
const OWN_BYTES: usize = 256;
/// The maximum number of lists of namespaces in recent batches with which a new list is compared.
const COMPARED: usize = 64;

/// The events that a change of one source list causes. Batches with equal lists of namespaces share
/// one list in memory. So the size of such a batch does not depend on the number of namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The source list that changed.
    pub resource: Resource,
    /// The revision of the source list after the change.
    pub revision: Revision,
    /// The version of all Installed objects after the events. The bookmark after the events has
    /// this version.
    ///
    /// The events have the version just before the batch. If a client reads only some of the events
    /// and resumes the watch from the last event, it receives all events of the batch again.
    pub version: ResourceVersion,
    /// The version of the events, just before the batch.
    before: Arc<ResourceVersion>,
    changes: Vec<Change>,
    /// The size in bytes of the texts that only this batch still uses.
    retired: usize,
}

/// A change that is the same in several namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    was: Option<Form>,
    is: Option<Form>,
    /// The namespaces, sorted.
    namespaces: Arc<[Arc<str>]>,
}

/// An Installed without its namespace and version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Form {
    name: Arc<str>,
    operator: Arc<Operator>,
    same_name_in: Arc<str>,
}

/// An Installed before and after a change. None if it does not exist.
type Forms = (Option<Form>, Option<Form>);

/// A key with which two forms can be compared without comparing their texts: the address of the
/// operator, and two names.
type FormKey = (*const Operator, Arc<str>, Arc<str>);

/// The change of a single Installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A new object.
    Added(Installed),
    /// A changed object.
    Modified {
        /// The Installed before the change, with the version of the change.
        was: Installed,
        /// The Installed after the change.
        is: Installed,
    },
    /// A deleted object.
    Deleted(
        /// The Installed before the deletion, with the version of the deletion.
        Installed,
    ),
}

/// The type of an event in a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// The object is new, or it did not match the watch before.
    Added,
    /// The object has changed.
    Modified,
    /// The object was deleted, or it no longer matches the watch.
    Deleted,
}

// === impl Batch ===

impl Batch {
    /// Creates a batch. Its events have the version `before`. `retired` is the size of the texts
    /// that only this batch still uses.
    pub(crate) fn of(
        (resource, revision): (Resource, Revision),
        version: ResourceVersion,
        before: Arc<ResourceVersion>,
        (events, retired): (Vec<Event>, usize),
    ) -> Self {
        Self {
            resource,
            revision,
            version,
            before,
            changes: grouped(events),
            retired,
        }
    }

    /// Returns true if the batch has no events.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the events, sorted by namespace and name.
    pub fn events(&self) -> Vec<Event> {
        let all = self.changes.iter().flat_map(|change| {
            let namespaces = change.namespaces.iter();
            namespaces.map(|namespace| change.event(namespace, &self.before))
        });
        in_order(all.collect())
    }

    /// Returns the events in one namespace, sorted by name.
    pub fn in_namespace(&self, namespace: &str) -> Vec<Event> {
        let here = self.changes.iter().filter_map(|change| {
            let by_name = |each: &Arc<str>| (**each).cmp(namespace);
            let place = change.namespaces.binary_search_by(by_name).ok()?;
            Some(change.event(&change.namespaces[place], &self.before))
        });
        in_order(here.collect())
    }

    /// Returns the namespaces with events. A namespace may occur several times.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &Arc<str>> {
        self.changes.iter().flat_map(|each| each.namespaces.iter())
    }

    /// Replaces lists of namespaces by equal lists of other batches, to share memory. Returns the
    /// size in bytes of the memory that only this batch uses.
    pub(crate) fn share<'a>(
        &mut self,
        others: impl Iterator<Item = &'a Arc<Self>> + Clone,
    ) -> usize {
        let mut bytes = OWN_BYTES + self.retired;
        for Change { namespaces, .. } in &mut self.changes {
            let known = others.clone().flat_map(|other| &other.changes);
            let mut known = known.map(|change| &change.namespaces).take(COMPARED);
            bytes += OWN_BYTES;
            match known.find(|known| *known == namespaces) {
                Some(known) => *namespaces = Arc::clone(known),
                None => bytes += size_of_val(&**namespaces),
            }
        }
        bytes
    }
}

/// Groups events by their change, so that each change lists its namespaces. The events must be
/// sorted by namespace.
fn grouped(events: Vec<Event>) -> Vec<Change> {
    let mut places = BTreeMap::new();
    let mut groups: Vec<(Forms, Vec<Arc<str>>)> = Vec::new();
    for event in events {
        let namespace = event.object().namespace.clone();
        let forms = event.forms();
        let key = (
            forms.0.as_ref().map(Form::key),
            forms.1.as_ref().map(Form::key),
        );
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((forms, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(namespace);
    }
    let changes = groups.into_iter().map(|((was, is), namespaces)| Change {
        was,
        is,
        namespaces: namespaces.into(),
    });
    changes.collect()
}

fn in_order(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by(|one, other| {
        let key = |event: &Event| {
            let object = event.object();
            (Arc::clone(&object.namespace), Arc::clone(&object.name))
        };
        key(one).cmp(&key(other))
    });
    events
}

// === impl Change ===

impl Change {
    fn event(&self, namespace: &Arc<str>, version: &Arc<ResourceVersion>) -> Event {
        let installed = |form: &Form| form.installed(namespace, version);
        match (&self.was, &self.is) {
            (Some(was), Some(is)) => Event::Modified {
                was: installed(was),
                is: installed(is),
            },
            (Some(was), None) => Event::Deleted(installed(was)),
            (None, is) => {
                let is = is.as_ref().map(installed);
                Event::Added(is.expect("a change must have a form"))
            }
        }
    }
}

// === impl Form ===

impl Form {
    fn of(installed: Installed) -> Self {
        let Installed {
            namespace: _,
            name,
            operator,
            same_name_in,
            version: _,
        } = installed;
        Self {
            name,
            operator,
            same_name_in,
        }
    }

    fn key(&self) -> FormKey {
        let Self {
            name,
            operator,
            same_name_in,
        } = self;
        (Arc::as_ptr(operator), name.clone(), same_name_in.clone())
    }

    fn installed(&self, namespace: &Arc<str>, version: &Arc<ResourceVersion>) -> Installed {
        let Self {
            name,
            operator,
            same_name_in,
        } = self.clone();
        Installed {
            namespace: namespace.clone(),
            name,
            operator,
            same_name_in,
            version: version.clone(),
        }
    }
}

// === impl Event ===

impl Event {
    /// Returns the current Installed, or the last state of a deleted Installed.
    pub fn object(&self) -> &Installed {
        match self {
            Self::Added(is) | Self::Modified { is, .. } => is,
            Self::Deleted(was) => was,
        }
    }

    fn forms(self) -> Forms {
        match self {
            Self::Added(is) => (None, Some(Form::of(is))),
            Self::Modified { was, is } => (Some(Form::of(was)), Some(Form::of(is))),
            Self::Deleted(was) => (Some(Form::of(was)), None),
        }
    }

    /// Returns the event for a watch of the objects for which `is_wanted` is true. If an object no
    /// longer matches, returns a deletion with the last state that matched. Returns None if the
    /// watch sends no event.
    pub fn for_watch(
        &self,
        is_wanted: impl Fn(&Installed) -> bool,
    ) -> Option<(EventType, Installed)> {
        match self {
            Self::Added(is) => is_wanted(is).then(|| (EventType::Added, is.clone())),
            Self::Deleted(was) => is_wanted(was).then(|| (EventType::Deleted, was.clone())),
            Self::Modified { was, is } => match (is_wanted(was), is_wanted(is)) {
                (true, true) => Some((EventType::Modified, is.clone())),
                (false, true) => Some((EventType::Added, is.clone())),
                (true, false) => Some((EventType::Deleted, was.clone())),
                (false, false) => None,
            },
        }
    }
}

// === impl EventType ===

impl EventType {
    /// Returns the type as it appears in the frames of a watch.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}
