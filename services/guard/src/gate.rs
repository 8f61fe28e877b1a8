//! The decision about a call, and for how long it holds.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::authentication::v1::UserInfo;
use portolan_shell::{Asked, Bearer, Caller, Guard, Reach, with_causes};
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

/// What is asked about by asking a service, and whether a question about one namespace needs no
/// permission for the others. Not so where answers tell of catalogs, which are of all namespaces, or
/// compare with neighbors.
const RESOURCES: [(&str, &str, bool); 4] = [
    ("portolan.resolver.v1.Resolver", "upgrades", false),
    ("portolan.health.v1.Health", "health", true),
    ("portolan.approval.v1.Approval", "reviews", true),
    ("portolan.diagnosis.v1.Diagnosis", "diagnoses", false),
];

/// Lets those pass whom a cluster knows and permits to ask. Clones share what they know.
pub(crate) struct Gate<R>(Arc<Known<R>>);

/// What is known of callers.
struct Known<R> {
    reviews: R,
    users: Kept<Fingerprint, Result<Arc<UserInfo>, Refusal>>,
    permissions: Kept<(Fingerprint, Wanted), Result<(), Refusal>>,
    /// Of a cluster that does not answer each caller hears, and the log once in a while.
    complaints: Kept<(), ()>,
}

/// Somebody whom the cluster knows.
struct Somebody<R> {
    known: Arc<Known<R>>,
    fingerprint: Fingerprint,
    user: Arc<UserInfo>,
}

/// A refusal to be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    code: Code,
    message: String,
}

// === impl Gate ===

impl<R: Reviews> Gate<R> {
    pub(crate) fn new(reviews: R) -> Self {
        Self(Arc::new(Known {
            reviews,
            users: Kept::at_most(CALLERS),
            permissions: Kept::at_most(PERMISSIONS),
            complaints: Kept::at_most(1),
        }))
    }
}

impl<R: Reviews> Guard for Gate<R> {
    fn identify(&self, token: Option<Bearer>) -> BoxFuture<'_, Result<Arc<dyn Caller>, Status>> {
        async move {
            let Bearer(token) = token.ok_or_else(Refusal::without_token)?;
            let fingerprint = Sha256::digest(&token).into();
            let user = self.0.users.get(fingerprint, self.0.user(&token)).await?;
            let somebody = Somebody {
                known: self.0.clone(),
                fingerprint,
                user,
            };
            Ok(Arc::new(somebody) as Arc<dyn Caller>)
        }
        .boxed()
    }
}

impl<R> fmt::Debug for Gate<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Gate")
    }
}

// === impl Somebody ===

impl<R: Reviews> Somebody<R> {
    async fn may(&self, wanted: Wanted) -> Result<(), Refusal> {
        let key = (self.fingerprint, wanted.clone());
        let asking = self.known.permission(&self.user, &wanted);
        self.known.permissions.get(key, asking).await
    }

    async fn judge(&self, asked: Asked) -> Result<Reach, Refusal> {
        let Asked { service, namespace } = asked;
        let Some((resource, is_namespaced)) = resource(&service)? else {
            return Ok(Reach::All);
        };
        let of = |namespace| Wanted {
            resource,
            namespace,
        };
        if namespace.is_empty() || !is_namespaced {
            return self.may(of(String::new())).await.map(|()| Reach::All);
        }
        self.may(of(namespace)).await?;
        Ok(match self.may(of(String::new())).await {
            Ok(()) => Reach::All,
            Err(_) => Reach::Namespace,
        })
    }
}

impl<R: Reviews> Caller for Somebody<R> {
    fn permit(&self, asked: Asked) -> BoxFuture<'_, Result<Reach, Status>> {
        async move { Ok(self.judge(asked).await?) }.boxed()
    }
}

impl<R> fmt::Debug for Somebody<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, .. } = self;
        out.debug_tuple("Somebody").field(&user.username).finish()
    }
}

// === impl Known ===

impl<R: Reviews> Known<R> {
    async fn user(&self, token: &str) -> (Result<Arc<UserInfo>, Refusal>, Duration) {
        match self.reviews.whose(token).await {
            Ok(Whose::User(user)) => (Ok(user.into()), HOLDS),
            Ok(Whose::Nobody(why)) => (Err(Refusal::of_token(&why)), HOLDS),
            Err(error) => (Err(self.unknown("who asks", &error).await), RESTS),
        }
    }

    async fn permission(
        &self,
        user: &UserInfo,
        wanted: &Wanted,
    ) -> (Result<(), Refusal>, Duration) {
        match self.reviews.may(user, wanted).await {
            Ok(May::Yes) => (Ok(()), HOLDS),
            Ok(May::No(why)) => (Err(Refusal::of_user(user, wanted, &why)), HOLDS),
            Err(error) => (Err(self.unknown("who may ask", &error).await), RESTS),
        }
    }

    /// What a cluster says that does not answer is for those who run this server.
    async fn unknown(&self, what: &str, error: &Unanswered) -> Refusal {
        let complain = async {
            tracing::warn!(
                error = with_causes(error),
                "the cluster does not say {what}"
            );
            ((), HOLDS)
        };
        self.complaints.get((), complain).await;
        Refusal {
            code: Code::Unavailable,
            message: format!("the cluster does not say {what}; the log of this server says why"),
        }
    }
}

/// None for what everybody may ask whom the cluster knows: what is served here, and what is not.
fn resource(service: &str) -> Result<Option<(&'static str, bool)>, Refusal> {
    let known = RESOURCES.iter().find(|(name, ..)| *name == service);
    match known {
        Some((_, resource, is_namespaced)) => Ok(Some((resource, *is_namespaced))),
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

    fn of_user(user: &UserInfo, wanted: &Wanted, why: &str) -> Self {
        let user = user
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
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.code, refusal.message)
    }
}

#[cfg(test)]
mod tests;
