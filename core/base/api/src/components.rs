//! `Operator` of `operators.coreos.com/v2alpha1`: lists all components of an operator that OLM
//! installed.
//!
//! This kind is an additional version in the CRD of OLM's Operator,
//! `operators.operators.coreos.com`. API servers store objects in version v1, whose spec is empty.
//! Therefore one annotation ([`STORED`]) stores the spec and status of version v2alpha1. This
//! module defines the schema of v2alpha1, and the types and reasons of its conditions.

mod condition;
mod schema;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::metadata::is_on;
use crate::operator::FORCE_DELETION;

pub use condition::{ConditionType, Reason};

/// The API group of the kind, which is OLM's group.
pub const GROUP: &str = "operators.coreos.com";
/// The version.
pub const VERSION: &str = "v2alpha1";
/// The version of OLM, in which API servers store objects.
pub const STORAGE: &str = "v1";
/// The name of the CRD.
pub const DEFINITION: &str = "operators.operators.coreos.com";
/// The annotation of an object in version v1 that stores the spec and status of version v2alpha1.
pub const STORED: &str = "operators.portolan.dev/v2alpha1";
/// The annotation of a CRD to which Portolan has added its version, now or earlier.
pub const MARK: &str = "operators.portolan.dev/v2alpha1";
/// The finalizer of an Operator whose components have the label of the Operator.
pub const FINALIZER: &str = "operators.portolan.dev/components";

/// Returns true if an Operator must be deleted even if other operators need its content. Any value
/// of the annotation except `false` means true.
pub fn is_deletion_forced(metadata: &ObjectMeta) -> bool {
    is_on(metadata, FORCE_DELETION)
}

/// Returns the entry of this version in the CRD.
pub fn version() -> Value {
    json!({
        "name": VERSION,
        "served": true,
        "storage": false,
        "schema": {"openAPIV3Schema": schema::operator()},
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns(),
    })
}

fn columns() -> Value {
    json!([
        {
            "name": "Display",
            "type": "string",
            "description": "The display name of the operator.",
            "jsonPath": ".status.metadata.displayName",
        },
        {
            "name": "Version",
            "type": "string",
            "description": "The installed version.",
            "jsonPath": ".status.metadata.version",
        },
        {
            "name": "Update",
            "type": "string",
            "description": "True if an update is available.",
            "jsonPath": ".status.conditions[?(@.type=='UpdateAvailable')].status",
        },
        {
            "name": "Diverged",
            "type": "string",
            "description": "True if the components differ from the objects of the bundle.",
            "jsonPath": ".status.conditions[?(@.type=='ComponentsDiverge')].status",
        },
        {
            "name": "Age",
            "type": "date",
            "jsonPath": ".metadata.creationTimestamp",
        },
    ])
}
