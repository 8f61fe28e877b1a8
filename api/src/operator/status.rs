//! The status of an Operator.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

use super::ConditionType;

/// The status of an Operator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The generation of the Operator that all this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One of each type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    pub versions: Versions,
    /// The installed bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<BundleStatus>,
    /// The dependencies of the installed bundle, whether they are there or not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyStatus>,
    /// The installed operators that require this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<UserStatus>,
    /// The version that was reverted, as it did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted: Option<RevertedStatus>,
    /// The adoption of what OLM had installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adoption: Option<AdoptionStatus>,
    /// The versions that it still goes to, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<HopStatus>,
    /// The InstallPlan of what is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRef>,
}

/// Versions of an operator, and of who says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Versions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// The one that it is on the way to, or has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The versions of the package that are higher than the installed one, the highest first. That
    /// one is here does not promise that anything leads to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<String>,
    /// The version of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
}

/// A bundle, and where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BundleStatus {
    pub name: String,
    /// The image with its digest; empty if the catalog has the manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    pub catalog: String,
}

/// A package that is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DependencyStatus {
    /// The package; of an API that is required, the API.
    pub name: String,
    /// The lowest version that will do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_version: Option<String>,
    /// All versions that will do, as the author of the bundle writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
}

/// An operator that requires another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserStatus {
    /// The name of the Operator.
    pub name: String,
    /// The version of it that requires the other one.
    pub version: String,
}

/// A version that an operator still goes to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HopStatus {
    pub bundle: String,
    pub version: String,
    /// The packages that move with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// The condition that must hold before it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// A version that was taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RevertedStatus {
    pub bundle: String,
    /// The image with its digest; empty if the catalog has the manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// The generation of the Operator that wanted it.
    pub generation: i64,
    /// Why it did not come to its end, for people.
    pub message: String,
}

/// The adoption of what OLM had installed, and its progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AdoptionStatus {
    /// The namespace of both objects.
    pub namespace: String,
    pub cluster_service_version: String,
    /// The Subscription as it was, without which there would be no way back; None if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<SubscriptionStatus>,
    pub step: AdoptionStep,
}

/// A Subscription as it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionStatus {
    pub name: String,
    pub spec: serde_json::Value,
}

/// The progress of OLM in letting go of an operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AdoptionStep {
    /// A plan of ours is applied beside what OLM holds. All of it can be undone.
    #[default]
    Beside,
    /// The ClusterServiceVersion is being deleted, and the Subscription, which cannot be undone.
    Leaving,
    /// OLM has let go of it.
    Adopted,
    /// A word of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanRef {
    pub namespace: String,
    pub name: String,
    /// The ResourceManifest beside it that has the ClusterServiceVersion of its bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_service_version: Option<String>,
}

impl Status {
    pub fn condition(&self, type_: ConditionType) -> Option<&Condition> {
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| condition.type_ == type_.as_str())
    }
}
