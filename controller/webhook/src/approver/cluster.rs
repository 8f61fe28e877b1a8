//! Checks the permissions of approvers in the cluster, and reads the key that signs stamps.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use portolan_api::MANAGER;
use portolan_core_certificate::CertificateName;
use portolan_core_grants::{Approver, StampKey};
use portolan_core_install::{Access, Answers};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::json;
use thiserror::Error;

/// The entry of the Secret that contains the key.
const KEY: &str = "key";
/// The maximum number of simultaneous access reviews.
const AT_ONCE: usize = 16;
/// The maximum number of retries if another replica has written the Secret at the same time.
const TRIES: usize = 3;

/// The reason why an approval cannot be checked or signed.
#[derive(Debug, Error)]
pub(super) enum Failure {
    #[error("cannot check the permissions of user {0}")]
    Review(String, #[source] kube::Error),
    #[error("cannot read Secret {0}, which contains the signing key of approvals")]
    ReadKey(CertificateName, #[source] kube::Error),
    #[error("cannot write the signing key of approvals to Secret {0}")]
    WriteKey(CertificateName, #[source] kube::Error),
    #[error("Secret {0} contains an invalid signing key; delete the entry `key` of the Secret")]
    NoKey(CertificateName),
    #[error("cannot generate a signing key: no random numbers are available")]
    Random,
}

/// Sends access reviews for the approver. Returns true for each access that is permitted.
pub(super) async fn reviews(
    client: &Client,
    approver: &Approver,
    asks: BTreeSet<Access>,
) -> Result<Answers, Failure> {
    let reviews: Api<SubjectAccessReview> = Api::all(client.clone());
    let reviews = &reviews;
    let looks = asks.into_iter().map(async |access| {
        let asked = SubjectAccessReview {
            spec: approver.review(&access),
            ..SubjectAccessReview::default()
        };
        let answer = reviews.create(&PostParams::default(), &asked).await;
        let answer = answer.map_err(|error| Failure::Review(approver.user.clone(), error))?;
        Ok((access, answer.status.is_some_and(|it| it.allowed)))
    });
    let looks = futures::stream::iter(looks).buffer_unordered(AT_ONCE);
    looks.try_collect().await
}

/// Reads the key from a Secret. If there is no key, creates a key and writes it to the Secret.
pub(super) async fn key(client: &Client, name: &CertificateName) -> Result<StampKey, Failure> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &name.namespace);
    let mut tries = 0;
    loop {
        let found = secrets.get(&name.secret).await;
        let found = found.map_err(|error| Failure::ReadKey(name.clone(), error))?;
        if let Some(bytes) = found.data.and_then(|mut data| data.remove(KEY)) {
            return StampKey::new(bytes.0).ok_or_else(|| Failure::NoKey(name.clone()));
        }
        let mut bytes = vec![0; StampKey::BYTES];
        SystemRandom::new()
            .fill(&mut bytes)
            .map_err(|_| Failure::Random)?;
        // If two replicas write at the same time, the second write gets a conflict. Its replica
        // then reads the key of the other replica.
        let patch = json!({
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "data": {KEY: STANDARD.encode(&bytes)},
        });
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let written = secrets
            .patch(&name.secret, &params, &Patch::Merge(patch))
            .await;
        match written {
            Ok(_) => return StampKey::new(bytes).ok_or_else(|| Failure::NoKey(name.clone())),
            Err(kube::Error::Api(status)) if status.code == 409 && tries < TRIES => tries += 1,
            Err(error) => return Err(Failure::WriteKey(name.clone(), error)),
        }
    }
}
