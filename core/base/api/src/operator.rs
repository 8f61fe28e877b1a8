//! `Operator` of `operators.operatorframework.io`: an operator on a cluster, its allowed versions,
//! and how Portolan installs and upgrades it.
//!
//! InstallPlans of [`plan`](crate::plan) install the operator. The crate `core/base/olm` has OLM's
//! kind with the same name, and this module does not depend on it.

mod condition;
mod intent;
mod schema;
pub mod sentence;
mod status;

use std::collections::BTreeSet;

use kube_derive::CustomResource;
use portolan_core_olm::Label;
use serde::Serialize;
use serde_json::Value;

use crate::metadata::{annotation, is_on};
use crate::written::{as_written, written_schema};

pub use condition::{ConditionType, Reason};
pub use intent::{
    Account, Approval, Dependencies, Intent, LONGEST_NAME, OnFailure, Overrides, Wanted,
    is_acceptable_check, is_refused_by_api_server,
};
pub use status::{
    AdoptionStatus, AdoptionStep, BundleStatus, CrdChange, DependencyStatus, HopStatus, PlanRef,
    Remedy, RevertedStatus, Status, SubscriptionStatus, UserStatus, Versions,
};

/// The API group of the kind.
pub const GROUP: &str = "operators.operatorframework.io";
/// The label of an InstallPlan with the name of the Operator to which it belongs.
pub const OPERATOR: Label = Label::new("operators.portolan.dev/operator");
/// The label of a ResourceManifest that belongs to an Operator but to no InstallPlan. Its value is
/// the type of the content.
pub const CONTENT: Label = Label::new("operators.portolan.dev/content");
/// The value of [`CONTENT`] if the content is the ClusterServiceVersion of a bundle.
pub const CSV: &str = "cluster-service-version";
/// The annotation of an Operator's InstallPlan with the installed bundle as JSON.
pub const HOP: &str = "operators.portolan.dev/hop";
/// The annotation of an InstallPlan that another InstallPlan replaced. The Operator suspended it
/// permanently.
pub const RETIRED: &str = "operators.portolan.dev/retired";
/// The finalizer of an Operator that has InstallPlans.
pub const FINALIZER: &str = "operators.portolan.dev/plans";
/// The finalizer of a ClusterServiceVersion during an adoption. Portolan removes it when OLM no
/// longer manages the objects of the ClusterServiceVersion.
pub const ADOPTED: &str = "operators.portolan.dev/adoption";
/// The annotation of an Operator with `approval: Manual` that approves a bundle. Its value is the
/// name of the bundle.
pub const APPROVE: &str = "operators.portolan.dev/approve";
/// The annotation of an Operator that accepts unsafe changes of CRDs. Its value is a list of bundle
/// names, separated by commas.
pub const ACCEPT_BREAKS: &str = "operators.portolan.dev/accept-breaks";
/// The annotation of an Operator that a user requested by name. An Operator that was created only
/// as a dependency does not have it.
pub const EXPLICIT: &str = "operators.portolan.dev/explicit";
/// The annotation of an Operator whose version a program chose. Its value is the image of the
/// chosen bundle, with its digest.
pub const BUNDLE_IMAGE: &str = "operators.portolan.dev/bundle-image";
/// The type of the condition in which an updater reports updates of an Operator. The controller of
/// Operators does not write this condition.
pub const UPDATES: &str = "AutomaticUpdates";
/// The ConfigMap that enables an updater, in the namespace of the Operators' InstallPlans. Without
/// it, statuses have no conditions of an updater.
pub const UPDATER: &str = "portolan-updater";
/// The default namespaces for CatalogSources, as the value of a flag. CatalogSources in other
/// namespaces are ignored. Only administrators can write in these namespaces.
pub const CATALOG_NAMESPACES: &str = "olm,openshift-marketplace";
/// The annotation of an Operator that must be deleted even if other Operators need it.
pub const FORCE_DELETION: &str = "operators.portolan.dev/force-deletion";

/// The spec of an Operator as its author wrote it: JSON, which only [`Intent::parse`] interprets. A
/// spec that is missing is null.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "operators.operatorframework.io",
    version = "v1alpha1",
    kind = "Operator",
    status = "Status",
    derive = "Default",
    derive = "PartialEq",
    doc = "Operator installs an operator package from a catalog and upgrades it within the allowed \
           versions.",
    printcolumn = r#"{
        "name": "Package",
        "type": "string",
        "description": "The package of the operator.",
        "jsonPath": ".spec.packageName"
    }"#,
    printcolumn = r#"{
        "name": "Installed",
        "type": "string",
        "description": "The installed version.",
        "jsonPath": ".status.versions.installed"
    }"#,
    printcolumn = r#"{
        "name": "Target",
        "type": "string",
        "description": "The version that the operator is being upgraded to, or the installed version.",
        "jsonPath": ".status.versions.target"
    }"#,
    printcolumn = r#"{
        "name": "Ready",
        "type": "string",
        "description": "True if the operator is installed and works.",
        "jsonPath": ".status.conditions[?(@.type=='Ready')].status"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    printcolumn = r#"{
        "name": "Installing",
        "type": "string",
        "description": "The reason of the Installing condition, such as the reason why the operator is not upgraded.",
        "jsonPath": ".status.conditions[?(@.type=='Installing')].reason",
        "priority": 1
    }"#,
    printcolumn = r#"{
        "name": "Message",
        "type": "string",
        "description": "The message of the Installing condition.",
        "jsonPath": ".status.conditions[?(@.type=='Installing')].message",
        "priority": 1
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct OperatorSpec(Value);

impl Operator {
    /// Returns the name of the bundle that the annotation [`APPROVE`] approves.
    pub fn approved(&self) -> Option<&str> {
        annotation(&self.metadata, APPROVE)
    }

    /// Returns the names of the bundles whose unsafe changes of CRDs are accepted.
    pub fn accepted(&self) -> BTreeSet<String> {
        let written = annotation(&self.metadata, ACCEPT_BREAKS).unwrap_or_default();
        let names = written
            .split(',')
            .map(str::trim)
            .filter(|it| !it.is_empty());
        names.map(str::to_owned).collect()
    }

    /// Returns the namespace of the InstallPlans if the spec names it, even if other fields of the
    /// spec are invalid.
    pub fn plans_namespace(&self) -> Option<&str> {
        self.spec.as_json()["serviceAccount"]["namespace"].as_str()
    }

    /// Returns true if a user requested the Operator by name. Any value of the annotation except
    /// `false` means true.
    pub fn is_explicit(&self) -> bool {
        is_on(&self.metadata, EXPLICIT)
    }

    /// Returns true if the Operator must be deleted even if other Operators need it. Any value of
    /// the annotation except `false` means true.
    pub fn is_deletion_forced(&self) -> bool {
        is_on(&self.metadata, FORCE_DELETION)
    }
}

/// Returns the default name of an Operator for a package: the name of the package with hyphens
/// instead of dots. The name of an InstallPlan contains this name, and cannot contain dots.
pub fn name_for(package: &str) -> String {
    package.replace('.', "-")
}

as_written!(OperatorSpec);

portolan_core_olm::from_json!(Operator);

written_schema!(OperatorSpec = schema::operator());
