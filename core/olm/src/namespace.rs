//! `Namespace`: whether it is there, and whether it is on its way out.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// A namespace, of which only the metadata is read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Namespace {
    /// Its name and labels.
    pub metadata: ObjectMeta,
}

resource!(Namespace, "namespaces", "", "v1", ClusterResourceScope);
