//! The kinds whose objects can be components.

/// A kind whose objects can be components. It exists in every cluster with OLM.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentKind {
    /// The group and version.
    pub api_version: &'static str,
    pub kind: &'static str,
    /// The plural name of the kind, as in paths.
    pub plural: &'static str,
    /// True if the Operator's status lists the conditions of these objects. In this case, the
    /// controller reads the whole objects.
    pub has_conditions: bool,
    /// True if OLM (v0.46) labels the objects of this kind that it installs.
    pub is_adopted: bool,
}

const fn kind(
    api_version: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> ComponentKind {
    ComponentKind {
        api_version,
        kind,
        plural,
        has_conditions: false,
        is_adopted: false,
    }
}

impl ComponentKind {
    const fn with_conditions(self) -> Self {
        Self {
            has_conditions: true,
            ..self
        }
    }

    const fn adopted(self) -> Self {
        Self {
            is_adopted: true,
            ..self
        }
    }

    /// Returns the kind with this name, in any version.
    pub fn named(kind: &str) -> Option<&'static Self> {
        KINDS.iter().find(|it| it.kind == kind)
    }

    /// Returns true if the API version and the kind name belong to this kind.
    pub fn is(&self, api_version: &str, kind: &str) -> bool {
        self.api_version == api_version && self.kind == kind
    }
}

const ADMISSION: &str = "admissionregistration.k8s.io/v1";
const RBAC: &str = "rbac.authorization.k8s.io/v1";
const OLM: &str = "operators.coreos.com/v1alpha1";

/// The built-in kinds. CustomResourceDefinitions among the components add more kinds.
pub const KINDS: &[ComponentKind] = &[
    kind(OLM, "Subscription", "subscriptions")
        .with_conditions()
        .adopted(),
    kind(OLM, "InstallPlan", "installplans")
        .with_conditions()
        .adopted(),
    kind(OLM, "ClusterServiceVersion", "clusterserviceversions")
        .with_conditions()
        .adopted(),
    kind("operators.coreos.com/v2alpha1", "Install", "installs").with_conditions(),
    kind(OLM, "CatalogSource", "catalogsources"),
    kind("operators.coreos.com/v1", "OperatorGroup", "operatorgroups"),
    kind(
        "operators.coreos.com/v2",
        "OperatorCondition",
        "operatorconditions",
    )
    .adopted(),
    kind(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
    )
    .with_conditions()
    .adopted(),
    kind("apiregistration.k8s.io/v1", "APIService", "apiservices")
        .with_conditions()
        .adopted(),
    kind("apps/v1", "Deployment", "deployments")
        .with_conditions()
        .adopted(),
    kind("apps/v1", "ReplicaSet", "replicasets").with_conditions(),
    kind("v1", "Pod", "pods").with_conditions(),
    kind("v1", "Namespace", "namespaces").adopted(),
    kind("v1", "Service", "services").adopted(),
    kind("v1", "ServiceAccount", "serviceaccounts").adopted(),
    kind("v1", "Secret", "secrets").adopted(),
    kind("v1", "ConfigMap", "configmaps").adopted(),
    kind(RBAC, "Role", "roles").adopted(),
    kind(RBAC, "RoleBinding", "rolebindings").adopted(),
    kind(RBAC, "ClusterRole", "clusterroles").adopted(),
    kind(RBAC, "ClusterRoleBinding", "clusterrolebindings").adopted(),
    kind(
        ADMISSION,
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
    ),
    kind(
        ADMISSION,
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
    ),
];

/// The kind that a CustomResourceDefinition among the components defines. The controller watches it
/// in the stored version if that version is served.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CustomKind {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub plural: String,
}

impl CustomKind {
    /// Returns the kind that a CustomResourceDefinition defines. Returns None if no version is
    /// served.
    pub fn of(crd: &serde_json::Value) -> Option<Self> {
        let spec = &crd["spec"];
        let versions = spec["versions"].as_array()?;
        let served = || versions.iter().filter(|it| it["served"] == true);
        let version = served().find(|it| it["storage"] == true);
        let version = version.or_else(|| served().next())?;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        Some(Self {
            group: text(&spec["group"])?,
            version: text(&version["name"])?,
            kind: text(&spec["names"]["kind"])?,
            plural: text(&spec["names"]["plural"])?,
        })
    }

    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }
}
