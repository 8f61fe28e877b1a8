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

/// The input of the diagnosis of one namespace: its objects, and other objects that the diagnosis
/// of its operators needs. The order of the objects has no effect. Objects that are unrelated to
/// the operators have no effect either.
#[derive(Debug, Clone)]
pub struct Situation<'a> {
    /// The objects of the namespace, as input of the health crate.
    pub namespace: health::Namespace,
    /// The objects of the namespace, as input of the forecast crate. If this input is unknown, the
    /// reason.
    pub resolved: Result<olm_v0::Namespace, String>,
    /// The namespace of the global catalogs, which are visible in all namespaces.
    pub global_namespace: String,
    /// The CatalogSources of the namespace, the global CatalogSources, and the CatalogSources that
    /// Subscriptions refer to.
    pub catalogs: Vec<Offer<'a>>,
    /// The InstallPlans of the namespace and the policies that apply to them, as input of the
    /// approval crate.
    pub approval: approval::Namespace,
    /// ClusterServiceVersions in other namespaces that own the same APIs as an operator of this
    /// namespace. Also contains the originals of ClusterServiceVersions that OLM has copied into
    /// this namespace. Contains no copies.
    pub elsewhere: ObservedObjects<Csv>,
    /// The Jobs that unpack bundles for OLM, without the Jobs that have succeeded.
    pub unpacks: ObservedObjects<Unpack>,
    /// Other relevant objects outside of the namespace.
    pub around: Around,
    /// The known facts about the cluster.
    pub cluster: Cluster,
    /// The responses of catalogs to queries about single bundles.
    pub asked: Asked,
}

/// The minimum Kubernetes version of each bundle for which a catalog was queried. The version is
/// None if the bundle has no minimum. An error is the reason why the catalog did not respond.
pub type Asked = BTreeMap<UnqueriedBundle, Result<Option<String>, String>>;

/// A bundle whose details are not known before its catalog is queried.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnqueriedBundle {
    /// The CatalogSource, as `namespace/name`.
    pub catalog: CatalogName,
    /// The package of the bundle.
    pub package: PackageName,
    /// The name of the bundle.
    pub bundle: BundleName,
}

/// A CatalogSource, with its registry, Pods and content.
#[derive(Debug, Clone)]
pub struct Offer<'a> {
    /// The CatalogSource, with the result of a probe of its registry.
    pub registry: Registry,
    /// The Pod that runs the registry. While OLM replaces this Pod, there are two Pods.
    pub pods: ObservedObjects<Item<Pod>>,
    /// The names of the pull secrets that these Pods refer to and that the kubelet cannot read.
    pub missing_secrets: BTreeSet<String>,
    /// The content of the catalog.
    pub content: Content<'a>,
}

/// The content of a catalog, if it is known.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// The content is current.
    Known(Offered<'a>),
    /// The content is outdated, because the catalog cannot be read now. The text contains the
    /// reason.
    Stale(Offered<'a>, String),
    /// The content is unknown. The text contains the reason.
    Unavailable(String),
}

/// The content of a catalog that could be read.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// The packages, channels and bundles.
    pub catalog: &'a Catalog,
    /// The packages with their upgrade graphs.
    pub charts: &'a BTreeMap<PackageName, Arc<Charted>>,
    /// True if the catalog returns the details of a bundle only in response to a query for this
    /// bundle.
    pub tells_if_asked: bool,
}

/// A Job that unpacks a bundle for OLM, in the namespace of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpack {
    /// The Job that unpacks the bundle.
    pub job: Item<Job>,
    /// The Pods of the Job.
    pub pods: Vec<Item<Pod>>,
    /// The last error with which the API server rejected a Pod of the Job. Empty without such an
    /// error.
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
    /// The kind of cluster is unknown.
    #[default]
    Unknown,
    /// The cluster is not OpenShift.
    No,
    /// The cluster is OpenShift of this version.
    Yes(Version),
}

// === impl Openshift ===

impl Openshift {
    /// Returns the OpenShift version. Returns None if the version is unknown, or if the cluster is
    /// not OpenShift.
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
