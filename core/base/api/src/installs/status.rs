//! The status of an Install.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::schema::{self, items, moment, structural};

// `kubectl explain` prints the comments of these types and fields.

/// The observed state of the Install.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = structural)]
pub struct Status {
    /// The generation of the Install that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The current conditions, one per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
    /// The ServiceAccount that installs the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_ref: Option<AccountRef>,
    /// The resolved content, one item per entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<Resolved>,
    /// The content that waits for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    // After permissions are granted, API servers may still deny requests for a while.
    /// The approval of content that needs further permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approved>,
    /// The InstallPlan that installs the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRef>,
}

/// A ServiceAccount.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(default)]
pub struct AccountRef {
    /// The name of the object.
    pub name: String,
    /// The namespace of the object.
    pub namespace: String,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlanRef {
    /// The name of the object.
    pub name: String,
    /// The namespace of the object.
    pub namespace: String,
}

/// A resolved entry of the content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Resolved {
    /// The type of the entry: ManifestImage or Raw.
    #[serde(rename = "type")]
    pub type_: String,
    /// The bundle image with its digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub manifest_image: String,
    /// The digest of the manifests.
    pub digest: String,
    /// The number of objects.
    #[schemars(range(min = 0))]
    pub objects: i64,
    // None if an earlier version of Portolan read the image, or if the status would become too
    // large.
    /// The bundle in the image, as its ClusterServiceVersion describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<ResolvedBundle>,
}

/// A bundle, as its ClusterServiceVersion describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResolvedBundle {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// The version.
    pub version: String,
    /// The display name of the operator.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    /// The description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The APIs that the bundle provides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provides: Vec<ResolvedApi>,
    /// The APIs that the bundle requires.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<ResolvedApi>,
}

/// An API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResolvedApi {
    /// The API group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The plural name of the kind, in lower case.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub plural: String,
}

/// A pending approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pending {
    /// The digest of the content and its permissions. To approve with spec.approval, also set the
    /// annotation operators.portolan.dev/approves to this digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The permissions that an approval grants to the ServiceAccount.
    pub permissions: Vec<Permission>,
}

/// A permission rule, as in a Role, and its scope.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", default)]
pub struct Permission {
    /// The API groups of the resources.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(transform = items("An API group."))]
    pub api_groups: BTreeSet<String>,
    /// The resources.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(transform = items("A resource."))]
    pub resources: BTreeSet<String>,
    /// The names of the resources. If absent, the rule applies to all names.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(transform = items("The name of a resource."))]
    pub resource_names: BTreeSet<String>,
    /// The non-resource URL paths.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(transform = items("A path."))]
    pub non_resource_urls: BTreeSet<String>,
    /// The allowed verbs.
    #[schemars(transform = items("A verb."))]
    pub verbs: BTreeSet<String>,
    /// The namespaces where the rule applies. If absent, the rule applies to the whole cluster.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(transform = items("The name of a namespace."))]
    pub namespaces: BTreeSet<String>,
    // For example, `User ada` or `ServiceAccount harbor/plum`.
    /// The subjects that get the rule from bindings in the content: users, groups or other
    /// ServiceAccounts. Absent if only the ServiceAccount of the Install gets the rule.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(transform = items("A subject."))]
    pub subjects: BTreeSet<String>,
    // For example, `ClusterRole view`.
    /// The role that grants the rule to the subjects. Absent if the content contains the role.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
}

/// The approval of a generation of an Install.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Approved {
    /// The approved generation.
    pub generation: i64,
    /// The time when the approval was first observed.
    #[schemars(schema_with = "moment")]
    pub since: Time,
}

fn conditions(_: &mut SchemaGenerator) -> Schema {
    schema::finished(schema::conditions("Install"))
}
