//! Reads the credentials for the image of a catalog from the namespace of the catalog.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_images::Credentials;
use portolan_world::AnyWorld;
use serde_json::Value;

/// An image that an object names, with the credentials to pull it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NamedImage {
    /// The name of the image. Empty if the object names no image.
    pub(super) name: String,
    pub(super) puller: Puller,
}

/// The Secrets and ServiceAccounts whose credentials a cluster uses to pull an image. Empty by
/// default.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::source) struct Puller {
    pub(super) namespace: String,
    pub(super) secrets: Vec<String>,
    pub(super) accounts: Vec<String>,
}

// === impl Puller ===

impl Puller {
    /// Returns the credentials that the user may read. Secrets that cannot be read are ignored. A
    /// cluster ignores such Secrets, too.
    pub(super) async fn credentials(&self, world: &AnyWorld) -> Credentials {
        let mut names: BTreeSet<String> = self.secrets.iter().cloned().collect();
        let accounts = self.accounts.iter().cloned().collect();
        for account in self.objects(world, "ServiceAccount", accounts).await {
            let secrets = account["imagePullSecrets"].as_array().into_iter().flatten();
            let secrets = secrets.filter_map(|secret| secret["name"].as_str());
            names.extend(secrets.map(str::to_owned));
        }
        let mut all = Credentials::default();
        for secret in self.objects(world, "Secret", names).await {
            match credentials(&secret) {
                Ok(credentials) => all = all.and(credentials),
                Err(error) => tracing::debug!(%error, "a pull Secret is not used"),
            }
        }
        all
    }

    async fn objects(
        &self,
        world: &AnyWorld,
        kind: &str,
        names: BTreeSet<String>,
    ) -> impl Iterator<Item = Value> + use<> {
        let kind = Gvk::new("v1", kind);
        let ids = names
            .into_iter()
            .map(|name| ObjectRef::new(kind.clone(), &*self.namespace, &name));
        let ids: Vec<_> = ids.collect();
        let found = if self.namespace.is_empty() || ids.is_empty() {
            BTreeMap::new()
        } else {
            world.written(ids).await
        };
        found.into_values()
    }
}

fn credentials(secret: &Value) -> Result<Credentials, portolan_images::ReadCredentials> {
    let data = secret["data"].as_object().into_iter().flatten();
    let data = data.filter_map(|(key, value)| {
        let bytes = STANDARD.decode(value.as_str()?).ok()?;
        Some((key.clone(), bytes))
    });
    // A manifest may contain the value in `stringData`, without base64.
    let texts = secret["stringData"].as_object().into_iter().flatten();
    let texts =
        texts.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.as_bytes().to_vec())));
    let data: BTreeMap<_, _> = data.chain(texts).collect();
    Credentials::of_pull_secret(secret["type"].as_str().unwrap_or_default(), &data)
}
