//! `ValidatingWebhookConfiguration`: the webhooks that API servers call about objects.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::ServiceRef;
use crate::resource::resource;

/// A configuration of validating webhooks, usually of one program.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ValidatingWebhookConfiguration {
    /// The metadata, such as the name and the resource version.
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
    /// The name of the webhook.
    pub name: String,
    /// The address of the webhook.
    pub client_config: WebhookAddress,
    /// The action of API servers if the webhook does not respond: `Ignore` or `Fail`.
    pub failure_policy: String,
}

/// The address of a webhook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookAddress {
    /// The Service of the webhook. None for a webhook with a URL.
    pub service: Option<ServiceRef>,
    /// The certificate authorities that API servers trust, in base64. Empty if they are not
    /// configured yet.
    pub ca_bundle: String,
}
