//! The two objects that a certificate is kept in, read and written.

use futures::StreamExt;
use futures::stream::{BoxStream, select};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::ApiResource;
use kube::{Api, Client};
use portolan_certificates::Content;
use portolan_core_certificate::{CertificateName, MADE, MANAGER};
use portolan_shell::with_causes;
use serde_json::{Value, json};
use thiserror::Error;

use crate::changes::{changes, named};

/// Where both objects are.
pub(super) struct Cluster {
    client: Client,
    secrets: Api<DynamicObject>,
    configurations: Api<DynamicObject>,
    configuration: String,
    name: CertificateName,
}

/// Both objects as they are; null where there is none.
pub(super) struct Found {
    pub(super) configuration: Option<Value>,
    secret: Option<Value>,
}

/// Why it does not go on.
#[derive(Debug, Error)]
pub(super) enum Failure {
    /// Somebody else was faster.
    #[error("another replica was faster")]
    Conflict,
    #[error("no certificate can be made")]
    Make(#[source] portolan_certificates::MakeCertificate),
    #[error(
        "Secret {0} is not there, and may not be made by the webhook; apply its manifests again"
    )]
    NoSecret(CertificateName),
    #[error("{0}")]
    Ask(&'static str, #[source] Box<kube::Error>),
}

// === impl Failure ===

impl Failure {
    /// What a person should know of it.
    pub(super) fn wrong(&self) -> Option<String> {
        match self {
            Self::Conflict => None,
            Self::Make(_) | Self::NoSecret(_) | Self::Ask(..) => Some(with_causes(self)),
        }
    }

    fn of(act: &'static str) -> impl Fn(kube::Error) -> Self {
        move |error| match error {
            kube::Error::Api(status) if status.code == 409 => Self::Conflict,
            error => Self::Ask(act, Box::new(error)),
        }
    }
}

// === impl Found ===

impl Found {
    /// The data of the Secret.
    pub(super) fn data(&self) -> Value {
        let secret = self.secret.as_ref();
        secret.map_or(Value::Null, |secret| secret["data"].clone())
    }

    /// Whether the Secret is for the webhook to write, or still to be made.
    pub(super) fn is_ours(&self) -> bool {
        let secret = self.secret.as_ref();
        secret.is_none_or(|secret| secret["metadata"]["labels"][MADE] == "true")
    }
}

// === impl Cluster ===

impl Cluster {
    pub(super) fn of(client: Client, configuration: &str, name: &CertificateName) -> Self {
        let secret = ApiResource::erase::<Secret>(&());
        let kind = ApiResource::erase::<ValidatingWebhookConfiguration>(&());
        Self {
            secrets: Api::namespaced_with(client.clone(), &name.namespace, &secret),
            configurations: Api::all_with(client.clone(), &kind),
            client,
            configuration: configuration.to_owned(),
            name: name.clone(),
        }
    }

    /// Ends never, and says each time that one of them has changed.
    pub(super) fn changes(&self) -> BoxStream<'static, ()> {
        let secrets = Api::namespaced(self.client.clone(), &self.name.namespace);
        let secrets = changes::<Secret>(secrets, named(&self.name.secret));
        let configurations = Api::all(self.client.clone());
        let configurations =
            changes::<ValidatingWebhookConfiguration>(configurations, named(&self.configuration));
        select(secrets, configurations).boxed()
    }

    pub(super) async fn find(&self) -> Result<Found, Failure> {
        let failed = Failure::of("read the ValidatingWebhookConfiguration of the webhook");
        let configuration = self.configurations.get_opt(&self.configuration).await;
        let configuration = configuration.map_err(failed)?;
        let failed = Failure::of("read the Secret of the webhook");
        let secret = self.secrets.get_opt(&self.name.secret).await;
        let secret = secret.map_err(failed)?;
        Ok(Found {
            configuration: configuration.map(|it| json!(it)),
            secret: secret.map(|it| json!(it)),
        })
    }

    /// Writes the Secret, if it still is as it was found.
    pub(super) async fn write(&self, found: &Found, content: &Content) -> Result<(), Failure> {
        let CertificateName { namespace, secret } = &self.name;
        let mut manifest = json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": secret, "namespace": namespace},
            "data": content.data(),
        });
        let failed = Failure::of("write the Secret of the webhook");
        let Some(seen) = &found.secret else {
            manifest["metadata"]["labels"] = json!({MADE: "true"});
            return self.create(manifest).await;
        };
        for precondition in ["uid", "resourceVersion"] {
            manifest["metadata"][precondition] = seen["metadata"][precondition].clone();
        }
        let (by, patch) = (PatchParams::apply(MANAGER).force(), Patch::Apply(&manifest));
        let written = self.secrets.patch(secret, &by, &patch).await;
        written.map(drop).map_err(failed)
    }

    async fn create(&self, manifest: Value) -> Result<(), Failure> {
        let failed = Failure::of("make the Secret of the webhook");
        let object = serde_json::from_value(manifest).map_err(|error| {
            let error = Box::new(kube::Error::SerdeError(error));
            Failure::Ask("make the Secret of the webhook", error)
        })?;
        let by = PostParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PostParams::default()
        };
        match self.secrets.create(&by, &object).await {
            Err(kube::Error::Api(status)) if status.code == 403 => {
                Err(Failure::NoSecret(self.name.clone()))
            }
            made => made.map(drop).map_err(failed),
        }
    }

    /// Writes the `caBundle`, by a manifest that says what it was decided on.
    pub(super) async fn inject(&self, manifest: Value) -> Result<(), Failure> {
        let failed = Failure::of("write the caBundle of the ValidatingWebhookConfiguration");
        let (by, patch) = (PatchParams::apply(MANAGER).force(), Patch::Apply(&manifest));
        let configurations = &self.configurations;
        let written = configurations.patch(&self.configuration, &by, &patch).await;
        written.map(drop).map_err(failed)
    }
}
