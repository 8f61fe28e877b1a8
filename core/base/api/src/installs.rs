//! `Install` of `operators.coreos.com/v2alpha1`: content that is installed after a user approves
//! it. This user must have all permissions that the content requires.
//!
//! An InstallPlan of [`plan`](crate::plan) installs the content. It uses a ServiceAccount that has
//! only the approved permissions.

mod condition;
mod intent;
mod schema;
mod status;

use kube_derive::CustomResource;
use portolan_core_olm::Label;
use serde::Serialize;
use serde_json::Value;

use crate::written::{as_written, written_schema};

pub use condition::{ConditionType, Reason};
pub use intent::{Content, Intent, Mapping};
pub use status::{
    AccountRef, Approved, Pending, Permission, PlanRef, Resolved, ResolvedApi, ResolvedBundle,
    Status,
};

/// The API group of the kind, which is OLM's group.
pub const GROUP: &str = "operators.coreos.com";
/// The version.
pub const VERSION: &str = "v2alpha1";
/// The finalizer of an Install. It ensures that the installed objects are deleted first, and then
/// the permissions that their deletion needs.
pub const FINALIZER: &str = "operators.portolan.dev/installed";
/// The label of the InstallPlan of an Install, and of the objects that are created together with
/// the plan. Its value is the UID of the Install.
pub const INSTALL: Label = Label::new("operators.portolan.dev/install");

/// The spec of an Install as its author wrote it: JSON, which only [`Intent::parse`] interprets. A
/// spec that is missing is null.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "operators.coreos.com",
    version = "v2alpha1",
    kind = "Install",
    status = "Status",
    derive = "Default",
    derive = "PartialEq",
    doc = "Install installs content after a user with all required permissions has approved the \
           content.",
    printcolumn = r#"{
        "name": "Approval",
        "type": "string",
        "description": "The approval: Unapproved or Approved.",
        "jsonPath": ".spec.approval"
    }"#,
    printcolumn = r#"{
        "name": "Pending",
        "type": "string",
        "description": "True if the content waits for approval.",
        "jsonPath": ".status.conditions[?(@.type=='PendingApproval')].status"
    }"#,
    printcolumn = r#"{
        "name": "Ready",
        "type": "string",
        "description": "True if all content is installed and works.",
        "jsonPath": ".status.conditions[?(@.type=='Ready')].status"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    printcolumn = r#"{
        "name": "Message",
        "type": "string",
        "description": "The message of the Ready condition.",
        "jsonPath": ".status.conditions[?(@.type=='Ready')].message",
        "priority": 1
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct InstallSpec(Value);

as_written!(InstallSpec);

portolan_core_olm::from_json!(Install);

written_schema!(InstallSpec = schema::install());
