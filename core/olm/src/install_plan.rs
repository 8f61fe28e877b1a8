//! `InstallPlan`: a step that OLM v0 takes, or would take.

mod lookup;
mod manifest;
#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

pub use self::lookup::{BundleLookup, CatalogSourceRef};
pub use self::manifest::{Manifest, PlannedBundle};
use crate::resource::{resource, word};
use crate::{Approval, Condition, Fault, Properties};

/// A step of OLM: which operators it brings, and how far that is. Of the manifests that it carries,
/// which may be more than a megabyte, no more is kept than what the bundles say of themselves.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct InstallPlan {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// What it is for, and whether it may go ahead.
    pub spec: InstallPlanSpec,
    /// How far it has come.
    pub status: InstallPlanStatus,
}

resource!(
    InstallPlan,
    "installplans",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// What an InstallPlan is for, and whether it may go ahead.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstallPlanSpec {
    /// The ClusterServiceVersions that it brings.
    #[serde(rename = "clusterServiceVersionNames")]
    pub csvs: Vec<String>,
    /// Who lets it go ahead.
    pub approval: Approval,
    /// Whether somebody has.
    pub approved: bool,
    /// Grows from one to the next in a namespace; None where OLM has not said.
    pub generation: Option<u64>,
}

/// How far an InstallPlan has come.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstallPlanStatus {
    /// In a word; nothing for a moment after it was made.
    pub phase: InstallPlanPhase,
    /// What is the matter, for people.
    pub message: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// What it makes.
    #[serde(rename = "plan")]
    pub steps: Vec<Step>,
    /// The images of bundles that it is made from.
    pub bundle_lookups: Vec<BundleLookup>,
}

word! {
    /// How far an InstallPlan has come.
    InstallPlanPhase {
        /// It is put together.
        Planning = "Planning",
        /// Somebody has to approve it.
        RequiresApproval = "RequiresApproval",
        /// It is carried out.
        Installing = "Installing",
        /// It was carried out.
        Complete = "Complete",
        /// It was given up.
        Failed = "Failed",
    }
}

/// One object that an InstallPlan makes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Step {
    /// The bundle that it is part of.
    pub resolving: String,
    /// How far that is.
    pub status: StepStatus,
    /// Which object.
    pub resource: StepResource,
}

word! {
    /// How far OLM is with an object.
    StepStatus {
        /// It was not looked at.
        Unknown = "Unknown",
        /// It is not there.
        NotPresent = "NotPresent",
        /// It was there before.
        Present = "Present",
        /// OLM has made it.
        Created = "Created",
        /// OLM has not made it.
        NotCreated = "NotCreated",
        /// Its kind is not known yet.
        WaitingForApi = "WaitingForApi",
        /// OLM makes no objects of its kind.
        UnsupportedResource = "UnsupportedResource",
    }
}

/// The object of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "manifest::Carried")]
pub struct StepResource {
    /// Its group; empty for the core of Kubernetes.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The CatalogSource that it is from.
    pub source_name: String,
    /// The namespace of that.
    pub source_namespace: String,
    /// What is kept of its manifest.
    pub manifest: Manifest,
}

/// What a bundle says of itself, or why that cannot be read; None where it says nothing.
pub type Stated = Option<Result<Box<Properties>, Fault>>;

// === impl Step ===

impl Step {
    /// Whether the object is there.
    pub fn is_done(&self) -> bool {
        matches!(self.status, StepStatus::Created | StepStatus::Present)
    }
}

/// No text is nothing said.
fn stated(text: &str) -> Stated {
    (!text.is_empty()).then(|| Properties::parse(text)?.whole().map(Box::new))
}
