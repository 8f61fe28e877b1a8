//! The events of Installed objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Installed, Operator, Resource, ResourceVersion, Revision};

/// The estimated size of a batch, and of each change in the batch, without the objects to which
/// they refer.
const OWN_BYTES: usize = 256;
/// The maximum number of recent namespace lists with which a new one is compared.
const COMPARED: usize = 64;

/// The events that a change of one list causes. If the batch shares a list of namespace names with
/// another batch, its size does not depend on the number of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The list.
    pub resource: Resource,
    /// The revision of the list after the change.
    pub revision: Revision,
    /// The version of all Installed objects after the batch, and of the bookmark after the events.
    /// The events themselves have the version just before the batch. Therefore a client that has
    /// read only some of the events and resumes from the last one receives all of them again.
    pub version: ResourceVersion,
    /// The version of the events.
    before: Arc<ResourceVersion>,
    changes: Vec<Change>,
    /// The size of the texts to which only this batch refers.
    retired: usize,
}

/// A change that is the same in several namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    was: Option<Form>,
    is: Option<Form>,
    /// The namespaces, in order.
    namespaces: Arc<[Arc<str>]>,
}

/// An Installed without its namespace and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Form {
    name: Arc<str>,
    operator: Arc<Operator>,
    same_name_in: Arc<str>,
}

/// The state before a change, and the state after the change.
type Forms = (Option<Form>, Option<Form>);

/// A key for comparing forms without comparing texts: the address of the operator, and two names.
type FormKey = (*const Operator, Arc<str>, Arc<str>);

/// The change of one Installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A new object.
    Added(Installed),
    /// A changed object.
    Modified {
        /// The previous state, with the version of the change.
        was: Installed,
        /// The new state.
        is: Installed,
    },
    /// A deleted object.
    Deleted(
        /// The last state, with the version of the deletion.
        Installed,
    ),
}

/// The type of an event in a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// The object is new, or newly matches the watch.
    Added,
    /// The object has changed.
    Modified,
    /// The object was deleted, or no longer matches the watch.
    Deleted,
}

// === impl Batch ===

impl Batch {
    /// Creates a batch of events with the version `before`. `retired` is the size of the texts that
    /// only this batch still uses.
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

    /// Returns the events, ordered by namespace and name.
    pub fn events(&self) -> Vec<Event> {
        let all = self.changes.iter().flat_map(|change| {
            let namespaces = change.namespaces.iter();
            namespaces.map(|namespace| change.event(namespace, &self.before))
        });
        in_order(all.collect())
    }

    /// Returns the events in one namespace, ordered by name.
    pub fn in_namespace(&self, namespace: &str) -> Vec<Event> {
        let here = self.changes.iter().filter_map(|change| {
            let by_name = |each: &Arc<str>| (**each).cmp(namespace);
            let place = change.namespaces.binary_search_by(by_name).ok()?;
            Some(change.event(&change.namespaces[place], &self.before))
        });
        in_order(here.collect())
    }

    /// Returns the namespaces with events, possibly with repetitions.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &Arc<str>> {
        self.changes.iter().flat_map(|each| each.namespaces.iter())
    }

    /// Shares lists of namespaces with other batches that have equal ones. Returns the remaining
    /// memory size of the batch.
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

/// Groups events, which are ordered by namespace, by their change.
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
    /// Returns the object: its current state, or its last state if it was deleted.
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

    /// Returns the event for a watch that shows only some objects. If an object no longer matches,
    /// returns a deletion with the last state that matched. Returns None if the watch sends no
    /// event.
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
    /// Returns the type as written in watch frames.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}
