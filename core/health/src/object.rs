//! The objects that facts are about.

use std::fmt;

/// A kind of object, in the order in which people look at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What makes a namespace one that OLM installs operators into.
    OperatorGroup,
    /// The wish for an operator.
    Subscription,
    /// A catalog of OLM.
    CatalogSource,
    /// A step of OLM.
    InstallPlan,
    /// An operator.
    ClusterServiceVersion,
    /// What an operator says of itself.
    OperatorCondition,
    /// A kind that is a custom resource.
    CustomResourceDefinition,
    /// A group of kinds that an API server of its own serves.
    ApiService,
    /// As whom a Pod acts.
    ServiceAccount,
    /// What runs.
    Deployment,
    /// One edition of a Deployment.
    ReplicaSet,
    /// One replica.
    Pod,
    /// Any other, as a requirement may name it.
    Other,
}

/// The names of an object. A kind as a whole has no name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; empty if it has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// An object, and in which state it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Observed {
    /// The object.
    pub object: Object,
    /// Its uid; empty if it is not there.
    pub uid: String,
    /// Its resource version; empty if it is not there.
    pub resource_version: String,
}

// === impl Kind ===

impl Kind {
    /// As Kubernetes writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OperatorGroup => "OperatorGroup",
            Self::Subscription => "Subscription",
            Self::CatalogSource => "CatalogSource",
            Self::InstallPlan => "InstallPlan",
            Self::ClusterServiceVersion => "ClusterServiceVersion",
            Self::OperatorCondition => "OperatorCondition",
            Self::CustomResourceDefinition => "CustomResourceDefinition",
            Self::ApiService => "APIService",
            Self::ServiceAccount => "ServiceAccount",
            Self::Deployment => "Deployment",
            Self::ReplicaSet => "ReplicaSet",
            Self::Pod => "Pod",
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
    /// An object by its names.
    pub fn new(kind: Kind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind,
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// The object as one that is not there.
    pub fn absent(self) -> Observed {
        Observed {
            object: self,
            uid: String::new(),
            resource_version: String::new(),
        }
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
            ("", name) => write!(f, "{kind} {name}"),
            (namespace, name) => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}
