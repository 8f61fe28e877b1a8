//! The objects that have `caBundle` fields.

use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// A kind of objects that have `caBundle` fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubjectKind {
    /// An APIService of an aggregated API server.
    ApiService,
    /// A CustomResourceDefinition, which may have a conversion webhook.
    CustomResourceDefinition,
    /// A MutatingWebhookConfiguration.
    MutatingWebhookConfiguration,
    /// A ValidatingWebhookConfiguration.
    ValidatingWebhookConfiguration,
}

/// A Service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Service {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// A part of an object that has a `caBundle`: API servers call its Service, and trust the
/// certificates in the `caBundle`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The name of the webhook. None if the object can have only one `caBundle`.
    pub webhook: Option<String>,
    /// The Service that API servers call.
    pub service: Service,
    /// The current `caBundle` as JSON. Empty if it is missing.
    pub ca_bundle: String,
}

/// An object that names a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The kind of the object.
    pub kind: SubjectKind,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
    /// The resource version of the object.
    pub version: String,
    /// The parts of the object that can have a `caBundle`. Webhooks with a URL and webhooks without
    /// certificate verification are omitted.
    pub sites: Vec<Site>,
}

// === impl SubjectKind ===

impl SubjectKind {
    /// The kinds, in the order of the variants.
    pub const ALL: [Self; 4] = [
        Self::ApiService,
        Self::CustomResourceDefinition,
        Self::MutatingWebhookConfiguration,
        Self::ValidatingWebhookConfiguration,
    ];

    /// Returns the `apiVersion` of the kind.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::ApiService => "apiregistration.k8s.io/v1",
            Self::CustomResourceDefinition => "apiextensions.k8s.io/v1",
            Self::MutatingWebhookConfiguration | Self::ValidatingWebhookConfiguration => {
                "admissionregistration.k8s.io/v1"
            }
        }
    }

    /// Returns the name of the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ApiService => "APIService",
            Self::CustomResourceDefinition => "CustomResourceDefinition",
            Self::MutatingWebhookConfiguration => "MutatingWebhookConfiguration",
            Self::ValidatingWebhookConfiguration => "ValidatingWebhookConfiguration",
        }
    }

    fn sites(self, object: &Value) -> Vec<Site> {
        match self {
            Self::ApiService => {
                let spec = &object["spec"];
                let is_blind = spec["insecureSkipTLSVerify"] == true;
                let site = site(None, spec).filter(|_| !is_blind);
                site.into_iter().collect()
            }
            Self::CustomResourceDefinition => {
                let conversion = &object["spec"]["conversion"];
                let is_by_webhook = conversion["strategy"] == "Webhook";
                let site = site(None, &conversion["webhook"]["clientConfig"]);
                site.filter(|_| is_by_webhook).into_iter().collect()
            }
            Self::MutatingWebhookConfiguration | Self::ValidatingWebhookConfiguration => {
                let webhooks = object["webhooks"].as_array().into_iter().flatten();
                let sites =
                    webhooks.filter_map(|each| site(each["name"].as_str(), &each["clientConfig"]));
                sites.collect()
            }
        }
    }
}

// === impl Subject ===

impl Subject {
    /// Parses an object of this kind.
    pub fn of(kind: SubjectKind, object: &Value) -> Self {
        let metadata = &object["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        Self {
            kind,
            name: text("name"),
            uid: text("uid"),
            version: text("resourceVersion"),
            sites: kind.sites(object),
        }
    }

    /// Returns the parts of the object whose Service is in this namespace.
    pub fn sites_in(&self, namespace: &str) -> impl Iterator<Item = &Site> {
        let sites = self.sites.iter();
        sites.filter(move |site| site.service.namespace == namespace)
    }

    /// Returns a manifest that sets the `caBundle` of each part whose Service is in this namespace.
    /// Applying it changes no other fields.
    pub fn manifest(&self, namespace: &str, ca_bundle: &str) -> Value {
        let mut manifest = json!({
            "apiVersion": self.kind.api_version(),
            "kind": self.kind.as_str(),
            "metadata": {
                "name": self.name, "uid": self.uid, "resourceVersion": self.version,
            },
        });
        let fields = match self.kind {
            SubjectKind::ApiService => json!({"spec": {"caBundle": ca_bundle}}),
            SubjectKind::CustomResourceDefinition => json!({"spec": {"conversion": {
                "webhook": {"clientConfig": {"caBundle": ca_bundle}},
            }}}),
            SubjectKind::MutatingWebhookConfiguration
            | SubjectKind::ValidatingWebhookConfiguration => {
                let webhooks = self.sites_in(namespace).map(
                    |site| json!({"name": site.webhook, "clientConfig": {"caBundle": ca_bundle}}),
                );
                json!({"webhooks": webhooks.collect::<Vec<_>>()})
            }
        };
        if let (Value::Object(manifest), Value::Object(fields)) = (&mut manifest, fields) {
            manifest.extend::<Map<_, _>>(fields);
        }
        manifest
    }
}

fn site(webhook: Option<&str>, config: &Value) -> Option<Site> {
    let service = &config["service"];
    let text = |field: &str| service[field].as_str().map(str::to_owned);
    Some(Site {
        webhook: webhook.map(str::to_owned),
        service: Service {
            namespace: text("namespace")?,
            name: text("name")?,
        },
        ca_bundle: config["caBundle"].as_str().unwrap_or_default().to_owned(),
    })
}
