//! `InstallPlan`: a set of objects that OLM v0 creates or will create.

mod manifest;
#[cfg(test)]
mod tests;

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::ObjectMeta;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

pub use self::manifest::{PlannedBundle, StepManifest};
use crate::resource::{resource, word};
use crate::{Approval, Condition, Properties, ReadFault};

/// An InstallPlan, with its ClusterServiceVersions and its progress. The manifests of a plan may
/// have more than one megabyte, so only a few of their fields are stored.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct InstallPlan {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The ClusterServiceVersions that the plan installs, and its approval.
    pub spec: InstallPlanSpec,
    /// The progress.
    pub status: InstallPlanStatus,
}

resource!(
    InstallPlan,
    "installplans",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// The ClusterServiceVersions that an InstallPlan installs, and its approval.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstallPlanSpec {
    /// The ClusterServiceVersions that the plan installs.
    #[serde(rename = "clusterServiceVersionNames")]
    pub csvs: Vec<String>,
    /// The approval mode, which determines whether OLM or a user approves the plan.
    pub approval: Approval,
    /// True if the plan is approved.
    pub approved: bool,
    /// The generation, which increases within a namespace. None if OLM has not set it.
    pub generation: Option<u64>,
}

/// The progress of an InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstallPlanStatus {
    /// The phase. Empty for a moment after OLM creates the plan.
    pub phase: InstallPlanPhase,
    /// The message about a problem, for users.
    pub message: String,
    /// The conditions that OLM has set.
    pub conditions: Vec<Condition>,
    /// The objects that the plan creates.
    #[serde(rename = "plan")]
    pub steps: Vec<Step>,
    /// The bundles of the plan whose images OLM unpacks.
    pub bundle_lookups: Vec<BundleLookup>,
    /// The time at which OLM began to execute the plan. OLM stops retries one minute later.
    pub start_time: Option<Time>,
}

word! {
    /// The phase of an InstallPlan.
    InstallPlanPhase {
        /// OLM is creating the plan.
        Planning = "Planning",
        /// The plan waits for an approval.
        RequiresApproval = "RequiresApproval",
        /// OLM is executing the plan.
        Installing = "Installing",
        /// OLM has executed the plan.
        Complete = "Complete",
        /// OLM has failed to execute the plan and does not retry.
        Failed = "Failed",
    }
}

/// An object that an InstallPlan creates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Step {
    /// The name of the ClusterServiceVersion of the bundle that contains the object.
    pub resolving: String,
    /// The progress of the step.
    pub status: StepStatus,
    /// The object.
    pub resource: StepResource,
}

word! {
    /// The progress of a step of an InstallPlan.
    StepStatus {
        /// OLM has not checked the object yet.
        Unknown = "Unknown",
        /// The object does not exist yet.
        NotPresent = "NotPresent",
        /// The object existed before OLM executed the step.
        Present = "Present",
        /// OLM has created the object.
        Created = "Created",
        /// OLM has not created the object.
        NotCreated = "NotCreated",
        /// The API server does not serve the kind of the object yet.
        WaitingForApi = "WaitingForApi",
        /// OLM cannot create objects of this kind.
        UnsupportedResource = "UnsupportedResource",
    }
}

/// The object of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "manifest::Carried")]
pub struct StepResource {
    /// The group. Empty for the core group of Kubernetes.
    pub group: String,
    /// The kind of the object.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The CatalogSource from which the object comes.
    pub source_name: String,
    /// The namespace of the CatalogSource.
    pub source_namespace: String,
    /// The stored part of the manifest.
    pub manifest: StepManifest,
}

/// The properties of a bundle, or the error if the properties are invalid. None if the bundle has
/// no properties.
pub type Stated = Option<Result<Box<Properties>, ReadFault>>;

/// The types of the conditions of a bundle that OLM has not unpacked or stored yet. While a
/// condition of these types is True, the plan does not contain the steps of the bundle.
const OPEN: [&str; 2] = ["BundleLookupPending", "BundleLookupNotPersisted"];

/// A bundle of an InstallPlan whose image OLM unpacks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BundleLookup {
    /// The name of the bundle.
    pub identifier: String,
    /// The image of the bundle.
    pub path: String,
    /// The bundle that this bundle replaces.
    pub replaces: String,
    /// The CatalogSource from which the bundle comes.
    pub catalog_source_ref: Option<CatalogSourceRef>,
    /// The properties of the bundle.
    #[serde(deserialize_with = "read_text")]
    pub properties: Stated,
    /// The conditions that describe how far OLM has unpacked the image.
    pub conditions: Vec<Condition>,
}

/// A reference to a CatalogSource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CatalogSourceRef {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// A visitor that parses properties from a text without copying the text.
struct Text;

// === impl Step ===

impl Step {
    /// Returns true if the object of the step exists.
    pub fn is_done(&self) -> bool {
        matches!(self.status, StepStatus::Created | StepStatus::Present)
    }
}

/// Parses properties from a text. Returns None if the text is empty.
fn stated(text: &str) -> Stated {
    (!text.is_empty()).then(|| Properties::parse(text)?.whole().map(Box::new))
}

// === impl BundleLookup ===

impl BundleLookup {
    /// Returns true if OLM has not unpacked the image or not stored its content yet.
    pub fn is_pending(&self) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|each| OPEN.contains(&each.r#type.as_str()) && each.status == "True")
    }
}

fn read_text<'de, D: Deserializer<'de>>(from: D) -> Result<Stated, D::Error> {
    from.deserialize_str(Text)
}

// === impl Text ===

impl Visitor<'_> for Text {
    type Value = Stated;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("properties as a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Stated, E> {
        Ok(stated(text))
    }
}
