//! The kinds in worlds, and how each is watched.

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

/// A kind that the worlds of this crate can watch. Implement it with
/// [`watchable!`](crate::watchable) in the module of the kind. Then the code for watching is
/// compiled once, and not in every crate that uses the kind.
pub trait Watchable: Sized {
    /// Returns the objects of a cluster.
    #[doc(hidden)]
    fn of_cluster(cluster: &Cluster, area: Area) -> Objects<Self>;

    /// Returns the objects of files.
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

/// A kind of objects, in the form that is kept in memory. Fields that the type does not have are
/// never kept.
pub trait Kind:
    Watchable + Resource<DynamicType = ()> + FromJson + Clone + Debug + PartialEq
where
    Self: Send + Sync + 'static,
{
    /// The maximum number of objects in one response of the API server. It is small for kinds whose
    /// objects are large before they are reduced.
    const PAGE: u32 = 500;

    /// True if only metadata is requested, because no other fields of the kind are used.
    const METADATA_ONLY: bool = false;

    /// The field selector of relevant objects, in the syntax of the API server. A kind that
    /// overrides it must also override [`Kind::is_wanted`], with the same meaning.
    const FIELDS: Option<&'static str> = None;

    /// Frees the unused capacity of lists.
    fn shrink(&mut self) {}

    /// Removes the fields of spec and status that only callers with [`Reads::in_full`] read.
    fn trim(&mut self) {}

    /// Returns the label selector of relevant objects. By default, all objects are relevant.
    fn selector() -> Selector {
        Selector::default()
    }

    /// Returns true if [`Kind::FIELDS`] selects the object. Used for files, which have no
    /// selectors.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// Reduces an object as worlds do, and keeps the metadata in `reads`. For callers that create
/// objects without a world. Returns None if the object is not relevant.
pub fn as_kept<K: Kind>(mut object: K, reads: &[Reads]) -> Option<K> {
    let labels = object.meta().labels.clone().unwrap_or_default();
    Projection::default()
        .with(reads)
        .of::<K>()
        .prune(&mut object);
    let is_wanted = K::selector().matches(&labels) && object.is_wanted();
    is_wanted.then_some(object)
}

/// Returns an object of a kind, as kubectl addresses it.
pub fn addressed<K: Kind>(key: &Key) -> AddressedObject {
    AddressedObject {
        kind: Gvk::new(&K::api_version(&()), &K::kind(&())),
        plural: K::plural(&()).into_owned(),
        key: key.clone(),
    }
}

/// Returns the area in the form in which equal areas share a watch.
pub(crate) fn area_of<K: Kind>(area: Area) -> Area {
    if TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>() {
        area
    } else {
        area.without_namespace()
    }
}
