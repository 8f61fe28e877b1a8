//! The input of a diagnosis.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_approval as approval;
use portolan_core_catalog::Catalog;
use portolan_core_forecast as olm_v0;
use portolan_core_graph::Charted;
use portolan_core_health::{self as health, Csv, Item, ObservedObjects, Registry};
use portolan_core_names::{BundleName, CatalogName, PackageName, Version};
use portolan_core_olm::{Job, Pod};

use crate::Around;

/// A namespace, with everything that the diagnosis of its operators needs. The order does not
/// matter, nor do objects that are unrelated to its operators.
#[derive(Debug, Clone)]
pub struct Situation<'a> {
    /// The objects for judging the health of the operators.
    pub namespace: health::Namespace,
    /// The namespace as OLM resolves it, or the reason why that is unknown.
    pub resolved: Result<olm_v0::Namespace, String>,
    /// The namespace whose catalogs all namespaces see.
    pub global_namespace: String,
    /// Every CatalogSource that the namespace sees: its own, global ones, and those that it names.
    pub catalogs: Vec<Offer<'a>>,
    /// The InstallPlans of the namespace, with the policies that apply to them.
    pub approval: approval::Namespace,
    /// Operators of other namespaces, without copies: those that own what one here owns, and the
    /// originals of copies.
    pub elsewhere: ObservedObjects<Csv>,
    /// The Jobs by which OLM unpacks bundles, without succeeded ones.
    pub unpacks: ObservedObjects<Unpack>,
    /// Other objects outside the namespace.
    pub around: Around,
    /// The known facts about the cluster.
    pub cluster: Cluster,
    /// The answers of catalogs that were queried for bundles.
    pub asked: Asked,
}

/// The minimum Kubernetes version of the bundles that catalogs were queried for, if any; or the
/// reason for a missing answer.
pub type Asked = BTreeMap<UnqueriedBundle, Result<Option<String>, String>>;

/// A bundle that a catalog must be queried for.
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
    /// The Pod in which OLM runs the registry; two during a replacement.
    pub pods: ObservedObjects<Item<Pod>>,
    /// The content that it offers.
    pub content: Content<'a>,
}

/// The content that a catalog offers.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// The current content.
    Known(Offered<'a>),
    /// The last content that could be read. Holds the reason why it is stale.
    Stale(Offered<'a>, String),
    /// The content is unknown. Holds the reason.
    Unavailable(String),
}

/// The content of a readable catalog.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// The content of the catalog.
    pub catalog: &'a Catalog,
    /// The packages with their graphs.
    pub charts: &'a BTreeMap<PackageName, Arc<Charted>>,
    /// True if the catalog returns the displayed details of a bundle only on request for that
    /// bundle.
    pub tells_if_asked: bool,
}

/// A Job by which OLM unpacks a bundle, in the namespace of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpack {
    /// The Job.
    pub job: Item<Job>,
    /// Its Pods.
    pub pods: Vec<Item<Pod>>,
    /// The last refusal of the API server to create a Pod for it; empty if absent.
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
    /// Returns the OpenShift version, if known.
    pub(crate) fn version(&self) -> Option<&Version> {
        match self {
            Self::Yes(version) => Some(version),
            Self::Unknown | Self::No => None,
        }
    }
}

// === impl Content ===

impl<'a> Content<'a> {
    /// Returns the current or stale content; None if it is unknown.
    pub(crate) fn offered(&self) -> Option<Offered<'a>> {
        match self {
            Self::Known(offered) | Self::Stale(offered, _) => Some(*offered),
            Self::Unavailable(_) => None,
        }
    }
}
