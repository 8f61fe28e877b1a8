//! The kinds that can be asked for, and how each is watched.

mod table;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use kube::Resource;
use kube::core::Selector;
use serde::de::DeserializeOwned;

use crate::Area;

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

    /// Whether it is kept who wrote which field; of a status, who wrote any of it.
    const KEEPS_MANAGERS: bool = false;

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

/// Drops the metadata that nobody reads, which may well be most of an object.
pub(crate) fn prune<K: Kind>(object: &mut K) {
    let metadata = object.meta_mut();
    metadata.managed_fields = metadata.managed_fields.take().filter(|_| K::KEEPS_MANAGERS);
    for entry in metadata.managed_fields.iter_mut().flatten() {
        entry.fields_v1.take_if(|_| entry.subresource.is_some());
    }
    let is_held = K::KEEPS_FINALIZERS || metadata.deletion_timestamp.is_some();
    metadata.finalizers = metadata.finalizers.take().filter(|_| is_held);
    metadata.owner_references = metadata.owner_references.take().filter(|_| K::KEEPS_OWNERS);
    metadata.annotations = kept(metadata.annotations.take(), K::keeps_annotation);
    metadata.labels = kept(metadata.labels.take(), K::keeps_label);
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
