//! `InstallPlan` and `ResourceManifest` of `plans.portolan.dev`: an immutable set of manifests, and
//! how Portolan applies them.
//!
//! To change the set of manifests, users create another plan. The crate `core/base/olm` has OLM's
//! kind InstallPlan, and this module does not depend on it.

mod condition;
mod intent;
mod manifest;
mod roles;
mod schema;
mod status;

use kube_derive::CustomResource;
use portolan_core_olm::Label;
use serde::Serialize;
use serde_json::Value;

use crate::metadata::{annotation, is_on};
use crate::written::{as_written, written_schema};

pub use condition::{ConditionType, Reason};
pub(crate) use intent::ready_rules;
pub use intent::{
    Collisions, Disposition, Intent, Job, Lifecycle, MOST_REPLACES, Moment, OnDeletion, OnDrift,
    OnFound, OnImmutable, Order, ReadyRule, Replaces, Resource, Selection, Selector, Source, Stage,
    Target, Transformation, WaitFor,
};
pub use manifest::{Body, Stored};
pub use roles::{Breadth, MissingRoles, missing_roles};
pub(crate) use schema::ready;
pub use status::{
    Counts, FailingPod, JobState, JobStatus, LONGEST_LAST_WORDS, MOST_FINALIZERS, MOST_LINEAGES,
    MOST_MEMBERS, MOST_NAMESPACES, MOST_RULES, MemberOwner, MemberState, MemberStatus, MissingRule,
    Phase, Record, Repairs, StageStatus, Status, Taken, Transformed,
};

/// The API group of InstallPlan and ResourceManifest.
pub const GROUP: &str = "plans.portolan.dev";
/// The label of a plan's members. Its value is the UID of the first plan in the lineage.
pub const LINEAGE: Label = Label::new("plans.portolan.dev/lineage");
/// The label of a namespace that permits plans to use its ServiceAccounts. Its value is `true`.
pub const ENABLED: Label = Label::new("plans.portolan.dev/enabled");
/// The ClusterRole with which the controller may impersonate the ServiceAccounts of a namespace.
pub const CONTROLLER_ROLE: &str = "portolan-plans-namespace";
/// The annotation of a plan's members. Its value is the digest of the last applied manifest.
pub const DIGEST: &str = "plans.portolan.dev/digest";
/// The finalizer of a plan whose deletion also deletes objects.
pub const FINALIZER: &str = "plans.portolan.dev/members";
/// The annotation of a plan that keeps all its objects when the plan is deleted, regardless of its
/// lifecycle settings.
pub const ABANDON: &str = "plans.portolan.dev/abandon";
/// The annotation of a plan that makes it resume repairs which it has stopped. Each new value has
/// this effect once.
pub const RETRY: &str = "plans.portolan.dev/retry";

/// The spec of an InstallPlan as its author wrote it: JSON, which only [`Intent::parse`]
/// interprets. A spec that is missing is null.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "plans.portolan.dev",
    version = "v1alpha1",
    kind = "InstallPlan",
    namespaced,
    shortname = "pplan",
    status = "Status",
    derive = "Default",
    derive = "PartialEq",
    doc = "InstallPlan applies an immutable set of manifests in stages, as a ServiceAccount.",
    printcolumn = r#"{
        "name": "Phase",
        "type": "string",
        "description": "The phase: a summary of the state of the plan.",
        "jsonPath": ".status.phase"
    }"#,
    printcolumn = r#"{
        "name": "Stage",
        "type": "string",
        "description": "The stage that is being applied.",
        "jsonPath": ".status.stage.name"
    }"#,
    printcolumn = r#"{
        "name": "Ready",
        "type": "string",
        "description": "True if all objects exist and are ready.",
        "jsonPath": ".status.conditions[?(@.type=='Ready')].status"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    printcolumn = r#"{
        "name": "Valid",
        "type": "string",
        "description": "The reason of the Valid condition, such as the reason why the plan cannot be applied.",
        "jsonPath": ".status.conditions[?(@.type=='Valid')].reason",
        "priority": 1
    }"#,
    printcolumn = r#"{
        "name": "Permitted",
        "type": "string",
        "description": "The reason of the Permitted condition. The condition shows if the ServiceAccount has all required permissions.",
        "jsonPath": ".status.conditions[?(@.type=='Permitted')].reason",
        "priority": 1
    }"#,
    printcolumn = r#"{
        "name": "Drifted",
        "type": "string",
        "description": "True if other clients changed or deleted applied objects.",
        "jsonPath": ".status.conditions[?(@.type=='Drifted')].status",
        "priority": 1
    }"#,
    printcolumn = r#"{
        "name": "Applied",
        "type": "string",
        "description": "The message of the Applied condition.",
        "jsonPath": ".status.conditions[?(@.type=='Applied')].message",
        "priority": 1
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct InstallPlanSpec(Value);

/// A manifest that plans refer to, unchanged. [`Stored::parse`] interprets it.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "plans.portolan.dev",
    version = "v1alpha1",
    kind = "ResourceManifest",
    namespaced,
    shortname = "pman",
    derive = "Default",
    derive = "PartialEq",
    doc = "ResourceManifest holds a manifest that InstallPlans refer to by name.",
    printcolumn = r#"{
        "name": "Digest",
        "type": "string",
        "description": "The digest of the manifest.",
        "jsonPath": ".spec.digest"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct ResourceManifestSpec(Value);

impl InstallPlan {
    /// Returns true if the plan must keep all its objects when it is deleted. Any value of the
    /// annotation except `false` means true.
    pub fn is_abandoned(&self) -> bool {
        is_on(&self.metadata, ABANDON)
    }

    /// Returns the value of the annotation with which a user makes the plan resume repairs that it
    /// has stopped.
    pub fn retry(&self) -> Option<&str> {
        annotation(&self.metadata, RETRY)
    }
}

as_written!(InstallPlanSpec, ResourceManifestSpec);

portolan_core_olm::from_json!(InstallPlan, ResourceManifest);

written_schema!(
    InstallPlanSpec = schema::install_plan(),
    ResourceManifestSpec = schema::resource_manifest(),
);
