//! `Lease`: names the replica of a controller that may write.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// A Lease. The replica that holds the Lease renews it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: LeaseSpec,
}

resource!(
    Lease,
    "leases",
    "coordination.k8s.io",
    "v1",
    NamespaceResourceScope
);

/// The holder of a Lease, and the time of its last renewal.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// The replica that holds the Lease. Empty if the replica released the Lease.
    pub holder_identity: String,
    /// The time in seconds after the last renewal for which the Lease is valid.
    pub lease_duration_seconds: i32,
    /// The time of the last renewal.
    pub renew_time: Option<MicroTime>,
}
