//! The user whose identity the requests have, according to the API server.

use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::Api;
use kube::api::PostParams;
use thiserror::Error;

use super::Cluster;
use super::ask::innermost;

/// The reason why the API server does not report the user.
#[derive(Debug, Error)]
pub enum UnknownUser {
    /// The credentials are not valid.
    #[error("the API server rejects the credentials")]
    Unauthorized,
    /// The API server does not respond, or refuses to report the user.
    #[error("{0}")]
    Unanswered(String),
}

// === impl Cluster ===

impl Cluster {
    /// Returns the name of the authenticated user.
    ///
    /// # Errors
    /// Returns an error if the API server does not report the user.
    pub async fn user(&self) -> Result<String, UnknownUser> {
        let reviews: Api<SelfSubjectReview> = Api::all(self.client());
        let (review, params) = (SelfSubjectReview::default(), PostParams::default());
        let review = reviews.create(&params, &review);
        let answer = tokio::time::timeout(self.inner.pace.answer, review).await;
        let answer = answer.map_err(|_| UnknownUser::Unanswered("it takes too long".to_owned()))?;
        match answer {
            Ok(review) => {
                let user = review.status.and_then(|status| status.user_info?.username);
                user.ok_or(UnknownUser::Unauthorized)
            }
            Err(kube::Error::Api(status)) if status.code == 401 => Err(UnknownUser::Unauthorized),
            Err(error) => Err(UnknownUser::Unanswered(innermost(&error))),
        }
    }
}
