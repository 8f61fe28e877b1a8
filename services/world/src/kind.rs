//! The kinds that can be asked for, and how each is watched.

use std::fmt::Debug;

use kube::Resource;
use kube::core::Selector;
use portolan_olm::{
    CatalogSource, ClusterCatalog, ClusterServiceVersion, OperatorGroup, Subscription,
};
use serde::de::DeserializeOwned;

/// A kind of object as it is kept. What its type has no field for never stays in memory.
pub trait Kind: Resource<DynamicType = ()> + DeserializeOwned + Clone + Debug + PartialEq
where
    Self: Send + Sync + 'static,
{
    /// How many objects an answer of the API server holds at most. Small for kinds whose objects
    /// are large before they are cut down.
    const PAGE: u32 = 500;

    /// Whether annotations are kept. Managed fields never are.
    const KEEPS_ANNOTATIONS: bool = false;

    /// Which objects are wanted, by their labels: all of them.
    fn selector() -> Selector {
        Selector::default()
    }
}

impl Kind for CatalogSource {}

impl Kind for ClusterCatalog {}

impl Kind for ClusterServiceVersion {
    const PAGE: u32 = 50;
    /// The properties of its bundle are in one.
    const KEEPS_ANNOTATIONS: bool = true;
}

impl Kind for OperatorGroup {
    /// One says which catalogs are looked at.
    const KEEPS_ANNOTATIONS: bool = true;
}

impl Kind for Subscription {}

/// Drops the metadata that nobody reads, which may well be most of an object.
pub(crate) fn prune<K: Kind>(object: &mut K) {
    let metadata = object.meta_mut();
    metadata.managed_fields = None;
    if !K::KEEPS_ANNOTATIONS {
        metadata.annotations = None;
    }
}
