//! The result of probing a registry, as a dump contains it.

use std::borrow::Cow;

use jiff::Timestamp;
use k8s_openapi::NamespaceResourceScope;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::{Key, Kind};

const GROUP: &str = "portolan.dev";
const VERSION: &str = "v1";
const KIND: &str = "RegistryProbe";

/// The result of probing the registry of a CatalogSource. It has the same namespace and name as the
/// CatalogSource. Such objects exist only in dumps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RegistryProbe {
    /// The namespace and name of the CatalogSource.
    pub metadata: ObjectMeta,
    /// The address that was probed.
    pub address: String,
    /// The outcome as one word.
    pub outcome: String,
    /// The outcome as a sentence. Empty if there are no further details.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The number of packages that the registry listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packages: Option<u32>,
    /// The time since which probes have had this outcome.
    pub since: Option<Timestamp>,
    /// The time of the last complete response.
    pub answered: Option<Timestamp>,
    /// The time at which the current connection was opened.
    pub connected: Option<Timestamp>,
}

// === impl RegistryProbe ===

impl RegistryProbe {
    /// Creates the probe of a CatalogSource that has no result yet.
    pub fn of(source: &Key) -> Self {
        Self {
            metadata: ObjectMeta {
                namespace: Some(source.namespace.to_string()),
                name: Some(source.name.to_string()),
                ..ObjectMeta::default()
            },
            ..Self::default()
        }
    }

    /// Returns the object as a dump contains it.
    pub fn to_value(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(self).expect("a probe must have a JSON form");
        value["apiVersion"] = format!("{GROUP}/{VERSION}").into();
        value["kind"] = KIND.into();
        value
    }
}

portolan_core_olm::from_json!(RegistryProbe);

impl Kind for RegistryProbe {}

impl Resource for RegistryProbe {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        KIND.into()
    }

    fn group((): &()) -> Cow<'_, str> {
        GROUP.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        VERSION.into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "registryprobes".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
