//! `InstallPlan`: a step that OLM v0 takes, or would take.

mod manifest;
#[cfg(test)]
mod tests;

use std::fmt;

use kube_core::ObjectMeta;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

pub use self::manifest::{PlannedBundle, StepManifest};
use crate::resource::{resource, word};
use crate::{Approval, Condition, Properties, ReadFault};

/// A step of OLM, with the operators that it installs and its progress. Its manifests may have more
/// than a megabyte. Only the identities of the bundles in them are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct InstallPlan {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// The ClusterServiceVersions that it installs, and its approval.
    pub spec: InstallPlanSpec,
    /// Its progress.
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
    /// The ClusterServiceVersions that it installs.
    #[serde(rename = "clusterServiceVersionNames")]
    pub csvs: Vec<String>,
    /// The party that has to approve it.
    pub approval: Approval,
    /// True if it is approved.
    pub approved: bool,
    /// The generation, which increases within a namespace; None if OLM has not set it.
    pub generation: Option<u64>,
}

/// The progress of an InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstallPlanStatus {
    /// Its phase; empty for a moment after it was created.
    pub phase: InstallPlanPhase,
    /// The message for people about what is wrong.
    pub message: String,
    /// The conditions that OLM has set.
    pub conditions: Vec<Condition>,
    /// The objects that it creates.
    #[serde(rename = "plan")]
    pub steps: Vec<Step>,
    /// The images of bundles that it is made from.
    pub bundle_lookups: Vec<BundleLookup>,
}

word! {
    /// The phase of an InstallPlan.
    InstallPlanPhase {
        /// OLM is creating it.
        Planning = "Planning",
        /// The plan must be approved.
        RequiresApproval = "RequiresApproval",
        /// OLM is executing it.
        Installing = "Installing",
        /// The plan was executed.
        Complete = "Complete",
        /// OLM has given up.
        Failed = "Failed",
    }
}

/// One object that an InstallPlan makes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Step {
    /// The bundle that it is part of.
    pub resolving: String,
    /// The progress of OLM with the object.
    pub status: StepStatus,
    /// The object.
    pub resource: StepResource,
}

word! {
    /// The progress of OLM with an object.
    StepStatus {
        /// Not checked yet.
        Unknown = "Unknown",
        /// The object does not exist yet.
        NotPresent = "NotPresent",
        /// The object existed before.
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
    /// The part of its manifest that is kept.
    pub manifest: StepManifest,
}

/// The properties of a bundle, or the reason why they are invalid. None if it has no properties.
pub type Stated = Option<Result<Box<Properties>, ReadFault>>;

/// While one of these is True, the steps of the bundle are not in the plan: its image is not
/// unpacked, or its content has not been stored yet.
const OPEN: [&str; 2] = ["BundleLookupPending", "BundleLookupNotPersisted"];

/// The image of a bundle that an InstallPlan is made from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BundleLookup {
    /// The name of the bundle.
    pub identifier: String,
    /// Its image.
    pub path: String,
    /// The bundle that it replaces.
    pub replaces: String,
    /// The CatalogSource that it is from.
    pub catalog_source_ref: Option<CatalogSourceRef>,
    /// The properties that it states.
    #[serde(deserialize_with = "read_text")]
    pub properties: Stated,
    /// The conditions that describe the progress of OLM.
    pub conditions: Vec<Condition>,
}

/// Names a CatalogSource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CatalogSourceRef {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// Reads properties from a text in place.
struct Text;

// === impl Step ===

impl Step {
    /// Returns true if the object exists.
    pub fn is_done(&self) -> bool {
        matches!(self.status, StepStatus::Created | StepStatus::Present)
    }
}

/// Returns the statement of a text. An empty text contains no statement.
fn stated(text: &str) -> Stated {
    (!text.is_empty()).then(|| Properties::parse(text)?.whole().map(Box::new))
}

// === impl BundleLookup ===

impl BundleLookup {
    /// Returns true if OLM has not unpacked the image yet.
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
