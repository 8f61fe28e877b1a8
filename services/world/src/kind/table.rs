//! What each kind is like.

use kube::core::{Expression, Selector};
use portolan_api::{
    CLUSTER_NAME, CLUSTER_NAMESPACE, CREATED_BY, DISABLE_TEMPLATES, MANAGED, OperatorPolicy,
};
use portolan_olm::{
    ApiService, CatalogSource, ClusterCatalog, ClusterServiceVersion, CopiedCsv,
    CustomResourceDefinition, Deployment, Event, EventType, InstallPlan, Namespace,
    OperatorCondition, OperatorGroup, Pod, ReplicaSet, Subscription,
};

use crate::Kind;

/// With the namespace of the operator, the label of a copy.
const COPIED_FROM: &str = "olm.copiedFrom";
/// With the name of a ClusterServiceVersion, the label of what it brought.
const OWNER: &str = "olm.owner";
/// Makes OLM look for operators in catalogs of the namespace alone.
const EXCLUDES_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";
/// What the labels begin with by which OLM finds what belongs to an operator.
const COMPONENT: &str = "operators.coreos.com/";

impl Kind for CatalogSource {}

impl Kind for ClusterCatalog {}

/// Copies are a kind of their own: there may be one in every namespace.
impl Kind for ClusterServiceVersion {
    /// With icon, description and examples one may be a megabyte.
    const PAGE: u32 = 20;

    fn selector() -> Selector {
        Expression::DoesNotExist(COPIED_FROM.to_owned()).into()
    }

    fn keeps_annotation(name: &str) -> bool {
        name == "operatorframework.io/properties"
    }

    fn keeps_label(name: &str) -> bool {
        name.starts_with(COMPONENT)
    }
}

impl Kind for CopiedCsv {
    const METADATA_ONLY: bool = true;

    fn selector() -> Selector {
        Expression::Exists(COPIED_FROM.to_owned()).into()
    }

    fn keeps_label(name: &str) -> bool {
        name == COPIED_FROM
    }
}

impl Kind for OperatorGroup {
    const KEEPS_OWNERS: bool = true;
    const KEEPS_MANAGERS: bool = true;

    fn keeps_annotation(name: &str) -> bool {
        [EXCLUDES_GLOBAL, MANAGED, CREATED_BY].contains(&name)
    }
}

impl Kind for Subscription {
    const KEEPS_MANAGERS: bool = true;

    fn keeps_annotation(name: &str) -> bool {
        [MANAGED, CREATED_BY].contains(&name)
    }
}

impl Kind for OperatorCondition {}

impl Kind for InstallPlan {
    /// One carries manifests of up to a megabyte and a half.
    const PAGE: u32 = 5;
}

/// Those of operators.
impl Kind for Deployment {
    fn selector() -> Selector {
        Expression::Exists(OWNER.to_owned()).into()
    }

    fn keeps_label(name: &str) -> bool {
        name.starts_with(OWNER)
    }
}

impl Kind for ReplicaSet {
    const KEEPS_OWNERS: bool = true;

    fn keeps_annotation(name: &str) -> bool {
        name == "deployment.kubernetes.io/revision"
    }

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for Pod {
    const KEEPS_OWNERS: bool = true;

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

/// Warnings.
impl Kind for Event {
    const FIELDS: Option<&'static str> = Some("type=Warning");

    fn is_wanted(&self) -> bool {
        self.r#type == EventType::Warning
    }

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for CustomResourceDefinition {
    /// One with its schemas may be a megabyte.
    const PAGE: u32 = 20;

    fn keeps_label(name: &str) -> bool {
        name.starts_with(COMPONENT)
    }
}

/// Whether they are there.
impl Kind for Namespace {
    const METADATA_ONLY: bool = true;

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for ApiService {
    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for OperatorPolicy {
    const KEEPS_OWNERS: bool = true;
    const KEEPS_FINALIZERS: bool = true;
    const KEEPS_MANAGERS: bool = true;

    fn keeps_annotation(name: &str) -> bool {
        name == DISABLE_TEMPLATES
    }

    fn keeps_label(name: &str) -> bool {
        [CLUSTER_NAME, CLUSTER_NAMESPACE].contains(&name)
    }
}
