//! The kinds that can be asked for, and how each is watched.

mod table;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use kube::Resource;
use kube::core::{Selector, SelectorExt as _};
use portolan_core_olm::{FromJson, Reads};

use crate::{Area, Cluster, Files, Objects, Projection};

pub(crate) use self::table::{dumped_kinds, is_dumped};

/// A kind that the worlds of this crate can watch. Implemented with
/// [`watchable!`](crate::watchable), beside the kind: the code for it is compiled once, and not in
/// every crate that asks for such objects.
pub trait Watchable: Sized {
    /// The objects of a cluster.
    #[doc(hidden)]
    fn of_cluster(cluster: &Cluster, area: Area) -> Objects<Self>;

    /// The objects of files.
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

/// A kind of object as it is kept. What its type has no field for never stays in memory.
pub trait Kind:
    Watchable + Resource<DynamicType = ()> + FromJson + Clone + Debug + PartialEq
where
    Self: Send + Sync + 'static,
{
    /// The maximum number of objects in an answer of the API server. Small for kinds whose objects
    /// are large before they are cut down.
    const PAGE: u32 = 500;

    /// Whether an API server is asked for no more than metadata, as the kind has nothing else.
    const METADATA_ONLY: bool = false;

    /// The field selector of the objects that are wanted, as API servers read it. A kind that
    /// overrides it overrides [`Kind::is_wanted`] with the same meaning.
    const FIELDS: Option<&'static str> = None;

    /// Gives back the room that lists took while they were read.
    fn shrink(&mut self) {}

    /// Drops of spec and status what only those read who name it with [`Reads::in_full`].
    fn trim(&mut self) {}

    /// Returns the label selector of the objects that are wanted: by default all of them.
    fn selector() -> Selector {
        Selector::default()
    }

    /// Whether the object is one of those that [`Kind::FIELDS`] selects. Files cannot be asked.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// An object as worlds keep it for those who read `reads` beside what all read, for who makes one
/// without a world and shall not know more of it; None if they do not want it.
pub fn as_kept<K: Kind>(mut object: K, reads: &[Reads]) -> Option<K> {
    let labels = object.meta().labels.clone().unwrap_or_default();
    Projection::default()
        .with(reads)
        .of::<K>()
        .prune(&mut object);
    let is_wanted = K::selector().matches(&labels) && object.is_wanted();
    is_wanted.then_some(object)
}

/// The area as it is for objects of the kind, so that equal ones share a watch.
pub(crate) fn area_of<K: Kind>(area: Area) -> Area {
    if TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>() {
        area
    } else {
        area.without_namespace()
    }
}
