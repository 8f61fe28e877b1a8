//! Checks the permissions of callers with access reviews of the cluster.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};
use portolan_core_installed::Installed;
use portolan_core_installed::apiserver::{Attributes, Caller, Form, Readable, Status};
use portolan_shell::with_causes;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout};

/// The time for which the result of an access review is reused.
const LASTS: Duration = Duration::from_secs(10);
/// The maximum time for a response of the cluster.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of cached results.
const MOST: usize = 4096;

/// Reviews if a caller has a permission.
pub(crate) trait Reviews: Debug + Send + Sync + 'static {
    fn review<'a>(
        &'a self,
        caller: &'a Caller,
        asked: &'a Attributes,
    ) -> BoxFuture<'a, Result<May, String>>;
}

/// The result of an access review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum May {
    Yes,
    /// Denied. The cluster may give a reason, which is empty otherwise.
    No(String),
}

/// Sends access reviews to the API server of the cluster.
#[derive(Debug)]
pub(crate) struct ClusterReviews(Api<SubjectAccessReview>);

/// Checks the permissions of callers. The results of access reviews are cached for a few seconds.
#[derive(Debug)]
pub(crate) struct Permissions {
    reviews: Box<dyn Reviews>,
    kept: Mutex<HashMap<(Caller, Attributes), CachedReview>>,
}

/// The result of an access review. Simultaneous requests that need the same review wait for one
/// result.
#[derive(Debug, Clone)]
struct CachedReview {
    until: Instant,
    answer: Arc<OnceCell<May>>,
}

// === impl ClusterReviews ===

impl ClusterReviews {
    pub(crate) fn of(client: Client) -> Self {
        Self(Api::all(client))
    }
}

impl Reviews for ClusterReviews {
    fn review<'a>(
        &'a self,
        caller: &'a Caller,
        asked: &'a Attributes,
    ) -> BoxFuture<'a, Result<May, String>> {
        Box::pin(async {
            let (by, review) = (PostParams::default(), review(caller.clone(), asked.clone()));
            let reviewed = self.0.create(&by, &review);
            let reviewed = timeout(PATIENCE, reviewed).await;
            let reviewed =
                reviewed.map_err(|_| "the API server does not answer in time".to_owned())?;
            let reviewed = reviewed.map_err(|error| with_causes(&error))?;
            let status = reviewed.status.unwrap_or_default();
            Ok(if status.allowed {
                May::Yes
            } else {
                May::No(status.reason.unwrap_or_default())
            })
        })
    }
}

fn review(caller: Caller, asked: Attributes) -> SubjectAccessReview {
    let Caller {
        user,
        uid,
        groups,
        extra,
    } = caller;
    let (resource, path) = match asked {
        Attributes::Resource {
            verb,
            group,
            version,
            resource,
            namespace,
            name,
        } => {
            let attributes = ResourceAttributes {
                group: Some(group.to_owned()),
                name: Some(name).filter(|name| !name.is_empty()),
                namespace: Some(namespace).filter(|namespace| !namespace.is_empty()),
                resource: Some(resource.to_owned()),
                verb: Some(verb.to_owned()),
                version: Some(version.to_owned()),
                ..ResourceAttributes::default()
            };
            (Some(attributes), None)
        }
        Attributes::Path { verb, path } => {
            let attributes = NonResourceAttributes {
                path: Some(path),
                verb: Some(verb.to_owned()),
            };
            (None, Some(attributes))
        }
    };
    SubjectAccessReview {
        spec: SubjectAccessReviewSpec {
            extra: Some(extra).filter(|extra| !extra.is_empty()),
            groups: Some(groups.into_iter().collect()),
            non_resource_attributes: path,
            resource_attributes: resource,
            uid: Some(uid).filter(|uid| !uid.is_empty()),
            user: Some(user),
        },
        ..SubjectAccessReview::default()
    }
}

// === impl Permissions ===

impl Permissions {
    pub(crate) fn of(reviews: impl Reviews) -> Self {
        Self {
            reviews: Box::new(reviews),
            kept: Mutex::default(),
        }
    }

    /// Returns an error with the reason if the caller does not have the permission.
    pub(crate) async fn permit(&self, caller: &Caller, asked: &Attributes) -> Result<(), Status> {
        match self.may(caller, asked).await? {
            May::Yes => Ok(()),
            May::No(why) => Err(Status::forbidden(&caller.user, asked, &why)),
        }
    }

    async fn may(&self, caller: &Caller, asked: &Attributes) -> Result<May, Status> {
        if caller.is_master() {
            return Ok(May::Yes);
        }
        let kept = self.kept(caller, asked);
        let asking = || async { self.reviews.review(caller, asked).await };
        let answer = kept.answer.get_or_try_init(asking).await;
        // An access review that fails neither permits nor denies the request, so its result is not
        // cached.
        let answer = answer.map_err(|why| {
            Status::internal(format!(
                "cannot check whether {:?} may do this: {why}",
                caller.user
            ))
        })?;
        Ok(answer.clone())
    }

    fn kept(&self, caller: &Caller, asked: &Attributes) -> CachedReview {
        let now = Instant::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (caller.clone(), asked.clone());
        if let Some(known) = kept.get(&key).filter(|known| now < known.until) {
            return known.clone();
        }
        if kept.len() >= MOST {
            kept.retain(|_, known| now < known.until);
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        let asked = CachedReview {
            until: now + LASTS,
            answer: Arc::default(),
        };
        kept.insert(key, asked.clone());
        asked
    }

    /// Returns the namespaces of these objects in which the caller may get Subscriptions. If an
    /// access review fails, the caller may not get the Subscriptions of its namespace.
    pub(crate) async fn readable<'a>(
        &self,
        caller: &Caller,
        form: Form,
        shown: impl IntoIterator<Item = &'a Installed>,
    ) -> Readable {
        let asked = Readable::asked(shown, form);
        if asked.is_empty() {
            return Readable::None;
        }
        if self.may_read(caller, "").await {
            return Readable::All;
        }
        let mut readable = BTreeSet::new();
        for namespace in asked {
            if self.may_read(caller, &namespace).await {
                readable.insert(namespace);
            }
        }
        Readable::In(readable)
    }

    async fn may_read(&self, caller: &Caller, namespace: &str) -> bool {
        let may = self
            .may(caller, &Attributes::subscriptions(namespace))
            .await;
        may == Ok(May::Yes)
    }
}
