//! The input of a diagnosis.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_approval as approval;
use portolan_core_catalog::Catalog;
use portolan_core_forecast as olm_v0;
use portolan_core_graph::Charted;
use portolan_core_health::{self as health, Csv, Item, ObservedObjects, Registry};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};
use portolan_core_olm::{Job, Pod};

use crate::Around;

/// A namespace, with all objects that the diagnosis of its operators needs. The order has no
/// effect. Objects that are unrelated to the operators have no effect either.
#[derive(Debug, Clone)]
pub struct Situation<'a> {
    /// The input of the health crate for the operators.
    pub namespace: health::Namespace,
    /// The namespace as input of OLM's resolution, or the reason why this input is unknown.
    pub resolved: Result<olm_v0::Namespace, String>,
    /// The namespace whose catalogs are visible in all namespaces.
    pub global_namespace: String,
    /// Every CatalogSource that is visible in the namespace: its own catalogs, global catalogs, and
    /// catalogs that Subscriptions refer to.
    pub catalogs: Vec<Offer<'a>>,
    /// The InstallPlans of the namespace, with the policies that apply to them.
    pub approval: approval::Namespace,
    /// ClusterServiceVersions in other namespaces, without copies: those that own the same APIs as
    /// an operator here, and the originals of copies.
    pub elsewhere: ObservedObjects<Csv>,
    /// The Jobs with which OLM unpacks bundles. Succeeded Jobs are omitted.
    pub unpacks: ObservedObjects<Unpack>,
    /// Other relevant objects outside of the namespace.
    pub around: Around,
    /// The known facts about the cluster.
    pub cluster: Cluster,
    /// The responses of catalogs to queries about bundles.
    pub asked: Asked,
}

/// For each bundle for which a catalog was queried, its minimum Kubernetes version. None if there
/// is no minimum. An error contains the reason why the response is missing.
pub type Asked = BTreeMap<UnqueriedBundle, Result<Option<String>, String>>;

/// A bundle for which a catalog must be queried.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnqueriedBundle {
    /// The CatalogSource, as `namespace/name`.
    pub catalog: CatalogName,
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub bundle: BundleName,
}

/// A CatalogSource, with its registry, Pods and content.
#[derive(Debug, Clone)]
pub struct Offer<'a> {
    /// The CatalogSource, with the result of probing its registry.
    pub registry: Registry,
    /// The Pod in which OLM runs the registry. During a replacement, two Pods.
    pub pods: ObservedObjects<Item<Pod>>,
    /// The pull secrets that the kubelet cannot read for these Pods, by name.
    pub missing_secrets: BTreeSet<String>,
    /// The content that it offers.
    pub content: Content<'a>,
}

/// The content that a catalog offers.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// The current content.
    Known(Offered<'a>),
    /// The last content that could be read. Contains the reason why it is stale.
    Stale(Offered<'a>, String),
    /// The content is unknown. Contains the reason.
    Unavailable(String),
}

/// The content of a readable catalog.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// The content of the catalog.
    pub catalog: &'a Catalog,
    /// The packages with their graphs.
    pub charts: &'a BTreeMap<PackageName, Arc<Charted>>,
    /// True if the catalog returns the details of a bundle only in response to a query for this
    /// bundle.
    pub tells_if_asked: bool,
}

/// A Job with which OLM unpacks a bundle, in the namespace of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpack {
    /// The Job.
    pub job: Item<Job>,
    /// Its Pods.
    pub pods: Vec<Item<Pod>>,
    /// The last error with which the API server rejected a Pod of the Job. Empty if there was none.
    pub refusal: String,
}

/// The known facts about the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The version of Kubernetes.
    pub kubernetes: Option<Version>,
    /// The version of OpenShift.
    pub openshift: Openshift,
}

/// The OpenShift version of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Openshift {
    /// Unknown.
    #[default]
    Unknown,
    /// The cluster is not OpenShift.
    No,
    /// OpenShift in this version.
    Yes(Version),
}

// === impl Openshift ===

impl Openshift {
    /// Returns the OpenShift version. Returns None if it is unknown or the cluster is not
    /// OpenShift.
    pub(crate) fn version(&self) -> Option<&Version> {
        match self {
            Self::Yes(version) => Some(version),
            Self::Unknown | Self::No => None,
        }
    }
}

// === impl Content ===

impl<'a> Content<'a> {
    /// Returns the current or stale content. Returns None if the content is unknown.
    pub(crate) fn offered(&self) -> Option<Offered<'a>> {
        match self {
            Self::Known(offered) | Self::Stale(offered, _) => Some(*offered),
            Self::Unavailable(_) => None,
        }
    }
}
