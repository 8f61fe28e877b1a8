//! Everything that a namespace is diagnosed from.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_approval as approval;
use portolan_core_catalog::Catalog;
use portolan_core_forecast as olm_v0;
use portolan_core_graph::Charted;
use portolan_core_health::{self as health, Csv, Item, ObservedObjects, Registry};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};
use portolan_core_olm::{Job, Pod};

/// A namespace, with everything that the diagnosis of its operators needs. The order does not
/// matter, nor do objects that are unrelated to its operators.
#[derive(Debug, Clone)]
pub struct Situation<'a> {
    /// The objects that its operators are judged by.
    pub namespace: health::Namespace,
    /// The namespace as OLM resolves it, or the reason why that is unknown.
    pub resolved: Result<olm_v0::Namespace, String>,
    /// The namespace whose catalogs all namespaces see.
    pub global_namespace: String,
    /// Every CatalogSource that it sees: its own, the global ones, and those that it names.
    pub catalogs: Vec<Offer<'a>>,
    /// The InstallPlans of the namespace, with the policies that apply to them.
    pub approval: approval::Namespace,
    /// Operators of other namespaces, but no copies: those that bring what one here brings, and those
    /// of which a copy is here.
    pub elsewhere: ObservedObjects<Csv>,
    /// The Jobs by which OLM unpacks bundles, as far as they have not succeeded.
    pub unpacks: ObservedObjects<Unpack>,
    /// The known facts about the cluster.
    pub cluster: Cluster,
    /// The answers of catalogs that were asked for bundles.
    pub asked: Asked,
}

/// The least version of Kubernetes of bundles for which their catalogs were asked, if they have one;
/// else why there was no answer.
pub type Asked = BTreeMap<Untold, Result<Option<String>, String>>;

/// A bundle for which a catalog has to be asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Untold {
    /// The CatalogSource, as `namespace/name`.
    pub catalog: CatalogName,
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub bundle: BundleName,
}

/// A CatalogSource, and what is known behind it.
#[derive(Debug, Clone)]
pub struct Offer<'a> {
    /// The object, and the result of probing its registry.
    pub registry: Registry,
    /// The Pod in which OLM runs its registry; two while one takes the place of the other.
    pub pods: ObservedObjects<Item<Pod>>,
    /// The content that it offers.
    pub content: Content<'a>,
}

/// The content that a catalog offers.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// The current content.
    Known(Offered<'a>),
    /// The content when it could be read last. Holds why it cannot be read any more.
    Stale(Offered<'a>, String),
    /// The content is not known. Holds why.
    Unavailable(String),
}

/// A catalog that was read.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// The content of the catalog.
    pub catalog: &'a Catalog,
    /// Its packages with their graphs.
    pub charts: &'a BTreeMap<PackageName, Arc<Charted>>,
    /// True if the catalog returns the displayed details of a bundle only on request for that
    /// bundle.
    pub tells_if_asked: bool,
}

/// A Job by which OLM unpacks a bundle. It is in the namespace of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpack {
    /// The Job.
    pub job: Item<Job>,
    /// Its Pods.
    pub pods: Vec<Item<Pod>>,
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
    /// Its version, if it is known to be one.
    pub(crate) fn version(&self) -> Option<&Version> {
        match self {
            Self::Yes(version) => Some(version),
            Self::Unknown | Self::No => None,
        }
    }
}

// === impl Content ===

impl<'a> Content<'a> {
    /// The content that was read, lately or not; None if it is not known.
    pub(crate) fn offered(&self) -> Option<Offered<'a>> {
        match self {
            Self::Known(offered) | Self::Stale(offered, _) => Some(*offered),
            Self::Unavailable(_) => None,
        }
    }
}
