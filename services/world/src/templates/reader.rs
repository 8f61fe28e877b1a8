//! Watches the objects that templates read.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use kube::core::{ApiResource, GroupVersionKind};
use portolan_core_names::Gvk;
use portolan_core_names::object::split_api_version;
use portolan_core_templates::{Answer, Lookup, Objects as Readable};
use serde_json::Value;

use super::denied::denied;
use crate::kind::is_dumped;
use crate::{Area, Ended, RawObjects, RawView, RawWorld, State, Trouble};

/// The watched objects of all lookups in templates.
pub(super) struct Reader<W> {
    world: W,
    open: BTreeMap<Lookup, Opened>,
}

struct Opened {
    kind: ApiResource,
    objects: RawObjects,
    view: RawView,
}

/// The version and the state of the objects of a lookup. None if the objects are not watched.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stamp(Option<(u64, State)>);

// === impl Reader ===

impl<W: RawWorld> Reader<W> {
    pub(super) fn of(world: W) -> Self {
        Self {
            world,
            open: BTreeMap::new(),
        }
    }

    /// Starts to watch the objects of these lookups. Returns true if the objects of a new lookup
    /// are already known.
    pub(super) fn open(&mut self, lookups: &BTreeSet<Lookup>) -> bool {
        let mut is_known = false;
        for lookup in lookups {
            let Some(kind) = kind(lookup).filter(|_| !self.open.contains_key(lookup)) else {
                continue;
            };
            let area = Area::namespace(&lookup.namespace).named(&lookup.name);
            let mut objects = self.world.raw(&kind, area);
            let view = objects.now();
            is_known |= view.state != State::Pending;
            let opened = Opened {
                kind,
                objects,
                view,
            };
            self.open.insert(lookup.clone(), opened);
        }
        is_known
    }

    /// Stops the watches of all lookups except for these lookups.
    pub(super) fn keep(&mut self, lookups: &BTreeSet<Lookup>) {
        self.open.retain(|lookup, _| lookups.contains(lookup));
    }

    /// Returns the reason why the objects of a lookup could not be read. Returns None if the
    /// objects were read.
    pub(super) fn trouble(&self, lookup: &Lookup) -> Option<String> {
        let Opened { kind, view, .. } = self.open.get(lookup)?;
        match &view.state {
            State::Unknown { trouble, .. } => Some(denied(lookup, kind, trouble)),
            State::Pending | State::NotServed | State::Synced | State::Stale { .. } => None,
        }
    }

    pub(super) fn stamp(&self, lookup: &Lookup) -> Stamp {
        let opened = self.open.get(lookup);
        Stamp(opened.map(|it| (it.view.version, it.view.state.clone())))
    }

    /// Waits until an object has changed, and applies all changes.
    ///
    /// # Errors
    /// Returns an error if the objects are no longer watched.
    ///
    /// # Cancel safety
    /// Dropping the future early has no effect.
    pub(super) async fn changed(&mut self) -> Result<(), Ended> {
        let news = self.open.values_mut();
        let mut news: FuturesUnordered<_> = news
            .map(|opened| Box::pin(opened.objects.changed()))
            .collect();
        match news.next().await {
            Some(changed) => changed?,
            None => std::future::pending().await,
        }
        drop(news);
        for opened in self.open.values_mut() {
            opened.view = opened.objects.now();
        }
        Ok(())
    }
}

impl<W: RawWorld> Readable for Reader<W> {
    fn answer(&self, lookup: &Lookup) -> Answer {
        if kind(lookup).is_none() {
            return Answer::NoSuchKind;
        }
        let Some(Opened { kind, view, .. }) = self.open.get(lookup) else {
            return Answer::Unread;
        };
        match &view.state {
            State::Pending => Answer::Unread,
            State::NotServed => Answer::NoSuchKind,
            // The error may end soon, for example if the API server has just become available
            // again.
            State::Unknown { trouble, .. } if trouble.may_pass() => Answer::Unread,
            State::Unknown { trouble, .. } => Answer::NotAllowed(denied(lookup, kind, trouble)),
            // Known objects are not used any more if the user may no longer read them.
            State::Stale {
                trouble: trouble @ Trouble::Forbidden(_),
                ..
            } => Answer::NotAllowed(denied(lookup, kind, trouble)),
            State::Synced | State::Stale { .. } => self.answer(lookup, view),
        }
    }
}

impl<W: RawWorld> Reader<W> {
    fn answer(&self, lookup: &Lookup, view: &RawView) -> Answer {
        let json = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
        if lookup.name.is_empty() {
            let all = view.objects.values();
            return Answer::Objects(all.map(|object| json(&object.json)).collect());
        }
        match view.object(&lookup.namespace, &lookup.name) {
            Some(object) => Answer::Object(json(&object.json)),
            None if self.world.folder().is_some()
                && !is_dumped(&Gvk::new(&lookup.api_version, &lookup.kind)) =>
            {
                let Lookup { kind, .. } = lookup;
                let place = place(lookup);
                Answer::NotAllowed(format!(
                    "{kind} {place} is missing from the files that represent the cluster; add the \
                     object to these files"
                ))
            }
            None => Answer::Absent,
        }
    }
}

/// Formats the namespace and the name in a lookup.
pub(super) fn place(lookup: &Lookup) -> String {
    let Lookup {
        namespace, name, ..
    } = lookup;
    match (namespace.is_empty(), name.is_empty()) {
        (true, _) => name.clone(),
        (false, true) => format!("in {namespace}"),
        (false, false) => format!("{namespace}/{name}"),
    }
}

/// Returns the kind in a lookup. Returns None if the name of the kind is invalid in an API server.
/// The name is used in paths. The check also ensures that Secrets are recognized, because their
/// content is confidential.
fn kind(lookup: &Lookup) -> Option<ApiResource> {
    let Lookup {
        api_version,
        kind,
        namespace,
        name,
    } = lookup;
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_name = |text: &str| {
        let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        text.bytes().all(is_of_names) && !text.contains("..")
    };
    let (group, version) = split_api_version(api_version);
    let is_named = kind.starts_with(|first: char| first.is_ascii_uppercase())
        && is_word(kind)
        && is_word(version)
        && [group, namespace, name].into_iter().all(is_name);
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    let is_secret = resource.plural == "secrets";
    (is_named && (!is_secret || kind == "Secret")).then_some(resource)
}
