//! The kinds and identities of the objects in facts.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use kube_core::Resource;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan as Plan;
use portolan_core_names::text::write_object;
use portolan_core_olm::{
    ApiService, CatalogSource, ClusterExtension, ClusterServiceVersion, CustomResourceDefinition,
    Deployment, Event, InstallPlan, Job, ObjectIdentity, OperatorCondition, OperatorGroup, Pod,
    ReplicaSet, Subscription,
};

/// The kind of an object in a fact. The order is the order in which users inspect objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The object that enables OLM in a namespace, and selects the namespaces that operators watch.
    OperatorGroup,
    /// The request for an operator.
    Subscription,
    /// A catalog of OLM v0.
    CatalogSource,
    /// A set of installation steps that OLM v0 executes.
    InstallPlan,
    /// An operator that OLM v0 installs.
    ClusterServiceVersion,
    /// An Operator of `operators.operatorframework.io`.
    Operator,
    /// An operator that OLM v1 installs.
    ClusterExtension,
    /// An Install of `operators.coreos.com/v2alpha1`.
    Install,
    /// An InstallPlan of `plans.portolan.dev`.
    Plan,
    /// The conditions that an operator reports about itself.
    OperatorCondition,
    /// The definition of a custom resource kind.
    CustomResourceDefinition,
    /// An API group version that a separate API server serves.
    ApiService,
    /// The identity that a Pod uses.
    ServiceAccount,
    /// The workload of an operator.
    Deployment,
    /// A revision of a Deployment.
    ReplicaSet,
    /// One replica of a workload.
    Pod,
    /// Any other kind. A requirement of an operator can name such a kind.
    Other,
}

/// The identity of an object. If the identity stands for a whole kind, the name is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object {
    /// The kind of the object.
    pub kind: Kind,
    /// The namespace of the object. Empty for a cluster-scoped object.
    pub namespace: String,
    /// The name of the object. Empty for a whole kind.
    pub name: String,
}

/// The identity of an object, with the version that was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectVersion {
    /// The kind, namespace and name of the object.
    pub object: Object,
    /// The uid. Empty if the object is missing.
    pub uid: String,
    /// The resource version. Empty if the object is missing.
    pub resource_version: String,
}

/// An object, with the identity that facts use. Clones share the object until one of them changes
/// it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item<K> {
    /// The identity of the object, with the version that was read.
    pub observed: ObjectVersion,
    object: Arc<K>,
}

/// A kind whose objects are judged.
pub trait Judged: Resource + fmt::Debug + PartialEq {
    /// The kind of these objects in facts.
    const KIND: Kind;
}

macro_rules! judged {
    ($($kind:ident as $name:ident,)+) => {
        $(impl Judged for $kind {
            const KIND: Kind = Kind::$name;
        })+
    };
}

judged! {
    ApiService as ApiService,
    CatalogSource as CatalogSource,
    ClusterExtension as ClusterExtension,
    ClusterServiceVersion as ClusterServiceVersion,
    CustomResourceDefinition as CustomResourceDefinition,
    Deployment as Deployment,
    Event as Other,
    Install as Install,
    InstallPlan as InstallPlan,
    Job as Other,
    Operator as Operator,
    OperatorCondition as OperatorCondition,
    OperatorGroup as OperatorGroup,
    Plan as Plan,
    Pod as Pod,
    ReplicaSet as ReplicaSet,
    Subscription as Subscription,
}

// === impl Kind ===

impl Kind {
    /// Returns the kind as Kubernetes writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OperatorGroup => OperatorGroup::KIND,
            Self::Subscription => Subscription::KIND,
            Self::CatalogSource => CatalogSource::KIND,
            Self::InstallPlan => InstallPlan::KIND,
            Self::ClusterServiceVersion => ClusterServiceVersion::KIND,
            Self::Operator => "Operator",
            Self::ClusterExtension => ClusterExtension::KIND,
            Self::Install => "Install",
            Self::Plan => InstallPlan::KIND,
            Self::OperatorCondition => OperatorCondition::KIND,
            Self::CustomResourceDefinition => CustomResourceDefinition::KIND,
            Self::ApiService => ApiService::KIND,
            Self::ServiceAccount => "ServiceAccount",
            Self::Deployment => Deployment::KIND,
            Self::ReplicaSet => ReplicaSet::KIND,
            Self::Pod => Pod::KIND,
            Self::Other => "object",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl Object ===

impl Object {
    /// Returns the identity of an object.
    pub fn new(kind: Kind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind,
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// Returns the version of an object that is missing: without uid and resource version.
    pub fn absent(self) -> ObjectVersion {
        ObjectVersion {
            object: self,
            uid: String::new(),
            resource_version: String::new(),
        }
    }
}

// === impl Item ===

impl<K: Judged> Item<K> {
    /// Returns the name of the object.
    pub fn name(&self) -> &str {
        &self.observed.object.name
    }

    /// Returns the namespace. Empty for a cluster-scoped object.
    pub fn namespace(&self) -> &str {
        &self.observed.object.namespace
    }

    /// Returns true if the object is being deleted.
    pub fn is_deleting(&self) -> bool {
        self.object.meta().deletion_timestamp.is_some()
    }

    /// Returns the newest generation of the object. Returns 0 if the generation is not set.
    pub fn generation(&self) -> i64 {
        self.object.meta().generation.unwrap_or_default()
    }
}

impl<K: Judged> From<Arc<K>> for Item<K> {
    fn from(object: Arc<K>) -> Self {
        let ObjectIdentity {
            namespace,
            name,
            uid,
            resource_version,
        } = object.meta().into();
        let names = Object::new(K::KIND, namespace.unwrap_or_default(), name);
        Self {
            observed: ObjectVersion {
                object: names,
                uid: uid.unwrap_or_default(),
                resource_version: resource_version.unwrap_or_default(),
            },
            object,
        }
    }
}

impl<K> Deref for Item<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.object
    }
}

impl<K: Clone> DerefMut for Item<K> {
    fn deref_mut(&mut self) -> &mut K {
        Arc::make_mut(&mut self.object)
    }
}

impl<K: Judged> Eq for Item<K> {}

/// Sorts objects by namespace and name. No two objects of a cluster have the same namespace and
/// name, so any stable order of such objects is sufficient.
impl<K: Judged> Ord for Item<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_names = self.observed.cmp(&other.observed);
        by_names.then_with(|| {
            if self.object == other.object {
                Ordering::Equal
            } else {
                format!("{:?}", self.object).cmp(&format!("{:?}", other.object))
            }
        })
    }
}

impl<K: Judged> PartialOrd for Item<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        match (namespace.as_str(), name.as_str()) {
            (_, "") => write!(f, "{kind}"),
            (namespace, name) => write_object(f, kind, namespace, name),
        }
    }
}
