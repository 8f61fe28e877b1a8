//! The facts about kinds that are known without a cluster: if they are namespaced, and in which
//! stage their objects are applied.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::{Map, Value, json};

use crate::discovery::defined;
use crate::manifest::Member;
use crate::object::text;

/// The default stages of manifests, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MadeStage {
    /// Namespaces and CRDs.
    Definitions,
    /// The objects that workloads need: permissions, settings, storage, and custom resources of
    /// operators that are already installed. These operators may create objects that a workload
    /// mounts.
    Settings,
    Workloads,
    /// The objects that register workloads with the API server, such as webhook configurations and
    /// APIServices.
    Registrations,
    /// The custom resources whose controllers are workloads of the same plan.
    CustomResources,
}

use MadeStage::{Definitions, Registrations, Settings, Workloads};

/// The kinds that every cluster has, by group and stage. The flag is true for namespaced kinds.
const KINDS: &[(&str, MadeStage, bool, &[&str])] = &[
    ("", Definitions, false, &["Namespace"]),
    ("", Settings, false, &["PersistentVolume"]),
    (
        "",
        Settings,
        true,
        &[
            "ConfigMap",
            "LimitRange",
            "PersistentVolumeClaim",
            "PodTemplate",
            "ResourceQuota",
            "Secret",
            "ServiceAccount",
        ],
    ),
    (
        "",
        Workloads,
        true,
        &["Endpoints", "Pod", "ReplicationController", "Service"],
    ),
    (
        "admissionregistration.k8s.io",
        Registrations,
        false,
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    (
        "apiextensions.k8s.io",
        Definitions,
        false,
        &["CustomResourceDefinition"],
    ),
    (
        "apiregistration.k8s.io",
        Registrations,
        false,
        &["APIService"],
    ),
    (
        "apps",
        Workloads,
        true,
        &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
    ),
    ("autoscaling", Workloads, true, &["HorizontalPodAutoscaler"]),
    ("batch", Workloads, true, &["CronJob", "Job"]),
    ("coordination.k8s.io", Settings, true, &["Lease"]),
    ("discovery.k8s.io", Workloads, true, &["EndpointSlice"]),
    (
        "flowcontrol.apiserver.k8s.io",
        Settings,
        false,
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
    ("networking.k8s.io", Settings, false, &["IngressClass"]),
    ("networking.k8s.io", Settings, true, &["NetworkPolicy"]),
    ("networking.k8s.io", Workloads, true, &["Ingress"]),
    ("node.k8s.io", Settings, false, &["RuntimeClass"]),
    ("policy", Workloads, true, &["PodDisruptionBudget"]),
    (
        "rbac.authorization.k8s.io",
        Settings,
        false,
        &["ClusterRole", "ClusterRoleBinding"],
    ),
    (
        "rbac.authorization.k8s.io",
        Settings,
        true,
        &["Role", "RoleBinding"],
    ),
    ("scheduling.k8s.io", Settings, false, &["PriorityClass"]),
    (
        "storage.k8s.io",
        Settings,
        false,
        &["CSIDriver", "StorageClass"],
    ),
];

/// The kinds that the manifests of the plan add to the cluster.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// The kinds that CRDs define. The value is true for namespaced kinds.
    defined: BTreeMap<GroupKind, bool>,
    /// The API groups of APIServices.
    served: BTreeSet<String>,
}

impl MadeStage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Definitions => "definitions",
            Self::Settings => "settings",
            Self::Workloads => "workloads",
            Self::Registrations => "registrations",
            Self::CustomResources => "custom-resources",
        }
    }
}

impl Brought {
    pub(super) fn by(manifests: &[Value]) -> Self {
        let mut brought = Self::default();
        for manifest in manifests {
            let kind = GroupKind::of(manifest);
            if kind.is_definition() {
                let (kind, served) = defined(manifest);
                brought.defined.insert(kind, served.is_namespaced);
            } else if kind.is_api_service() {
                let group = text(manifest, "/spec/group");
                brought.served.insert(group.to_owned());
            }
        }
        brought
    }

    pub(super) fn stage(&self, kind: &GroupKind) -> MadeStage {
        match known(kind) {
            Some((stage, _)) => stage,
            None if self.defined.contains_key(kind) || self.served.contains(&kind.group) => {
                MadeStage::CustomResources
            }
            None => Settings,
        }
    }

    /// Returns true if a kind is namespaced. Returns None if this is unknown.
    fn is_namespaced(&self, kind: &GroupKind) -> Option<bool> {
        let known = known(kind).map(|(_, is_namespaced)| is_namespaced);
        known.or_else(|| self.defined.get(kind).copied())
    }

    /// Returns the manifest. If its kind is namespaced and it has no namespace, adds the namespace
    /// of the plan.
    pub(super) fn placed(&self, manifest: &Value, namespace: Option<&str>) -> Value {
        let mut placed = manifest.clone();
        let is_open = text(manifest, "/metadata/namespace").is_empty()
            && self.is_namespaced(&GroupKind::of(manifest)) == Some(true);
        let metadata = placed.get_mut("metadata").and_then(Value::as_object_mut);
        if let (true, Some(namespace), Some(metadata)) = (is_open, namespace, metadata) {
            metadata.insert("namespace".to_owned(), json!(namespace));
        }
        placed
    }

    /// Returns true if objects of this kind take effect immediately after they are applied.
    pub(super) fn is_setting(&self, kind: &GroupKind) -> bool {
        let known = known(kind).map(|(stage, _)| stage);
        matches!(known, Some(Definitions | Settings))
    }

    /// Returns a sentence about the name of the object if the name is invalid for its kind. Returns
    /// None if the name is valid.
    pub(super) fn misnamed(&self, member: &Member) -> Option<String> {
        let ObjectRef { kind, name, .. } = &member.identity;
        self.is_namespaced(kind)?;
        let is_sound = kind.group == ANY_NAMES || is_subdomain(name);
        (!is_sound).then(|| {
            format!(
                "has an invalid name, {name:?}; use only lower-case letters, digits, hyphens and \
                 dots"
            )
        })
    }

    /// Returns a sentence about the namespace of a member if the namespace is invalid. Returns None
    /// if it is valid or cannot be checked.
    pub(super) fn misplaced(&self, member: &Member) -> Option<String> {
        let identity = &member.identity;
        match (self.is_namespaced(&identity.kind)?, &identity.namespace) {
            (true, None) => Some(
                "has no namespace; set metadata.namespace, or set the namespace of the plan with -n"
                    .to_owned(),
            ),
            (false, Some(_)) => Some(format!(
                "has a namespace, but {} is cluster-scoped; remove metadata.namespace",
                identity.kind
            )),
            (true, Some(_)) | (false, None) => None,
        }
    }
}

/// The API group whose objects may have any path segment as their name.
const ANY_NAMES: &str = "rbac.authorization.k8s.io";

/// Returns true if the text is a subdomain according to RFC 1123. Most names must be subdomains.
fn is_subdomain(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_framed = !label.starts_with('-') && !label.ends_with('-');
        !label.is_empty() && is_framed && label.chars().all(is_inner)
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// Returns a sentence about the first value of a ConfigMap or Secret that is not a string. Returns
/// None if all values are strings.
pub(super) fn no_texts(manifest: &Value) -> Option<String> {
    let kind = GroupKind::of(manifest);
    if !kind.is("", "ConfigMap") && !kind.is("", "Secret") {
        return None;
    }
    let maps = ["data", "binaryData", "stringData"].into_iter();
    let mut values = maps.flat_map(|map| {
        let values = manifest.get(map).and_then(Value::as_object);
        let values = values.into_iter().flat_map(Map::iter);
        values.map(move |(key, value)| (map, key, value))
    });
    let (map, key, _) = values.find(|(_, _, value)| !value.is_string())?;
    Some(format!(
        "has {map}.{key}, which is not a string; put the value in quotes"
    ))
}

/// Returns the stage of a kind that every cluster has, and true if the kind is namespaced. Returns
/// None for other kinds.
fn known(kind: &GroupKind) -> Option<(MadeStage, bool)> {
    let mut kinds = KINDS.iter();
    let found = kinds
        .find(|(group, _, _, names)| kind.group == *group && names.contains(&kind.kind.as_str()));
    found.map(|(_, stage, is_namespaced, _)| (*stage, *is_namespaced))
}

/// Returns the reason why a manifest describes no object that can be applied to a cluster. Returns
/// None for other manifests.
pub(super) fn no_object(manifest: &Value) -> Option<&'static str> {
    let kind = GroupKind::of(manifest);
    (kind.group == "kustomize.config.k8s.io").then_some(
        "the file is a kustomization; build its manifests first: \
         `kustomize build DIR | portolan plan make --name NAME -`",
    )
}
