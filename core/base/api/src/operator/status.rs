//! The status of an Operator.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::ConditionType;
use crate::schema::{self, any_object, items, structural};
use crate::status::find;

// `kubectl explain` prints the comments of these types and fields.

/// The observed state of the Operator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = structural)]
pub struct Status {
    /// The generation of the Operator that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The current conditions, one per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
    pub versions: Versions,
    /// The installed bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<BundleStatus>,
    /// The dependencies of the installed bundle, and of the bundle that the Operator should
    /// install.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyStatus>,
    /// The installed operators that require this operator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<UserStatus>,
    /// The version that was reverted because it failed to become ready. This version is not
    /// installed again until the spec of the Operator or the bundle changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted: Option<RevertedStatus>,
    /// The adoption of an OLM v0 installation, and its progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adoption: Option<AdoptionStatus>,
    /// The unsafe changes of CRDs that a user must accept before the next version is installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsafe_changes: Vec<CrdChange>,
    /// The command that solves the problem in the Installing condition. Absent if no single command
    /// solves the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// The remaining upgrade steps, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<HopStatus>,
    /// The InstallPlan of the installed version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRef>,
}

/// Versions of the operator, the controller and the resolver.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Versions {
    /// The installed version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// The version that the operator is being upgraded to, or the installed version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The versions of the package that are higher than the installed version, the highest first. A
    /// listed version may be unreachable: an upgrade path to it may not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A version."))]
    pub available: Vec<String>,
    /// The available versions whose bundles are deprecated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A version."))]
    pub deprecated: Vec<String>,
    /// The version of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The version of the resolver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolver: Option<String>,
}

/// A bundle and its catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BundleStatus {
    /// The name of the bundle.
    pub name: String,
    /// The image of the bundle, with its digest. Absent if the catalog contains the manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// The catalog that contains the bundle.
    pub catalog: String,
}

/// A required package or API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DependencyStatus {
    /// The dependency: the name of a required package, a required API, or the message of a compound
    /// constraint.
    pub name: String,
    // Empty if an older version of Portolan wrote the status.
    /// The bundle that has the dependency.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bundle: String,
    /// The lowest version that satisfies the dependency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_version: Option<String>,
    /// The version range that satisfies the dependency, as written by the author of the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The compound constraint, as JSON. Empty if the constraint is too long. Also empty in the
    /// entry that reports the number of dependencies that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// True if the dependency is installed. Absent for a compound constraint, because only the
    /// resolver evaluates compound constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub satisfied: Option<bool>,
    /// The installed version of the dependency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// True if the Operator that provides the dependency is being deleted. Such an Operator
    /// satisfies the dependency only if this Operator already uses it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminating: bool,
}

/// An unsafe change of a CRD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CrdChange {
    /// The name of the CRD.
    pub crd: String,
    /// The version of the CRD. Empty if the change affects the whole CRD.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The path of the property in the schema. Empty if the change affects the whole version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The name of the check that rejects the change, as in OLM v1.
    pub check: String,
    /// The old type of the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_type: Option<String>,
    /// The new type of the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_type: Option<String>,
    /// A human-readable description of the change.
    pub message: String,
}

/// Formats the change as `CRD: VERSION: PATH: CHECK: MESSAGE (TYPE)`.
impl fmt::Display for CrdChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            crd,
            version,
            path,
            check,
            old_type,
            new_type,
            message,
        } = self;
        for part in [crd, version, path].into_iter().filter(|it| !it.is_empty()) {
            write!(f, "{part}: ")?;
        }
        write!(f, "{check}: {message}")?;
        match (old_type, new_type) {
            (Some(old), Some(new)) if old == new => write!(f, " (type {old})"),
            (Some(old), Some(new)) => write!(f, " (type {old} -> {new})"),
            (Some(old), None) => write!(f, " (type {old} -> none)"),
            (None, Some(new)) => write!(f, " (type none -> {new})"),
            (None, None) => Ok(()),
        }
    }
}

/// A command that resolves a condition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Remedy {
    /// The message of the condition, without the command.
    pub message: String,
    /// The command.
    pub command: String,
}

/// An operator that requires this operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UserStatus {
    /// The name of the Operator.
    pub name: String,
    /// The version of the Operator that requires this operator.
    pub version: String,
    /// True if the Operator is being deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminating: bool,
    /// True if this Operator also requires the listed Operator, directly or through other
    /// Operators. If true, the two Operators can be deleted together.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mutual: bool,
}

/// An upgrade step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HopStatus {
    /// The name of the bundle.
    pub bundle: String,
    /// The version of the bundle.
    pub version: String,
    /// The other packages that are upgraded in the same step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A package."))]
    pub with: Vec<String>,
    /// The requirement that must be met before the step starts, as a human-readable message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// A reverted version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RevertedStatus {
    /// The name of the bundle.
    pub bundle: String,
    /// The image of the bundle, with its digest. Absent if the catalog contains the manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// The generation of the Operator that requested the version.
    pub generation: i64,
    /// A human-readable message about the failure.
    pub message: String,
}

/// The adoption of an OLM v0 installation, and its progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AdoptionStatus {
    /// The namespace of the ClusterServiceVersion and the Subscription.
    pub namespace: String,
    /// The name of the adopted ClusterServiceVersion.
    pub cluster_service_version: String,
    // When the adoption is undone, the Subscription is restored from this field. None if there was
    // no Subscription.
    /// The Subscription before the adoption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<SubscriptionStatus>,
    /// The step of the adoption. Beside: an InstallPlan is applied while OLM still manages the
    /// operator. Leaving: the ClusterServiceVersion and the Subscription are being deleted. This
    /// step cannot be undone. Adopted: the adoption is complete.
    #[schemars(with = "String")]
    pub step: AdoptionStep,
}

/// A Subscription before its adoption.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionStatus {
    /// The name of the Subscription.
    pub name: String,
    /// The spec of the Subscription.
    #[schemars(schema_with = "any_object")]
    pub spec: serde_json::Value,
}

/// The current step of an adoption.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AdoptionStep {
    /// The InstallPlan is applied while OLM still manages the operator. This step can be undone.
    #[default]
    Beside,
    /// The ClusterServiceVersion and the Subscription are being deleted. This step cannot be
    /// undone.
    Leaving,
    /// The adoption is complete.
    Adopted,
    /// A step that another version of Portolan wrote, and that this version does not know.
    #[serde(other)]
    Unknown,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanRef {
    /// The namespace of the InstallPlan.
    pub namespace: String,
    /// The name of the InstallPlan.
    pub name: String,
    /// The name of the ResourceManifest with the ClusterServiceVersion of the bundle. It is in the namespace of the
    /// InstallPlan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_service_version: Option<String>,
}

fn conditions(_: &mut SchemaGenerator) -> Schema {
    schema::finished(schema::conditions("Operator"))
}

impl Status {
    pub fn condition(&self, type_: ConditionType) -> Option<&Condition> {
        find(&self.conditions, type_)
    }
}
