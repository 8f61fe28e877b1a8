//! The status of an Install.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde::{Deserialize, Serialize};

/// The status of an Install.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The generation of the Install that all this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One of each type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// As whom the content is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_ref: Option<AccountRef>,
    /// The content as it was read, entry by entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<Resolved>,
    /// The pending approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// Since when it is approved while permissions are still lacking: what was given a moment ago may not
    /// be known everywhere yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approved>,
    /// The InstallPlan by which the content is installed.
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

/// An entry of the content, as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resolved {
    #[serde(rename = "type")]
    pub type_: String,
    /// The image with its digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub manifest_image: String,
    /// Of its manifests, such as `sha256:0b5e…`.
    pub digest: String,
    /// The number of its objects.
    pub objects: i64,
}

/// A pending approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// The digest of the content and the permissions, such as `sha256:0b5e…`. An approval names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The permissions that an approval gives to the ServiceAccount.
    pub permissions: Vec<Permission>,
}

/// A rule, the namespaces in which it is to hold, and the subjects to which the content passes it on.
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
    /// The subjects to which bindings among the content give it, such as `User ada` or `ServiceAccount harbor/plum`.
    /// Empty if only the ServiceAccount of the Install gets it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub subjects: BTreeSet<String>,
    /// The role by which the subjects get it, such as `ClusterRole view`, if the content does not contain that role.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
}

/// Since when an Install is approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The generation that is approved.
    pub generation: i64,
    pub since: Time,
}
