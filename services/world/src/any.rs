//! A world whose type, a cluster or files, is chosen at run time.

use std::collections::BTreeMap;
use std::path::Path;

use kube::core::ApiResource;
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::Value;

use crate::registry::Dialer;
use crate::{
    Area, Cluster, Completeness, Files, Kind, ListedKind, Objects, RawObjects, RawWorld, Trouble,
    World,
};

/// A world whose type is chosen at run time: a cluster, or files that describe a cluster.
#[derive(Debug, Clone)]
pub enum AnyWorld {
    /// A cluster.
    Cluster(Cluster),
    /// Files that describe a cluster.
    Files(Files),
}

// === impl AnyWorld ===

impl AnyWorld {
    /// Returns objects of any kind. The objects are complete, as the API server or the files
    /// contain them. Objects that cannot be read are omitted.
    pub async fn written(&self, names: Vec<ObjectRef<Gvk>>) -> BTreeMap<ObjectRef<Gvk>, Value> {
        match self {
            Self::Cluster(cluster) => cluster.written(names).await,
            Self::Files(files) => files.written(names).await,
        }
    }

    /// Returns one object of any kind. Returns None if the object does not exist.
    ///
    /// # Errors
    /// Returns an error if the existence of the object is unknown.
    pub async fn object(&self, named: ObjectRef<Gvk>) -> Result<Option<Value>, Trouble> {
        match self {
            Self::Cluster(cluster) => cluster.object(&named).await,
            Self::Files(files) => files.object(named).await,
        }
    }

    /// Passes the objects of any kind to the caller, complete and as stored, at most 5,000.
    ///
    /// # Errors
    /// Returns an error if the objects cannot be read, or if files contain no such object.
    pub async fn each_listed(
        &self,
        kind: &ListedKind,
        found: &mut (dyn FnMut(&Value) + Send),
    ) -> Result<Completeness, Trouble> {
        match self {
            Self::Cluster(cluster) => cluster.each_listed(kind, found).await,
            Self::Files(files) => files.each_listed(kind, found).await,
        }
    }
}

impl RawWorld for AnyWorld {
    fn raw(&self, kind: &ApiResource, area: Area) -> RawObjects {
        match self {
            Self::Cluster(cluster) => cluster.raw(kind, area),
            Self::Files(files) => files.raw(kind, area),
        }
    }
}

impl World for AnyWorld {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        match self {
            Self::Cluster(cluster) => cluster.objects_in(area),
            Self::Files(files) => files.objects_in(area),
        }
    }

    async fn kubernetes(&self) -> Option<String> {
        match self {
            Self::Cluster(cluster) => cluster.kubernetes().await,
            Self::Files(files) => files.kubernetes().await,
        }
    }

    fn dialer(&self) -> Dialer {
        match self {
            Self::Cluster(cluster) => cluster.dialer(),
            Self::Files(files) => files.dialer(),
        }
    }

    fn folder(&self) -> Option<&Path> {
        match self {
            Self::Cluster(cluster) => cluster.folder(),
            Self::Files(files) => files.folder(),
        }
    }

    fn is_partial(&self) -> bool {
        match self {
            Self::Cluster(cluster) => cluster.is_partial(),
            Self::Files(files) => files.is_partial(),
        }
    }
}
