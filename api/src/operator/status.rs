//! The status of an Operator.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

use super::ConditionType;

/// The status of an Operator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The generation of the Operator that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    pub versions: Versions,
    /// The installed bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<BundleStatus>,
    /// The dependencies of the installed bundle, whether they are installed or not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyStatus>,
    /// The installed operators that require this operator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<UserStatus>,
    /// The version that was reverted because it failed to become ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted: Option<RevertedStatus>,
    /// The adoption of an OLM v0 installation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adoption: Option<AdoptionStatus>,
    /// The remaining upgrade steps, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<HopStatus>,
    /// The InstallPlan of the installed version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRef>,
}

/// Versions of an operator and of the controller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Versions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// The version that the operator is being upgraded to, or the installed version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The versions of the package that are higher than the installed version, highest first. An
    /// upgrade path to a listed version may not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<String>,
    /// The version of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
}

/// A bundle and its catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BundleStatus {
    pub name: String,
    /// The image with its digest; empty if the catalog has the manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    pub catalog: String,
}

/// A required package or API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DependencyStatus {
    /// The name of the required package, or the required API.
    pub name: String,
    /// The lowest version that satisfies the dependency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_version: Option<String>,
    /// The version range that satisfies the dependency, as written by the author of the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
}

/// An operator that requires another operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserStatus {
    /// The name of the Operator.
    pub name: String,
    /// The version that requires the other operator.
    pub version: String,
}

/// An upgrade step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HopStatus {
    pub bundle: String,
    pub version: String,
    /// The packages that are upgraded in the same step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// The requirement that must be met before the step starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// A reverted version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RevertedStatus {
    pub bundle: String,
    /// The image with its digest; empty if the catalog has the manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// The generation of the Operator that requested the version.
    pub generation: i64,
    /// A human-readable message about the failure.
    pub message: String,
}

/// The adoption of an OLM v0 installation, and its progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AdoptionStatus {
    /// The namespace of the ClusterServiceVersion and the Subscription.
    pub namespace: String,
    pub cluster_service_version: String,
    /// The Subscription before the adoption, which a release restores. None if no Subscription
    /// existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<SubscriptionStatus>,
    pub step: AdoptionStep,
}

/// A Subscription before its adoption.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionStatus {
    pub name: String,
    pub spec: serde_json::Value,
}

/// The step of an adoption.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AdoptionStep {
    /// An InstallPlan is applied while OLM still manages the operator. This can be undone.
    #[default]
    Beside,
    /// The ClusterServiceVersion and the Subscription are being deleted, which cannot be undone.
    Leaving,
    /// The adoption is complete.
    Adopted,
    /// A value of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanRef {
    pub namespace: String,
    pub name: String,
    /// The ResourceManifest with the ClusterServiceVersion of the bundle, in the namespace of the
    /// plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_service_version: Option<String>,
}

impl Status {
    pub fn condition(&self, type_: ConditionType) -> Option<&Condition> {
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| condition.type_ == type_.as_str())
    }
}
