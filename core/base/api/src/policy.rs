//! `Policy` and `PolicyBinding` of `operators.operatorframework.io`. A Policy restricts the times
//! and conditions of upgrades. A PolicyBinding selects the operators to which Policies apply.
//!
//! The resources are named `upgradepolicies` and `upgradepolicybindings`. So `kubectl get policy`
//! still means the kind of Open Cluster Management, in clusters that have it.

mod binding;
mod condition;
mod input;
mod intent;
mod schema;
mod status;

use kube_derive::CustomResource;
use serde::Serialize;
use serde_json::Value;

use crate::written::{as_written, written_schema};

pub use binding::{Binding, NamedObject, Subject, SubjectKind};
pub use condition::{ConditionType, Reason};
pub use input::{INPUT_FIELDS, unknown_inputs};
pub use intent::Intent;
pub use status::{BindingStatus, PolicyStatus, Reference, WindowStatus};

/// The spec of a Policy as its author wrote it: JSON, which only [`Intent::parse`] interprets. A
/// spec that is missing is null.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "operators.operatorframework.io",
    version = "v1alpha1",
    kind = "Policy",
    plural = "upgradepolicies",
    singular = "upgradepolicy",
    status = "PolicyStatus",
    derive = "Default",
    derive = "PartialEq",
    doc = "Policy restricts the times and conditions under which operators may change their \
           version.",
    printcolumn = r#"{
        "name": "Accepted",
        "type": "string",
        "description": "True if the spec is valid.",
        "jsonPath": ".status.conditions[?(@.type=='Accepted')].status"
    }"#,
    printcolumn = r#"{
        "name": "Opens",
        "type": "string",
        "description": "The time when the open window opened, or when the next window opens.",
        "jsonPath": ".status.windows[0].opens"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    printcolumn = r#"{
        "name": "Message",
        "type": "string",
        "description": "The message of the Accepted condition.",
        "jsonPath": ".status.conditions[?(@.type=='Accepted')].message",
        "priority": 1
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct PolicySpec(Value);

/// The spec of a PolicyBinding as its author wrote it: JSON, which only [`Binding::parse`]
/// interprets. A spec that is missing is null.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "operators.operatorframework.io",
    version = "v1alpha1",
    kind = "PolicyBinding",
    plural = "upgradepolicybindings",
    singular = "upgradepolicybinding",
    status = "BindingStatus",
    derive = "Default",
    derive = "PartialEq",
    doc = "PolicyBinding applies Policies to operators.",
    printcolumn = r#"{
        "name": "Accepted",
        "type": "string",
        "description": "True if the spec is valid.",
        "jsonPath": ".status.conditions[?(@.type=='Accepted')].status"
    }"#,
    printcolumn = r#"{
        "name": "Broken",
        "type": "string",
        "description": "True if a referenced object is missing. The PolicyBinding then has no effect.",
        "jsonPath": ".status.conditions[?(@.type=='Broken')].status"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    printcolumn = r#"{
        "name": "Message",
        "type": "string",
        "description": "The message of the Broken condition.",
        "jsonPath": ".status.conditions[?(@.type=='Broken')].message",
        "priority": 1
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct PolicyBindingSpec(Value);

as_written!(PolicySpec, PolicyBindingSpec);

portolan_core_olm::from_json!(Policy);
portolan_core_olm::from_json!(PolicyBinding);

written_schema!(
    PolicySpec = schema::policy(),
    PolicyBindingSpec = schema::binding(),
);
