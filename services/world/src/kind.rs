//! The kinds that can be asked for, and how each is watched.

mod table;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use kube::Resource;
use kube::core::{Selector, SelectorExt as _};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::Area;

pub(crate) use self::table::all_kinds;

/// A kind of object as it is kept. What its type has no field for never stays in memory.
pub trait Kind: Resource<DynamicType = ()> + DeserializeOwned + Clone + Debug + PartialEq
where
    Self: Send + Sync + 'static,
{
    /// How many objects an answer of the API server holds at most. Small for kinds whose objects
    /// are large before they are cut down.
    const PAGE: u32 = 500;

    /// Whether an API server is asked for no more than metadata, as the kind has nothing else.
    const METADATA_ONLY: bool = false;

    /// Which objects are wanted, by their fields, in the words of an API server. Who overrides it
    /// overrides [`Kind::is_wanted`] with the same meaning.
    const FIELDS: Option<&'static str> = None;

    /// Whether it is kept who made an object.
    const KEEPS_OWNERS: bool = false;

    /// Whether it is kept what holds an object. Of one that is being deleted it always is.
    const KEEPS_FINALIZERS: bool = false;

    /// What is kept of who wrote it.
    const MANAGERS: Managers = Managers::Nobody;

    /// Drops what only those read who write objects themselves. Others hold a world of
    /// [`Cluster::reach`](crate::Cluster::reach).
    fn drop_what_writers_read(&mut self) {
        self.meta_mut().managed_fields = None;
    }

    /// Gives back the room that lists took while they were read, and what nobody reads of an object
    /// that is as this one is.
    fn shrink(&mut self) {}

    /// Which objects are wanted, by their labels: all of them.
    fn selector() -> Selector {
        Selector::default()
    }

    /// Whether the object is one of those that [`Kind::FIELDS`] selects. Files cannot be asked.
    fn is_wanted(&self) -> bool {
        true
    }

    /// Whether an annotation of that name is kept: none is.
    fn keeps_annotation(_name: &str) -> bool {
        false
    }

    /// Whether a label of that name is kept. Objects are selected before.
    fn keeps_label(_name: &str) -> bool {
        true
    }
}

/// What is kept of who wrote an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Managers {
    /// Nothing.
    Nobody,
    /// Who wrote which field of its spec, and who wrote any of its status.
    OfSpec,
    /// Who wrote any of its status.
    OfStatus,
}

/// An object as worlds keep it, for who makes one without a world and shall not know more of it;
/// None if they do not want it.
pub fn as_kept<K: Kind>(mut object: K) -> Option<K> {
    let labels = object.meta().labels.clone().unwrap_or_default();
    prune(&mut object);
    let is_wanted = K::selector().matches(&labels) && object.is_wanted();
    is_wanted.then_some(object)
}

/// Drops the metadata that nobody reads, which may well be most of an object.
pub(crate) fn prune<K: Kind>(object: &mut K) {
    object.shrink();
    let metadata = object.meta_mut();
    let entries = metadata.managed_fields.take();
    metadata.managed_fields = entries.and_then(|entries| K::MANAGERS.kept(entries));
    let is_held = K::KEEPS_FINALIZERS || metadata.deletion_timestamp.is_some();
    metadata.finalizers = metadata.finalizers.take().filter(|_| is_held);
    metadata.owner_references = metadata.owner_references.take().filter(|_| K::KEEPS_OWNERS);
    metadata.annotations = kept(metadata.annotations.take(), K::keeps_annotation);
    metadata.labels = kept(metadata.labels.take(), K::keeps_label);
}

// === impl Managers ===

impl Managers {
    /// Entries say all of it in trees, one branch a field: the largest part of many objects.
    fn kept(self, entries: Vec<ManagedFieldsEntry>) -> Option<Vec<ManagedFieldsEntry>> {
        let entries = entries.into_iter();
        let mut kept: Vec<_> = match self {
            Self::Nobody => return None,
            Self::OfSpec => entries.map(of_spec).collect(),
            Self::OfStatus => {
                let of_status = entries.filter(|entry| entry.subresource.is_some());
                of_status.map(of_spec).collect()
            }
        };
        kept.shrink_to_fit();
        (!kept.is_empty()).then_some(kept)
    }
}

/// An entry with the fields of a spec and no others. A subresource has none. Whether it is an apply
/// tells what a policy wanted, and its time who wrote last.
fn of_spec(entry: ManagedFieldsEntry) -> ManagedFieldsEntry {
    let ManagedFieldsEntry {
        manager,
        operation,
        subresource,
        time,
        fields_v1,
        ..
    } = entry;
    let fields = fields_v1.filter(|_| subresource.is_none());
    let spec = fields.and_then(|FieldsV1(mut fields)| {
        let spec = fields.as_object_mut()?.remove("f:spec")?;
        Some(FieldsV1(json!({"f:spec": spec})))
    });
    ManagedFieldsEntry {
        manager,
        operation,
        subresource,
        time,
        fields_v1: spec,
        ..ManagedFieldsEntry::default()
    }
}

fn kept(
    all: Option<BTreeMap<String, String>>,
    is_kept: impl Fn(&str) -> bool,
) -> Option<BTreeMap<String, String>> {
    let mut all = all?;
    all.retain(|name, _| is_kept(name));
    (!all.is_empty()).then_some(all)
}

/// The area as it is for objects of the kind, so that equal ones share a watch.
pub(crate) fn area_of<K: Kind>(area: Area) -> Area {
    match TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>() {
        true => area,
        false => area.without_namespace(),
    }
}
