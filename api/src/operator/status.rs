//! The status of an Operator.

use std::fmt;

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
    /// The dependencies of the wanted bundle, and of the installed one.
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
    /// The unsafe changes of CRDs that must be accepted before the next version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsafe_changes: Vec<CrdChange>,
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
    /// Those of the available versions whose bundles are deprecated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deprecated: Vec<String>,
    /// The version of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The version of the resolver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolver: Option<String>,
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

/// A package, an API or a compound constraint that is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DependencyStatus {
    /// The name of the required package, the required API, or the message of the constraint.
    pub name: String,
    /// The bundle that requires it. Empty if an older Portolan wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bundle: String,
    /// The lowest version that satisfies the dependency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_version: Option<String>,
    /// The version range that satisfies the dependency, as written by the author of the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The compound constraint, as JSON. Empty if it is too long, or if the entry only counts dependencies that are not
    /// listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// Set if the cluster has it. None for constraints, which only the resolver judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub satisfied: Option<bool>,
    /// The version of the operator that is installed of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// Set if the Operator that has it is being deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminating: bool,
}

/// An unsafe change of a CRD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrdChange {
    pub crd: String,
    /// The version, such as `v1`; empty if the change is about the whole CRD.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The path to the property; empty if the change is about the whole version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The name of the check, as OLM v1 has it.
    pub check: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_type: Option<String>,
    pub message: String,
}

/// `CRD: VERSION: PATH: CHECK: MESSAGE (TYPE)`
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

/// An operator that requires another operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserStatus {
    /// The name of the Operator.
    pub name: String,
    /// The version that requires the other operator.
    pub version: String,
    /// Set if it is being deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminating: bool,
    /// Set if the other one requires it too, directly or through others: they are deleted together.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mutual: bool,
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
