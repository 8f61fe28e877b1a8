//! APIs that Kubernetes no longer serves, with the release that removed them.
//!
//! The table follows the deprecation guide of Kubernetes. It contains no custom resources, such as
//! those of `autoscaling.k8s.io`, because their served versions depend on the installed CRDs.

use crate::object::split_api_version;

/// A version of a kind that Kubernetes no longer serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemovedApi {
    /// The minor release of Kubernetes 1 that removed the API, such as 25.
    pub minor: u64,
    pub group: &'static str,
    pub version: &'static str,
    pub kind: &'static str,
}

/// An object or a permission that uses a removed API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemovedApiUse {
    pub api: RemovedApi,
    /// The name of the object. For a permission, the name of the ServiceAccount or role that has
    /// it.
    pub name: String,
}

/// The removed APIs that a bundle uses, ordered by release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemovedApis {
    /// The objects in the bundle that use a removed API. These objects cannot be created in a
    /// release that removed the API.
    pub objects: Vec<RemovedApiUse>,
    /// The permissions on resources that have no other version in their API group.
    pub permissions: Vec<RemovedApiUse>,
}

/// A row of the table: minor release, group, version, kinds.
type Row = (u64, &'static str, &'static str, &'static [&'static str]);

const RBAC: &[&str] = &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const WORKLOADS: &[&str] = &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"];
const FLOWS: &[&str] = &["FlowSchema", "PriorityLevelConfiguration"];
const SCALERS: &[&str] = &["HorizontalPodAutoscaler"];

const TABLE: [Row; 28] = [
    (16, "apps", "v1beta1", WORKLOADS),
    (16, "apps", "v1beta2", WORKLOADS),
    (
        16,
        EXTENSIONS,
        "v1beta1",
        &[
            "DaemonSet",
            "Deployment",
            "NetworkPolicy",
            "PodSecurityPolicy",
            "ReplicaSet",
        ],
    ),
    (
        22,
        "admissionregistration.k8s.io",
        "v1beta1",
        &[
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
        ],
    ),
    (
        22,
        "apiextensions.k8s.io",
        "v1beta1",
        &["CustomResourceDefinition"],
    ),
    (22, "apiregistration.k8s.io", "v1beta1", &["APIService"]),
    (22, "authentication.k8s.io", "v1beta1", &["TokenReview"]),
    (
        22,
        "authorization.k8s.io",
        "v1beta1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    (
        22,
        "certificates.k8s.io",
        "v1beta1",
        &["CertificateSigningRequest"],
    ),
    (22, "coordination.k8s.io", "v1beta1", &["Lease"]),
    (22, EXTENSIONS, "v1beta1", &["Ingress"]),
    (
        22,
        "networking.k8s.io",
        "v1beta1",
        &["Ingress", "IngressClass"],
    ),
    (22, "rbac.authorization.k8s.io", "v1alpha1", RBAC),
    (22, "rbac.authorization.k8s.io", "v1beta1", RBAC),
    (22, "scheduling.k8s.io", "v1alpha1", &["PriorityClass"]),
    (22, "scheduling.k8s.io", "v1beta1", &["PriorityClass"]),
    (
        22,
        "storage.k8s.io",
        "v1beta1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
    ),
    (25, "autoscaling", "v2beta1", SCALERS),
    (25, "batch", "v1beta1", &["CronJob"]),
    (25, "discovery.k8s.io", "v1beta1", &["EndpointSlice"]),
    (25, "events.k8s.io", "v1beta1", &["Event"]),
    (25, "node.k8s.io", "v1beta1", &["RuntimeClass"]),
    (
        25,
        "policy",
        "v1beta1",
        &["PodDisruptionBudget", "PodSecurityPolicy"],
    ),
    (26, "autoscaling", "v2beta2", SCALERS),
    (26, "flowcontrol.apiserver.k8s.io", "v1beta1", FLOWS),
    (27, "storage.k8s.io", "v1beta1", &["CSIStorageCapacity"]),
    (29, "flowcontrol.apiserver.k8s.io", "v1beta2", FLOWS),
    (32, "flowcontrol.apiserver.k8s.io", "v1beta3", FLOWS),
];

/// An API group that no longer exists. All its kinds moved to other groups.
const EXTENSIONS: &str = "extensions";

/// Returns all removed APIs, ordered by release.
pub fn all() -> impl Iterator<Item = RemovedApi> {
    let rows = TABLE.iter();
    rows.flat_map(|(minor, group, version, kinds)| {
        kinds.iter().map(|kind| RemovedApi {
            minor: *minor,
            group,
            version,
            kind,
        })
    })
}

/// Returns the removed API of an object. Returns None if Kubernetes still serves the API, or if the
/// API is unknown.
pub fn of_object(api_version: &str, kind: &str) -> Option<RemovedApi> {
    let (group, version) = split_api_version(api_version);
    all().find(|api| api.group == group && api.version == version && api.kind == kind)
}

/// Returns the removed API to which a rule of a role gives permission. The rule has an API group
/// but no version. So an API counts only if Kubernetes serves no other version of the resource in
/// this group. If several APIs match, returns the API that was removed last.
pub fn of_rule(group: &str, resource: &str) -> Option<RemovedApi> {
    let mut last = None;
    for api in all().filter(|api| api.group == group && !api.is_served_in_another_version()) {
        let is_named = api.resource() == resource;
        // `*` counts only for the group `extensions`, which no longer exists. The group `policy`
        // still exists.
        if is_named || resource == "*" && group == EXTENSIONS {
            last = Some(api);
        }
    }
    last
}

/// Returns true if `name` is the name of an APIRequestCount that counts requests for a removed API.
/// OpenShift has one APIRequestCount for each API.
pub fn is_request_count(name: &str) -> bool {
    all().any(|api| api.request_count() == name)
}

// === impl RemovedApi ===

impl RemovedApi {
    /// Returns the plural name in lower case, such as `networkpolicies`.
    pub fn resource(&self) -> String {
        let kind = self.kind.to_ascii_lowercase();
        if let Some(stem) = kind.strip_suffix('y') {
            format!("{stem}ies")
        } else if kind.ends_with('s') {
            format!("{kind}es")
        } else {
            format!("{kind}s")
        }
    }

    /// Returns the group and version, such as `policy/v1beta1`.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// Returns the name of OpenShift's APIRequestCount that counts requests for this API.
    pub fn request_count(&self) -> String {
        format!("{}.{}.{}", self.resource(), self.version, self.group)
    }

    /// Returns true if Kubernetes serves another version of the kind in the same group.
    fn is_served_in_another_version(&self) -> bool {
        self.group != EXTENSIONS && self.kind != "PodSecurityPolicy"
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::budget("policy/v1beta1", "PodDisruptionBudget", Some(25))]
    #[case::crd("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", Some(22))]
    #[case::deployment("extensions/v1beta1", "Deployment", Some(16))]
    #[case::ingress("extensions/v1beta1", "Ingress", Some(22))]
    #[case::scaler("autoscaling/v2beta2", "HorizontalPodAutoscaler", Some(26))]
    #[case::capacity("storage.k8s.io/v1beta1", "CSIStorageCapacity", Some(27))]
    #[case::flow("flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema", Some(29))]
    #[case::last_flow("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", Some(32))]
    #[case::served("policy/v1", "PodDisruptionBudget", None)]
    #[case::custom("autoscaling.k8s.io/v1beta1", "VerticalPodAutoscaler", None)]
    #[case::core("v1", "Pod", None)]
    fn returns_release_that_removed_api_of_object(
        #[case] api_version: &str,
        #[case] kind: &str,
        #[case] expected: Option<u64>,
    ) {
        assert_eq!(of_object(api_version, kind).map(|api| api.minor), expected);
    }

    #[rstest]
    #[case::security_policy("policy", "podsecuritypolicies", Some(25))]
    #[case::budget("policy", "poddisruptionbudgets", None)]
    #[case::all_of_a_served_group("policy", "*", None)]
    #[case::moved("extensions", "deployments", Some(16))]
    #[case::all_of_a_removed_group("extensions", "*", Some(22))]
    #[case::everything("*", "*", None)]
    fn returns_release_that_removed_resource_of_rule(
        #[case] group: &str,
        #[case] resource: &str,
        #[case] expected: Option<u64>,
    ) {
        assert_eq!(of_rule(group, resource).map(|api| api.minor), expected);
    }

    #[test]
    fn resources_have_the_plurals_of_kubernetes() {
        let plural = |kind| {
            let mut found = all().filter(|api| api.kind == kind);
            found.next().map(|api| api.resource()).unwrap_or_default()
        };
        let kinds = ["NetworkPolicy", "StorageClass", "CronJob", "Ingress"];
        assert_eq!(
            kinds.map(plural),
            ["networkpolicies", "storageclasses", "cronjobs", "ingresses"]
        );
    }

    #[rstest]
    #[case::removed("podsecuritypolicies.v1beta1.policy", true)]
    #[case::served("poddisruptionbudgets.v1.policy", false)]
    #[case::core("pods.v1", false)]
    fn detects_request_count_of_a_removed_api(#[case] name: &str, #[case] expected: bool) {
        assert_eq!(is_request_count(name), expected);
    }

    #[test]
    fn table_is_ordered_by_release_and_has_no_row_twice() {
        let all: Vec<_> = all().collect();
        let mut sorted = all.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(all.len(), sorted.len());
        assert!(all.is_sorted_by_key(|api| api.minor));
    }
}
