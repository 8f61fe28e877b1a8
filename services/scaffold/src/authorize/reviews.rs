//! The two reviews with which the API server authenticates and authorizes a caller.

use std::fmt::{self, Debug};
use std::time::Duration;

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use tokio::time::timeout;

use super::{AUDIENCE, GROUP};

/// The maximum time for one response of the API server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The permission that a call requires: to `get` a resource of [`GROUP`] in one namespace or in all
/// namespaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Wanted {
    pub(crate) resource: &'static str,
    /// The namespace. Empty for all namespaces.
    pub(crate) namespace: String,
}

/// The owner of a token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenOwner {
    User(UserInfo),
    /// No user has this token. Contains the error message of the API server.
    Nobody(String),
}

/// The result of a permission review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum May {
    Yes,
    /// The user does not have the permission. Contains the reason from the API server, which may be
    /// empty.
    No(String),
}

/// The reason why the cluster does not answer.
#[derive(Debug, Error)]
pub(crate) enum Unanswered {
    #[error("the API server does not answer")]
    Silent,
    #[error(transparent)]
    Failed(#[from] kube::Error),
}

/// The service that reviews tokens and permissions.
pub(crate) trait Reviews: fmt::Debug + Send + Sync + 'static {
    fn whose(&self, token: &str) -> impl Future<Output = Result<TokenOwner, Unanswered>> + Send;

    fn may(
        &self,
        user: &UserInfo,
        wanted: &Wanted,
    ) -> impl Future<Output = Result<May, Unanswered>> + Send;
}

/// An API server.
pub(crate) struct Cluster {
    tokens: Api<TokenReview>,
    permissions: Api<SubjectAccessReview>,
}

// === impl Cluster ===

impl Cluster {
    pub(crate) fn of(client: Client) -> Self {
        Self {
            tokens: Api::all(client.clone()),
            permissions: Api::all(client),
        }
    }
}

impl Reviews for Cluster {
    async fn whose(&self, token: &str) -> Result<TokenOwner, Unanswered> {
        let review = TokenReview {
            spec: TokenReviewSpec {
                audiences: Some(vec![AUDIENCE.to_owned()]),
                token: Some(token.to_owned()),
            },
            ..TokenReview::default()
        };
        let reviewed = ask(&self.tokens, review).await?;
        let status = reviewed.status.unwrap_or_default();
        // An authenticator that does not support audiences returns an empty list. It accepts only
        // tokens for the API server.
        let audiences = status.audiences.unwrap_or_default();
        let is_for_us = audiences.iter().any(|audience| audience == AUDIENCE);
        let error = status.error.filter(|error| !error.is_empty());
        Ok(match (status.authenticated, status.user) {
            (Some(true), Some(user)) if is_for_us => TokenOwner::User(user),
            (Some(true), _) => TokenOwner::Nobody(format!("it is not for the audience {AUDIENCE}")),
            _ => TokenOwner::Nobody(
                error.unwrap_or_else(|| "it does not belong to a user".to_owned()),
            ),
        })
    }

    async fn may(&self, user: &UserInfo, wanted: &Wanted) -> Result<May, Unanswered> {
        let UserInfo {
            extra,
            groups,
            uid,
            username,
        } = user.clone();
        let Wanted {
            resource,
            namespace,
        } = wanted;
        let review = SubjectAccessReview {
            spec: SubjectAccessReviewSpec {
                extra,
                groups,
                uid,
                user: username,
                resource_attributes: Some(ResourceAttributes {
                    group: Some(GROUP.to_owned()),
                    resource: Some((*resource).to_owned()),
                    verb: Some("get".to_owned()),
                    namespace: Some(namespace.clone()).filter(|name| !name.is_empty()),
                    ..ResourceAttributes::default()
                }),
                ..SubjectAccessReviewSpec::default()
            },
            ..SubjectAccessReview::default()
        };
        let reviewed = ask(&self.permissions, review).await?;
        let status = reviewed.status.unwrap_or_default();
        Ok(if status.allowed {
            May::Yes
        } else {
            May::No(status.reason.unwrap_or_default())
        })
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Cluster")
    }
}

async fn ask<K>(api: &Api<K>, review: K) -> Result<K, Unanswered>
where
    K: Clone + Debug + DeserializeOwned + Serialize,
{
    let asked = timeout(PATIENCE, api.create(&PostParams::default(), &review)).await;
    Ok(asked.map_err(|_| Unanswered::Silent)??)
}
