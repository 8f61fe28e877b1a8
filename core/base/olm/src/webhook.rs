//! `ValidatingWebhookConfiguration`: the webhooks that API servers call about objects.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::ServiceRef;
use crate::resource::resource;

/// The webhooks of one program.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ValidatingWebhookConfiguration {
    /// The name and versions.
    pub metadata: ObjectMeta,
    /// The webhooks.
    pub webhooks: Vec<ConfiguredWebhook>,
}

resource!(
    ValidatingWebhookConfiguration,
    "validatingwebhookconfigurations",
    "admissionregistration.k8s.io",
    "v1",
    ClusterResourceScope
);

/// A webhook that API servers call.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfiguredWebhook {
    /// The name.
    pub name: String,
    /// The address.
    pub client_config: WebhookAddress,
    /// The reaction of API servers if the webhook does not respond: `Ignore` or `Fail`.
    pub failure_policy: String,
}

/// The address of a webhook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookAddress {
    /// The Service. None for a webhook with a URL.
    pub service: Option<ServiceRef>,
    /// The certificate authorities that API servers trust, in base64. Empty before they are
    /// configured.
    pub ca_bundle: String,
}
