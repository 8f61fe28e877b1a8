//! The status of an Install.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde::{Deserialize, Serialize};

/// The status of an Install.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The generation of the Install that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The ServiceAccount that installs the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_ref: Option<AccountRef>,
    /// The resolved content, one item per entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<Resolved>,
    /// The pending approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// The approval of content whose permissions are still missing. API servers may learn of
    /// granted permissions with a delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approved>,
    /// The InstallPlan that installs the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRef>,
}

/// A ServiceAccount.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountRef {
    pub name: String,
    pub namespace: String,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanRef {
    pub name: String,
    pub namespace: String,
}

/// A resolved entry of the content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resolved {
    #[serde(rename = "type")]
    pub type_: String,
    /// The image with its digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub manifest_image: String,
    /// The digest of the manifests, such as `sha256:0b5e…`.
    pub digest: String,
    /// The number of its objects.
    pub objects: i64,
    /// The bundle in the image; None if an earlier version read the image, or if there is no room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<ResolvedBundle>,
}

/// A bundle, as its ClusterServiceVersion describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResolvedBundle {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    pub version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provides: Vec<ResolvedApi>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<ResolvedApi>,
}

/// An API that a bundle provides or requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedApi {
    pub group: String,
    pub version: String,
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub plural: String,
}

/// A pending approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// The digest of the content and the permissions, such as `sha256:0b5e…`. An approval names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The permissions that an approval grants to the ServiceAccount.
    pub permissions: Vec<Permission>,
}

/// A permission rule, its namespaces, and the subjects that bindings in the content give it to.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Permission {
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub api_groups: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub resources: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub resource_names: BTreeSet<String>,
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "BTreeSet::is_empty")]
    pub non_resource_urls: BTreeSet<String>,
    pub verbs: BTreeSet<String>,
    /// Empty for the whole cluster.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub namespaces: BTreeSet<String>,
    /// The subjects that bindings in the content give the rule to, such as `User ada` or
    /// `ServiceAccount harbor/plum`. Empty if only the ServiceAccount of the Install gets the rule.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub subjects: BTreeSet<String>,
    /// The role that gives the rule to the subjects, such as `ClusterRole view`. Empty if the
    /// content contains the role.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
}

/// The approval of a generation of an Install.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The approved generation.
    pub generation: i64,
    pub since: Time,
}
