//! `Operator` of `operators.operatorframework.io`: one operator on a cluster, its allowed versions,
//! and how it is installed and upgraded.
//!
//! InstallPlans of [`plan`](crate::plan) install it. OLM's kind of the same name is in
//! `core/base/olm`. Nothing here depends on it.

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
    is_acceptable_check,
};
pub use status::{
    AdoptionStatus, AdoptionStep, BundleStatus, CrdChange, DependencyStatus, HopStatus, PlanRef,
    Remedy, RevertedStatus, Status, SubscriptionStatus, UserStatus, Versions,
};

/// The group of the kind.
pub const GROUP: &str = "operators.operatorframework.io";
/// The label of an InstallPlan: the name of the Operator that it belongs to.
pub const OPERATOR: Label = Label::new("operators.portolan.dev/operator");
/// The label of a ResourceManifest beside a plan of an Operator that no plan refers to: what it is.
pub const CONTENT: Label = Label::new("operators.portolan.dev/content");
/// The value of [`CONTENT`] where it is the ClusterServiceVersion of a bundle.
pub const CSV: &str = "cluster-service-version";
/// The annotation of an InstallPlan of an Operator: what it installs, as JSON.
pub const HOP: &str = "operators.portolan.dev/hop";
/// The annotation of an InstallPlan that its Operator suspended for good, as another plan replaced it.
pub const RETIRED: &str = "operators.portolan.dev/retired";
/// The finalizer of an Operator that has plans.
pub const FINALIZER: &str = "operators.portolan.dev/plans";
/// The finalizer of a ClusterServiceVersion whose operator is taken over, until OLM has nothing to do with what it owned.
pub const ADOPTED: &str = "operators.portolan.dev/adoption";
/// The annotation of an Operator with `approval: Manual`: the name of the bundle that it may go to.
pub const APPROVE: &str = "operators.portolan.dev/approve";
/// The annotation of an Operator whose custom resources may lose something by some versions: the names of their
/// bundles, with commas between.
pub const ACCEPT_BREAKS: &str = "operators.portolan.dev/accept-breaks";
/// The annotation of an Operator that a user requested by name. An Operator that was added only as
/// a dependency lacks it.
pub const EXPLICIT: &str = "operators.portolan.dev/explicit";
/// The annotation of an Operator whose version was chosen by a program: the image of that bundle, with
/// its digest.
pub const BUNDLE_IMAGE: &str = "operators.portolan.dev/bundle-image";
/// The type of the condition in which an updater reports on the updates of an Operator. The
/// controller of Operators does not write it.
pub const UPDATES: &str = "AutomaticUpdates";
/// The ConfigMap that turns an updater on, beside the plans of Operators. Without it nothing of an updater
/// stays in a status.
pub const UPDATER: &str = "portolan-updater";
/// The default namespaces whose CatalogSources count, in the syntax of a flag. Only administrators
/// can write in these namespaces.
pub const CATALOG_NAMESPACES: &str = "olm,openshift-marketplace";
/// The annotation of an Operator that is deleted even if others need it.
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
    /// Returns the name of the approved bundle.
    pub fn approved(&self) -> Option<&str> {
        annotation(&self.metadata, APPROVE)
    }

    /// Returns the names of the bundles that are accepted even if objects lose data.
    pub fn accepted(&self) -> BTreeSet<String> {
        let written = annotation(&self.metadata, ACCEPT_BREAKS).unwrap_or_default();
        let names = written
            .split(',')
            .map(str::trim)
            .filter(|it| !it.is_empty());
        names.map(str::to_owned).collect()
    }

    /// Returns the namespace of its plans, if the spec names one, whether all of the spec can be
    /// parsed or not.
    pub fn plans_namespace(&self) -> Option<&str> {
        self.spec.as_json()["serviceAccount"]["namespace"].as_str()
    }

    /// Returns true if a user requested it by name. Every value of the annotation except `false`
    /// counts.
    pub fn is_explicit(&self) -> bool {
        is_on(&self.metadata, EXPLICIT)
    }

    /// Returns true if it is deleted even if others need it. Every value of the annotation except
    /// `false` counts.
    pub fn is_deletion_forced(&self) -> bool {
        is_on(&self.metadata, FORCE_DELETION)
    }
}

/// Returns the name of an Operator whose author gives it none of its own: that of its package, with
/// a hyphen for each dot, as the name of a plan cannot have dots.
pub fn name_for(package: &str) -> String {
    package.replace('.', "-")
}

as_written!(OperatorSpec);

portolan_core_olm::from_json!(Operator);

written_schema!(OperatorSpec = schema::operator());
