//! The kinds of objects in worlds, and the way in which each kind is watched.

mod table;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use kube::Resource;
use kube::core::{Selector, SelectorExt as _};
use portolan_core_names::{AddressedObject, Gvk, Key};
use portolan_core_olm::{FromJson, Reads};

use crate::{Area, Cluster, Files, Objects, Projection};

pub(crate) use self::table::{dumped_kinds, is_dumped};

/// A kind that the worlds of this crate can watch. Implement this trait with
/// [`watchable!`](crate::watchable) in the module of the kind. Then the code for watching is
/// compiled only once, and not in every crate that uses the kind.
pub trait Watchable: Sized {
    /// Watches the objects in a cluster.
    #[doc(hidden)]
    fn of_cluster(cluster: &Cluster, area: Area) -> Objects<Self>;

    /// Watches the objects in files.
    #[doc(hidden)]
    fn of_files(files: &Files, area: Area) -> Objects<Self>;
}

/// Implements [`Watchable`] for kinds.
#[macro_export]
macro_rules! watchable {
    ($($kind:ty),+ $(,)?) => {$(
        impl $crate::Watchable for $kind {
            fn of_cluster(cluster: &$crate::Cluster, area: $crate::Area) -> $crate::Objects<Self> {
                cluster.watch(area)
            }

            fn of_files(files: &$crate::Files, area: $crate::Area) -> $crate::Objects<Self> {
                files.watch(area)
            }
        }
    )+};
}

/// A kind of objects. The type defines which fields are kept in memory.
pub trait Kind:
    Watchable + Resource<DynamicType = ()> + FromJson + Clone + Debug + PartialEq
where
    Self: Send + Sync + 'static,
{
    /// The maximum number of objects in one response of the API server. The number is small for
    /// kinds with large objects.
    const PAGE: u32 = 500;

    /// True if only metadata is requested, because no other fields of the kind are used.
    const METADATA_ONLY: bool = false;

    /// The field selector of relevant objects, in the syntax of the API server. A kind that
    /// overrides this selector must also override [`Kind::is_wanted`] with the same condition.
    const FIELDS: Option<&'static str> = None;

    /// Frees the unused capacity of lists.
    fn shrink(&mut self) {}

    /// Removes the fields of spec and status that are kept only for callers with
    /// [`Reads::in_full`].
    fn trim(&mut self) {}

    /// Returns the label selector of relevant objects. By default, all objects are relevant.
    fn selector() -> Selector {
        Selector::default()
    }

    /// Returns true if [`Kind::FIELDS`] selects the object. Used for files, because an API server
    /// applies the field selector itself.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// Reduces an object in the same way as worlds do, and keeps the metadata in `reads`. For callers
/// that have objects without a world. Returns None if the object is not relevant.
pub fn as_kept<K: Kind>(mut object: K, reads: &[Reads]) -> Option<K> {
    let labels = object.meta().labels.clone().unwrap_or_default();
    Projection::default()
        .with(reads)
        .of::<K>()
        .prune(&mut object);
    let is_wanted = K::selector().matches(&labels) && object.is_wanted();
    is_wanted.then_some(object)
}

/// Returns the namespace, name and kind of an object, as kubectl addresses the object.
pub fn addressed<K: Kind>(key: &Key) -> AddressedObject {
    AddressedObject {
        kind: Gvk::new(&K::api_version(&()), &K::kind(&())),
        plural: K::plural(&()).into_owned(),
        key: key.clone(),
    }
}

/// Returns the normalized area. Equal normalized areas share a watch.
pub(crate) fn area_of<K: Kind>(area: Area) -> Area {
    if TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>() {
        area
    } else {
        area.without_namespace()
    }
}
