//! The identity and the scope of the objects of a bundle.

use std::fmt;
use std::sync::Arc;

use portolan_core_names::object::split_api_version;
use portolan_core_names::text::{Instead, harmless};
use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value as Json;

/// An object that a file of the bundle contains.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Object {
    pub(crate) file: Arc<str>,
    pub(crate) line: u64,
    pub(crate) json: Json,
}

/// Formats an object as kubectl does, but with the namespace before the name. Omits well-known
/// groups.
#[derive(Debug, Clone, Copy)]
pub struct Title<'o>(pub &'o ObjectRef);

// === impl Object ===

impl Object {
    pub(crate) fn kind(&self) -> &str {
        text(&self.json["kind"])
    }

    pub(crate) fn group(&self) -> &str {
        group(&self.json)
    }

    pub(crate) fn name(&self) -> &str {
        text(&self.json["metadata"]["name"])
    }
}

// === impl Title ===

impl fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GroupKind { group, kind } = &self.0.kind;
        let (namespace, name) = (self.0.namespace(), &self.0.name);
        // The author of the bundle chose all these texts, so harmful characters are escaped.
        let safe = |text: &str| harmless(text, Instead::Escape);
        f.write_str(&safe(kind))?;
        if !group.is_empty() && !is_known(group) {
            write!(f, ".{}", safe(group))?;
        }
        match namespace {
            "" => write!(f, " {}", safe(name)),
            namespace => write!(f, " {}/{}", safe(namespace), safe(name)),
        }
    }
}

/// Returns a JSON string as text. Returns an empty text for other values.
pub(crate) fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

/// Returns the API group of an object. The group is empty for the core group.
pub(crate) fn group(json: &Json) -> &str {
    split_api_version(text(&json["apiVersion"])).0
}

/// A kind that a bundle may contain in addition to its ClusterServiceVersion and CRDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Supported {
    pub(crate) kind: &'static str,
    pub(crate) group: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) scope: Scope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Cluster,
    Namespaced,
}

const fn supported(
    kind: &'static str,
    group: &'static str,
    plural: &'static str,
    scope: Scope,
) -> Supported {
    Supported {
        kind,
        group,
        plural,
        scope,
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";
const MONITORING: &str = "monitoring.coreos.com";
const CONSOLE: &str = "console.openshift.io";
pub(crate) const APIEXTENSIONS: &str = "apiextensions.k8s.io";

/// The kinds that OLM v1 accepts. OLM v1 compares only the kind. The group in this table is the
/// group that OLM v1 means.
pub(crate) const SUPPORTED: [Supported; 20] = {
    use Scope::{Cluster, Namespaced};
    [
        supported("ClusterRole", RBAC, "clusterroles", Cluster),
        supported("ClusterRoleBinding", RBAC, "clusterrolebindings", Cluster),
        supported("ConfigMap", "", "configmaps", Namespaced),
        supported(
            "ConsoleCLIDownload",
            CONSOLE,
            "consoleclidownloads",
            Cluster,
        ),
        supported("ConsoleLink", CONSOLE, "consolelinks", Cluster),
        supported("ConsolePlugin", CONSOLE, "consoleplugins", Cluster),
        supported("ConsoleQuickStart", CONSOLE, "consolequickstarts", Cluster),
        supported("ConsoleYAMLSample", CONSOLE, "consoleyamlsamples", Cluster),
        supported(
            "NetworkPolicy",
            "networking.k8s.io",
            "networkpolicies",
            Namespaced,
        ),
        supported(
            "PodDisruptionBudget",
            "policy",
            "poddisruptionbudgets",
            Namespaced,
        ),
        supported("PodMonitor", MONITORING, "podmonitors", Namespaced),
        supported(
            "PriorityClass",
            "scheduling.k8s.io",
            "priorityclasses",
            Cluster,
        ),
        supported("PrometheusRule", MONITORING, "prometheusrules", Namespaced),
        supported("Role", RBAC, "roles", Namespaced),
        supported("RoleBinding", RBAC, "rolebindings", Namespaced),
        supported("Secret", "", "secrets", Namespaced),
        supported("Service", "", "services", Namespaced),
        supported("ServiceAccount", "", "serviceaccounts", Namespaced),
        supported("ServiceMonitor", MONITORING, "servicemonitors", Namespaced),
        supported(
            "VerticalPodAutoscaler",
            "autoscaling.k8s.io",
            "verticalpodautoscalers",
            Namespaced,
        ),
    ]
};

/// Returns the supported kind with this name, in any group.
pub(crate) fn supported_kind(kind: &str) -> Option<Supported> {
    SUPPORTED.into_iter().find(|known| known.kind == kind)
}

fn is_known(group: &str) -> bool {
    matches!(
        group,
        "apps" | APIEXTENSIONS | "admissionregistration.k8s.io" | "operators.coreos.com"
    ) || SUPPORTED.iter().any(|known| known.group == group)
}
