//! Decides if a call is permitted, and for how long the decision is valid.

use std::fmt;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::authentication::v1::UserInfo;
use portolan_shell::{Asked, Bearer, Caller, Guard, Permitted, with_causes};
use sha2::{Digest as _, Sha256};
use tonic::{Code, Status};

use super::answers::{Answers, Lasting};
use super::expiring::Expiring;
use super::queue::{Bounds, Origin, Queue, Seat};
use super::reviews::{May, Reviews, TokenOwner, Unanswered, Wanted};
use super::{AUDIENCE, GROUP};

/// The duration for which a review result is valid. Extension API servers cache the results of
/// their reviews for the same duration.
const HOLDS: Duration = Duration::from_secs(10);

/// The delay before the same review is requested again, if the cluster does not respond.
const RESTS: Duration = Duration::from_secs(1);

/// The maximum number of cached users (`CALLERS`) and of cached permissions (`PERMISSIONS`). The
/// same maximums apply to cached rejections.
const CALLERS: usize = 1024;
const PERMISSIONS: usize = 8192;

/// Limits for unknown callers. The pace of reviews is so low that all tokens that are reviewed
/// within the lifetime of a rejection fit into the cache. Therefore a rejected token is not
/// reviewed twice in this time.
const STRANGERS: Bounds = Bounds {
    seats: 512,
    places: 8,
    share: 4,
    pace: Duration::from_millis(10),
};

/// Limits for users that are known, or were known recently. The pace of their reviews is unlimited,
/// because these users can cause load on the API server with other requests anyway.
const ACQUAINTANCES: Bounds = Bounds {
    pace: Duration::ZERO,
    ..STRANGERS
};

/// The maximum length of a token. The HTTP/2 server accepts headers of this size before any check.
/// A waiting caller therefore needs little more memory than this.
const LONGEST_TOKEN: usize = 16 * 1024;

/// A hash of a token. Tokens themselves are not kept in memory.
type Fingerprint = [u8; 32];

/// The resource of each service. The flag is true if a request for one namespace requires
/// permission for this namespace only. All other requests require permission for all namespaces.
/// Their results contain data of other namespaces, or data of catalogs, which are not limited to a
/// namespace.
const RESOURCES: [(&str, &str, bool); 4] = [
    ("portolan.resolver.v1.Resolver", "upgrades", false),
    ("portolan.health.v1.Health", "health", true),
    ("portolan.approval.v1.Approval", "reviews", true),
    ("portolan.diagnosis.v1.Diagnosis", "diagnoses", false),
];

/// Permits the calls of users that the cluster knows and authorizes. Clones share the cached review
/// results.
pub(crate) struct Authorizer<R>(Arc<Caches<R>>);

/// The caches and queues that all callers share.
struct Caches<R> {
    reviews: R,
    users: Answers<Fingerprint, Arc<UserInfo>, Denied>,
    permissions: Answers<(Fingerprint, Wanted), (), Denied>,
    strangers: Queue,
    acquaintances: Queue,
    /// The problems that were logged recently. Every caller gets the error, but the log contains a
    /// problem only once per period.
    complaints: Expiring<&'static str, ()>,
}

/// A user that the cluster knows.
struct User<R> {
    caches: Arc<Caches<R>>,
    fingerprint: Fingerprint,
    user: Arc<UserInfo>,
}

/// A cached rejection.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Denied {
    code: Code,
    message: String,
}

// === impl Authorizer ===

impl<R: Reviews> Authorizer<R> {
    pub(crate) fn new(reviews: R) -> Self {
        Self(Arc::new(Caches {
            reviews,
            users: Answers::at_most(CALLERS, CALLERS),
            permissions: Answers::at_most(PERMISSIONS, PERMISSIONS),
            strangers: Queue::new(STRANGERS),
            acquaintances: Queue::new(ACQUAINTANCES),
            complaints: Expiring::at_most(16),
        }))
    }
}

impl<R: Reviews> Guard for Authorizer<R> {
    fn identify(
        &self,
        token: Option<Bearer>,
        from: Option<IpAddr>,
    ) -> BoxFuture<'_, Result<Arc<dyn Caller>, Status>> {
        async move {
            let Bearer(token) = token.ok_or_else(Denied::without_token)?;
            if token.len() > LONGEST_TOKEN {
                return Err(Denied::of_length(token.len()).into());
            }
            let fingerprint = Sha256::digest(&token).into();
            let user = self.0.user(fingerprint, token, from).await?;
            let caller = User {
                caches: self.0.clone(),
                fingerprint,
                user,
            };
            Ok(Arc::new(caller) as Arc<dyn Caller>)
        }
        .boxed()
    }
}

impl<R> fmt::Debug for Authorizer<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Authorizer")
    }
}

// === impl User ===

impl<R: Reviews> User<R> {
    async fn may(&self, wanted: Wanted) -> Result<(), Denied> {
        let Self {
            caches,
            fingerprint,
            user,
        } = self;
        caches.permission(*fingerprint, user, wanted).await
    }

    async fn judge(&self, asked: Asked) -> Result<Permitted, Denied> {
        let Asked { service, namespace } = asked;
        let Some((resource, is_namespaced)) = resource(&service)? else {
            return Ok(Permitted::All);
        };
        let of = |namespace| Wanted {
            resource,
            namespace,
        };
        if namespace.is_empty() || !is_namespaced {
            return self.may(of(String::new())).await.map(|()| Permitted::All);
        }
        self.may(of(namespace)).await?;
        Ok(match self.may(of(String::new())).await {
            Ok(()) => Permitted::All,
            Err(_) => Permitted::Namespace,
        })
    }
}

impl<R: Reviews> Caller for User<R> {
    fn name(&self) -> &str {
        self.user.username.as_deref().unwrap_or_default()
    }

    fn permit(&self, asked: Asked) -> BoxFuture<'_, Result<Permitted, Status>> {
        async move { Ok(self.judge(asked).await?) }.boxed()
    }
}

impl<R> fmt::Debug for User<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, .. } = self;
        out.debug_tuple("User").field(&user.username).finish()
    }
}

// === impl Caches ===

impl<R: Reviews> Caches<R> {
    /// Returns the user of a token. If the last review of this token was successful, its caller
    /// does not wait in the queue of unknown callers.
    async fn user(
        self: &Arc<Self>,
        fingerprint: Fingerprint,
        token: String,
        from: Option<IpAddr>,
    ) -> Result<Arc<UserInfo>, Denied> {
        if let Some(told) = self.users.held(&fingerprint) {
            return told;
        }
        let seat = match self.users.granted_once(&fingerprint) {
            Some(user) => self.acquaintances.seat(Origin::of(&user)),
            None => self.strangers.seat(Origin::Address(from)),
        };
        let seat = seat.ok_or_else(|| self.crowded(from))?;
        let caches = self.clone();
        let asking = async move { caches.ask_whose(&token).await };
        self.answered(&self.users, fingerprint, seat, asking).await
    }

    async fn permission(
        self: &Arc<Self>,
        fingerprint: Fingerprint,
        user: &Arc<UserInfo>,
        wanted: Wanted,
    ) -> Result<(), Denied> {
        let key = (fingerprint, wanted.clone());
        if let Some(told) = self.permissions.held(&key) {
            return told;
        }
        let seat = self.acquaintances.seat(Origin::of(user));
        let seat = seat.ok_or_else(|| self.crowded(None))?;
        let (caches, user) = (self.clone(), user.clone());
        let asking = async move { caches.ask_may(&user, &wanted).await };
        self.answered(&self.permissions, key, seat, asking).await
    }

    /// Returns the result of a review. The first caller waits for its turn and starts the review.
    /// Later callers with the same key keep their seats and wait for this review without a turn.
    async fn answered<K, T>(
        &self,
        answers: &Answers<K, T, Denied>,
        key: K,
        seat: Seat,
        asking: impl Future<Output = Lasting<T, Denied>> + Send + 'static,
    ) -> Result<T, Denied>
    where
        K: Hash + Ord + Clone + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
    {
        let underway = match answers.underway(&key) {
            Some(underway) => underway,
            None => {
                let turn = seat.turn().await;
                answers.begin(key, || async move {
                    let answer = asking.await;
                    drop(turn);
                    answer
                })
            }
        };
        let answer = underway.await;
        answer.unwrap_or_else(|| Err(Denied::unanswered("authorize the caller")))
    }

    async fn ask_whose(&self, token: &str) -> Lasting<Arc<UserInfo>, Denied> {
        match self.reviews.whose(token).await {
            Ok(TokenOwner::User(user)) => (Ok(user.into()), HOLDS),
            Ok(TokenOwner::Nobody(why)) => (Err(Denied::of_token(&why)), HOLDS),
            Err(error) => (Err(self.unknown("authenticate the caller", &error)), RESTS),
        }
    }

    async fn ask_may(&self, user: &UserInfo, wanted: &Wanted) -> Lasting<(), Denied> {
        match self.reviews.may(user, wanted).await {
            Ok(May::Yes) => (Ok(()), HOLDS),
            Ok(May::No(why)) => (Err(Denied::of_user(user, wanted, &why)), HOLDS),
            Err(error) => (Err(self.unknown("authorize the caller", &error)), RESTS),
        }
    }

    /// Returns the rejection for a cluster that does not answer. The cause appears only in the log,
    /// for the administrators of this server.
    fn unknown(&self, what: &'static str, error: &Unanswered) -> Denied {
        if self.is_news("unanswered") {
            tracing::warn!(error = with_causes(error), "the cluster failed to {what}");
        }
        Denied::unanswered(what)
    }

    fn crowded(&self, from: Option<IpAddr>) -> Denied {
        if self.is_news("crowded") {
            tracing::warn!(?from, "too many callers wait for their authorization");
        }
        Denied {
            code: Code::Unavailable,
            message:
                "too many callers wait for their authorization by the cluster; retry in a moment, \
                 or use another replica"
                    .to_owned(),
        }
    }

    fn is_news(&self, complaint: &'static str) -> bool {
        let is_news = self.complaints.held(&complaint).is_none();
        if is_news {
            self.complaints.keep(complaint, (), HOLDS);
        }
        is_news
    }
}

/// Returns the resource of a service. Returns None for reflection and for unknown methods. Every
/// known user may call reflection. Unknown methods are not served.
fn resource(service: &str) -> Result<Option<(&'static str, bool)>, Denied> {
    let known = RESOURCES.iter().find(|(name, ..)| *name == service);
    match known {
        Some((_, resource, is_namespaced)) => Ok(Some((resource, *is_namespaced))),
        None if service.starts_with("grpc.reflection.") || service == "unknown" => Ok(None),
        None => Err(Denied {
            code: Code::PermissionDenied,
            message: format!("no permission exists for {service}, so no user can call it"),
        }),
    }
}

// === impl Denied ===

impl Denied {
    fn without_token() -> Self {
        Self {
            code: Code::Unauthenticated,
            message: format!(
                "this server requires a token of the cluster for the audience {AUDIENCE}, as \
                 `authorization: Bearer TOKEN`; create a token with `kubectl create token NAME \
                 --audience {AUDIENCE}`"
            ),
        }
    }

    fn of_length(length: usize) -> Self {
        Self {
            code: Code::Unauthenticated,
            message: format!("the token has {length} bytes; the maximum is {LONGEST_TOKEN}"),
        }
    }

    fn unanswered(what: &str) -> Self {
        Self {
            code: Code::Unavailable,
            message: format!("the cluster failed to {what}; the log of this server has the reason"),
        }
    }

    fn of_token(why: &str) -> Self {
        Self {
            code: Code::Unauthenticated,
            message: format!("the cluster does not recognize the token: {why}"),
        }
    }

    fn of_user(user: &UserInfo, wanted: &Wanted, why: &str) -> Self {
        let user = user.username.as_deref().unwrap_or("a user without a name");
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
                "{user} cannot get {resource} of the API group {GROUP} {place}{why}; a role with \
                 this rule permits it"
            ),
        }
    }
}

impl From<Denied> for Status {
    fn from(refusal: Denied) -> Self {
        Self::new(refusal.code, refusal.message)
    }
}

#[cfg(test)]
mod tests;
