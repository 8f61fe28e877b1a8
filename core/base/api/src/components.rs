//! `Operator` of `operators.coreos.com/v2alpha1`: an object that lists all components of an
//! operator that OLM installed.
//!
//! The kind is a version of the CRD of OLM's own Operator, `operators.operators.coreos.com`. The
//! stored version is v1, whose spec is empty. Therefore the spec and status of this version are
//! stored together in one annotation ([`STORED`]). This module contains the schema of the version,
//! and the types and reasons of its conditions.

mod condition;
mod schema;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::metadata::is_on;
use crate::operator::FORCE_DELETION;

pub use condition::{ConditionType, Reason};

/// The API group of the kind. It is OLM's group.
pub const GROUP: &str = "operators.coreos.com";
/// The version.
pub const VERSION: &str = "v2alpha1";
/// The version of OLM, in which objects are stored.
pub const STORAGE: &str = "v1";
/// The name of the CRD.
pub const DEFINITION: &str = "operators.operators.coreos.com";
/// The annotation of an object in version v1 that has its spec and its status in version v2alpha1.
pub const STORED: &str = "operators.portolan.dev/v2alpha1";
/// The annotation of the CRD that has, or had, our version.
pub const MARK: &str = "operators.portolan.dev/v2alpha1";
/// The finalizer of an Operator whose components carry its label.
pub const FINALIZER: &str = "operators.portolan.dev/components";

/// Returns true if an Operator must be deleted even if other operators need its content. Every
/// value of the annotation except `false` counts.
pub fn is_deletion_forced(metadata: &ObjectMeta) -> bool {
    is_on(metadata, FORCE_DELETION)
}

/// The version as written in the CRD.
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
