//! The decision about a call, and for how long it holds.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::authentication::v1::UserInfo;
use portolan_shell::{Asked, Guard, with_causes};
use sha2::{Digest as _, Sha256};
use tonic::{Code, Status};

use crate::kept::Kept;
use crate::reviews::{May, Reviews, Unanswered, Wanted, Whose};
use crate::{AUDIENCE, GROUP};

/// How long an answer of the cluster holds. As long as its own API server believes one of another
/// service.
const HOLDS: Duration = Duration::from_secs(10);

/// How long a cluster that does not answer is left alone with the same question.
const RESTS: Duration = Duration::from_secs(1);

/// How many callers, and how many of their permissions, are known at a time.
const CALLERS: usize = 1024;
const PERMISSIONS: usize = 8192;

/// Tokens are not kept; what they come to under this is.
type Fingerprint = [u8; 32];

/// What is asked about by asking a service.
const RESOURCES: [(&str, &str); 4] = [
    ("portolan.resolver.v1.Resolver", "upgrades"),
    ("portolan.health.v1.Health", "health"),
    ("portolan.approval.v1.Approval", "reviews"),
    ("portolan.diagnosis.v1.Diagnosis", "diagnoses"),
];

/// Lets those pass whom a cluster knows and permits to ask.
#[derive(Debug)]
pub(crate) struct Gate<R> {
    reviews: R,
    callers: Kept<Fingerprint, Result<Caller, Refusal>>,
    permissions: Kept<(Fingerprint, Wanted), Result<(), Refusal>>,
}

type Caller = std::sync::Arc<UserInfo>;

/// A refusal to be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    code: Code,
    message: String,
}

// === impl Gate ===

impl<R: Reviews> Gate<R> {
    pub(crate) fn new(reviews: R) -> Self {
        Self {
            reviews,
            callers: Kept::at_most(CALLERS),
            permissions: Kept::at_most(PERMISSIONS),
        }
    }

    async fn judge(&self, asked: Asked) -> Result<(), Refusal> {
        let Asked {
            service,
            namespace,
            token,
        } = asked;
        let token = token.ok_or_else(Refusal::without_token)?;
        let fingerprint: Fingerprint = Sha256::digest(&token).into();
        let caller = self.callers.get(fingerprint, self.caller(&token)).await?;
        let Some(resource) = resource(&service)? else {
            return Ok(());
        };
        let wanted = Wanted {
            resource,
            namespace,
        };
        let key = (fingerprint, wanted.clone());
        self.permissions
            .get(key, self.permission(&caller, &wanted))
            .await
    }

    async fn caller(&self, token: &str) -> (Result<Caller, Refusal>, Duration) {
        match self.reviews.whose(token).await {
            Ok(Whose::User(user)) => (Ok(user.into()), HOLDS),
            Ok(Whose::Nobody(why)) => (Err(Refusal::of_token(&why)), HOLDS),
            Err(error) => (Err(Refusal::unknown("who asks", &error)), RESTS),
        }
    }

    async fn permission(
        &self,
        caller: &UserInfo,
        wanted: &Wanted,
    ) -> (Result<(), Refusal>, Duration) {
        match self.reviews.may(caller, wanted).await {
            Ok(May::Yes) => (Ok(()), HOLDS),
            Ok(May::No(why)) => (Err(Refusal::of_caller(caller, wanted, &why)), HOLDS),
            Err(error) => (Err(Refusal::unknown("who may ask", &error)), RESTS),
        }
    }
}

impl<R: Reviews> Guard for Gate<R> {
    fn admit(&self, asked: Asked) -> BoxFuture<'_, Result<(), Status>> {
        async move {
            let judged = self.judge(asked).await;
            judged.map_err(|refusal| Status::new(refusal.code, refusal.message))
        }
        .boxed()
    }
}

/// None for what everybody may ask whom the cluster knows: what is served here, and what is not.
fn resource(service: &str) -> Result<Option<&'static str>, Refusal> {
    let known = RESOURCES.iter().find(|(name, _)| *name == service);
    match known {
        Some((_, resource)) => Ok(Some(resource)),
        None if service.starts_with("grpc.reflection.") || service == "unknown" => Ok(None),
        None => Err(Refusal {
            code: Code::PermissionDenied,
            message: format!("no permission is made for {service}, so that nobody has one"),
        }),
    }
}

// === impl Refusal ===

impl Refusal {
    fn without_token() -> Self {
        Self {
            code: Code::Unauthenticated,
            message: format!(
                "this server answers who shows a token of the cluster for the audience {AUDIENCE}, as \
                 `authorization: Bearer TOKEN`; `kubectl create token NAME --audience {AUDIENCE}` \
                 makes one"
            ),
        }
    }

    fn of_token(why: &str) -> Self {
        Self {
            code: Code::Unauthenticated,
            message: format!("the cluster does not know the token: {why}"),
        }
    }

    fn of_caller(caller: &UserInfo, wanted: &Wanted, why: &str) -> Self {
        let user = caller
            .username
            .as_deref()
            .unwrap_or("somebody without a name");
        let Wanted {
            resource,
            namespace,
        } = wanted;
        let place = match namespace.as_str() {
            "" => "in all namespaces".to_owned(),
            namespace => format!("in namespace {namespace}"),
        };
        let why = match why {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        Self {
            code: Code::PermissionDenied,
            message: format!(
                "{user} may not get {resource} of the API group {GROUP} {place}{why}; a role with that \
                 rule permits it"
            ),
        }
    }

    fn unknown(what: &str, error: &Unanswered) -> Self {
        tracing::warn!(
            error = with_causes(error),
            "the cluster does not say {what}"
        );
        Self {
            code: Code::Unavailable,
            message: format!("the cluster does not say {what}: {}", with_causes(error)),
        }
    }
}

#[cfg(test)]
mod tests;
