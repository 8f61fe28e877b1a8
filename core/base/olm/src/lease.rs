//! `Lease`: shows which replica of a controller may write.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// A Lease, which its holder renews.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// The name, namespace and versions.
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

/// The holder of a Lease.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseSpec {
    /// The process that holds the Lease. Empty if the process released it.
    pub holder_identity: String,
    /// The time for which a renewal counts.
    pub lease_duration_seconds: i32,
    /// The time of the last renewal.
    pub renew_time: Option<MicroTime>,
}
