//! Reads and writes the two objects of a Keeper: the Secret, and the object with the `caBundle`.

use futures::StreamExt;
use futures::stream::{BoxStream, select};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::ApiResource;
use kube::{Api, Client};
use portolan_core_certificate::{CertificateName, MADE, MANAGER, SubjectKind};
use portolan_shell::with_causes;
use serde_json::{Value, json};
use thiserror::Error;

use super::Keeper;
use crate::certificates::Content;
use crate::certificates::changes::{changes, named};

/// A client for both objects.
pub(super) struct Cluster {
    client: Client,
    secrets: Api<DynamicObject>,
    objects: Api<DynamicObject>,
    kind: SubjectKind,
    object: String,
    name: CertificateName,
    whose: &'static str,
}

/// The object with the caBundle, and the Secret. None for an object that does not exist.
pub(super) struct StoredObjects {
    pub(super) object: Option<Value>,
    secret: Option<Value>,
}

/// The reason why a check of the certificate has failed.
#[derive(Debug, Error)]
pub(super) enum Failure {
    /// Another replica has written in the meantime.
    #[error("another replica has already changed the object")]
    Conflict,
    #[error("failed to create a certificate")]
    Make(#[source] crate::certificates::MakeCertificate),
    #[error(
        "Secret {0} does not exist, and {1} is not allowed to create the Secret; apply the \
         manifests of {1} again"
    )]
    NoSecret(CertificateName, &'static str),
    #[error("{0}")]
    Ask(String, #[source] Box<kube::Error>),
}

// === impl Failure ===

impl Failure {
    /// Returns the message of the failure. Returns None for a conflict, which is normal.
    pub(super) fn wrong(&self) -> Option<String> {
        match self {
            Self::Conflict => None,
            Self::Make(_) | Self::NoSecret(..) | Self::Ask(..) => Some(with_causes(self)),
        }
    }

    fn of(act: String) -> impl FnOnce(kube::Error) -> Self {
        move |error| match error {
            kube::Error::Api(status) if status.code == 409 => Self::Conflict,
            error => Self::Ask(act, Box::new(error)),
        }
    }
}

// === impl StoredObjects ===

impl StoredObjects {
    /// Returns the data of the Secret.
    pub(super) fn data(&self) -> Value {
        let secret = self.secret.as_ref();
        secret.map_or(Value::Null, |secret| secret["data"].clone())
    }

    /// Returns true if the process may write the Secret. Also returns true if the Secret does not
    /// exist.
    pub(super) fn is_ours(&self) -> bool {
        let secret = self.secret.as_ref();
        secret.is_none_or(|secret| secret["metadata"]["labels"][MADE] == "true")
    }
}

// === impl Cluster ===

impl Cluster {
    pub(super) fn of(keeper: &Keeper) -> Self {
        let Keeper {
            client,
            whose,
            kind,
            object,
            name,
            ..
        } = keeper;
        let secret = ApiResource::erase::<Secret>(&());
        Self {
            secrets: Api::namespaced_with(client.clone(), &name.namespace, &secret),
            objects: Api::all_with(client.clone(), &resource(*kind)),
            client: client.clone(),
            kind: *kind,
            object: object.clone(),
            name: name.clone(),
            whose,
        }
    }

    /// Returns an endless stream with one item for each change of either object.
    pub(super) fn changes(&self) -> BoxStream<'static, ()> {
        let secrets = Api::namespaced(self.client.clone(), &self.name.namespace);
        let secrets = changes::<Secret>(secrets, named(&self.name.secret));
        let (client, config) = (self.client.clone(), named(&self.object));
        let objects = match self.kind {
            SubjectKind::ApiService => changes::<APIService>(Api::all(client), config).boxed(),
            SubjectKind::CustomResourceDefinition => {
                changes::<CustomResourceDefinition>(Api::all(client), config).boxed()
            }
            SubjectKind::MutatingWebhookConfiguration => {
                changes::<MutatingWebhookConfiguration>(Api::all(client), config).boxed()
            }
            SubjectKind::ValidatingWebhookConfiguration => {
                changes::<ValidatingWebhookConfiguration>(Api::all(client), config).boxed()
            }
        };
        select(secrets, objects).boxed()
    }

    pub(super) async fn find(&self) -> Result<StoredObjects, Failure> {
        let object = self.objects.get_opt(&self.object).await;
        let object = object.map_err(self.failed("read"))?;
        let secret = self.secrets.get_opt(&self.name.secret).await;
        let secret = secret.map_err(self.failed_secret("read"))?;
        Ok(StoredObjects {
            object: object.map(|it| json!(it)),
            secret: secret.map(|it| json!(it)),
        })
    }

    fn failed(&self, act: &str) -> impl FnOnce(kube::Error) -> Failure + use<> {
        Failure::of(format!(
            "cannot {act} the {} of {}",
            self.kind.as_str(),
            self.whose
        ))
    }

    fn failed_secret(&self, act: &str) -> impl FnOnce(kube::Error) -> Failure + use<> {
        Failure::of(format!("cannot {act} the Secret of {}", self.whose))
    }

    /// Writes the Secret. Fails with a conflict if the Secret has changed since it was read.
    pub(super) async fn write(
        &self,
        found: &StoredObjects,
        content: &Content,
    ) -> Result<(), Failure> {
        let CertificateName { namespace, secret } = &self.name;
        let mut manifest = json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": secret, "namespace": namespace},
            "data": content.data(),
        });
        let failed = self.failed_secret("write");
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
        let object = serde_json::from_value(manifest).map_err(kube::Error::SerdeError);
        let object = object.map_err(self.failed_secret("create"))?;
        let by = PostParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PostParams::default()
        };
        match self.secrets.create(&by, &object).await {
            Err(kube::Error::Api(status)) if status.code == 403 => {
                Err(Failure::NoSecret(self.name.clone(), self.whose))
            }
            made => made.map(drop).map_err(self.failed_secret("create")),
        }
    }

    /// Writes the `caBundle`. The manifest contains the version on which the decision was based, so
    /// a changed object causes a conflict.
    pub(super) async fn inject(&self, manifest: Value) -> Result<(), Failure> {
        let failed = self.failed("write the caBundle of");
        let (by, patch) = (PatchParams::apply(MANAGER).force(), Patch::Apply(&manifest));
        let written = self.objects.patch(&self.object, &by, &patch).await;
        written.map(drop).map_err(failed)
    }
}

fn resource(kind: SubjectKind) -> ApiResource {
    match kind {
        SubjectKind::ApiService => ApiResource::erase::<APIService>(&()),
        SubjectKind::CustomResourceDefinition => {
            ApiResource::erase::<CustomResourceDefinition>(&())
        }
        SubjectKind::MutatingWebhookConfiguration => {
            ApiResource::erase::<MutatingWebhookConfiguration>(&())
        }
        SubjectKind::ValidatingWebhookConfiguration => {
            ApiResource::erase::<ValidatingWebhookConfiguration>(&())
        }
    }
}
