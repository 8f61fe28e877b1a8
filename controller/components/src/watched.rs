//! The watches of the kinds whose objects may be components.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::core::{ApiResource, GroupVersionKind};
use portolan_core_components::{CustomKind, KINDS};
use portolan_core_names::object::split_api_version;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_runtime::{MetadataChange, MetadataOf, MetadataWatch, MetadataWatches};
use portolan_world::{Area, Key, RawObject, State};

/// A kind whose metadata is watched.
#[derive(Debug, Clone)]
pub(crate) struct WatchedKind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    /// True if the content of the objects is read, because they report a state.
    pub(crate) is_read: bool,
    pub(crate) watch: MetadataWatch,
}

/// The watched kinds: the kinds in a fixed table, and the kinds that the CRDs among the components
/// define.
#[derive(Debug, Clone, Default)]
pub(crate) struct WatchedKinds {
    fixed: Vec<WatchedKind>,
    custom: BTreeMap<CustomKind, WatchedKind>,
}

/// Opens a watch of all objects of a kind with the identity of the process.
pub(crate) fn watch(
    watches: &mut MetadataWatches,
    api_version: &str,
    kind: &str,
    plural: &str,
) -> Option<MetadataWatch> {
    let (group, version) = split_api_version(api_version);
    let gvk = GroupVersionKind::gvk(group, version, kind);
    let of = MetadataOf {
        user: None,
        kind: ApiResource::from_gvk_with_plural(&gvk, plural),
        area: Area::everywhere(),
    };
    // Opening a watch fails only if the name of a user is invalid. The process impersonates no
    // user.
    watches.watch(of).ok()
}

// === impl WatchedKind ===

impl WatchedKind {
    pub(crate) fn id(&self, key: &Key) -> ObjectRef<Gvk> {
        ObjectRef::new(
            Gvk::new(&self.api_version, &self.kind),
            &*key.namespace,
            &key.name,
        )
    }

    /// Returns the current metadata of an object.
    pub(crate) fn object(&self, key: &Key) -> Option<Arc<RawObject>> {
        self.watch.now().objects.get(key).cloned()
    }
}

// === impl WatchedKinds ===

impl WatchedKinds {
    /// Opens the watches of the kinds in the fixed table.
    pub(crate) fn open(watches: &mut MetadataWatches) -> Self {
        let fixed = KINDS.iter().filter_map(|kind| {
            Some(WatchedKind {
                api_version: kind.api_version.to_owned(),
                kind: kind.kind.to_owned(),
                plural: kind.plural.to_owned(),
                is_read: kind.has_conditions,
                watch: watch(watches, kind.api_version, kind.kind, kind.plural)?,
            })
        });
        Self {
            fixed: fixed.collect(),
            custom: BTreeMap::new(),
        }
    }

    /// Watches exactly the kinds that these CRDs define, in addition to the kinds in the fixed
    /// table. Returns the kinds without a watch, and true if a watch was started.
    pub(crate) fn follow(
        &mut self,
        watches: &mut MetadataWatches,
        wanted: &BTreeSet<CustomKind>,
    ) -> (Vec<WatchedKind>, bool) {
        let known: BTreeSet<_> = self.custom.keys().cloned().collect();
        let gone = known.difference(wanted);
        let gone = gone.filter_map(|kind| self.custom.remove(kind)).collect();
        let mut is_new = false;
        for custom in wanted.difference(&known) {
            let api_version = custom.api_version();
            // Some kinds of OLM are also defined by CRDs. The fixed table contains them, so they
            // are already watched.
            let is_fixed = KINDS.iter().any(|it| it.is(&api_version, &custom.kind));
            if is_fixed {
                continue;
            }
            let CustomKind { kind, plural, .. } = custom;
            if let Some(watch) = watch(watches, &api_version, kind, plural) {
                is_new = true;
                let watched = WatchedKind {
                    api_version,
                    kind: kind.clone(),
                    plural: plural.clone(),
                    is_read: false,
                    watch,
                };
                self.custom.insert(custom.clone(), watched);
            }
        }
        (gone, is_new)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &WatchedKind> {
        self.fixed.iter().chain(self.custom.values())
    }

    /// Returns the watched kind to which an object belongs.
    pub(crate) fn of(&self, id: &ObjectRef<Gvk>) -> Option<&WatchedKind> {
        let mut all = self.all();
        all.find(|it| id.kind.is(&it.api_version, &it.kind))
    }

    /// Returns the watched kind to which a change belongs.
    pub(crate) fn watched_by(&self, change: &MetadataChange) -> Option<WatchedKind> {
        let mut all = self.all();
        all.find(|it| *it.watch.of() == change.of).cloned()
    }

    /// Returns the kinds whose watch is denied, with the reasons. A kind that is not served has no
    /// objects and is left out.
    pub(crate) fn unseen(&self) -> BTreeMap<String, String> {
        let unseen = self.all().filter_map(|it| match it.watch.now().state {
            State::Unknown { trouble, .. } | State::Stale { trouble, .. } => {
                Some((it.kind.clone(), trouble.to_string()))
            }
            State::Pending | State::Synced | State::NotServed => None,
        });
        unseen.collect()
    }

    /// Returns true if the API server has responded for each kind in the fixed table.
    pub(crate) fn are_known(&self) -> bool {
        let mut states = self.fixed.iter().map(|it| it.watch.now().state);
        states.all(|state| state != State::Pending)
    }
}
