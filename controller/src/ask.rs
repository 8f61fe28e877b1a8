//! Gets the responses of the resolver, the health service and the approval service. If a service
//! offers a stream of changes, the controller keeps the stream open. Other responses are requested
//! when they are needed, and cached.
//!
//! ```text
//! health    Watch         -\
//! approval  Watch          -> last known state ----\
//! resolver  WatchCatalogs -/    |                  +-> Answers
//!                               v                 |
//! resolver  questions -> kept until the catalog changes
//! ```
//!
//! While nothing changes, no request is repeated. Therefore a second decision about a policy causes
//! no call. If a service is unreachable, the response is [`Answer::Unavailable`], and the request
//! is retried with growing pauses. [`Services::changed`] reports new responses.

mod cache;
mod catalogs;
mod changes;
mod components;
mod consents;
mod follow;
mod followed;
mod images;
mod operators;
mod parts;
mod resolver;
mod reviews;
mod status;
mod streams;
mod subject;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use portolan_api::Intent;
use portolan_core_operatorpolicy::{Answer, Answers, Observed, StepOutcome, Target};
use portolan_proto::DESCRIPTORS;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_shell::client::{self, ConnectTo, Connection, LONGEST_ANSWER, Terms};

use self::catalogs::Catalogs;
use self::changes::ChangeQueue;
pub(crate) use self::changes::Topic;
pub(crate) use self::components::ComponentCatalogs;
use self::follow::Follower;
pub(crate) use self::images::BundleImages;
pub(crate) use self::operators::OperatorCatalogs;
use self::resolver::Resolver;
use self::reviews::Reviews;
use self::streams::HealthItem;
use self::subject::Subject;
pub use self::wire::{encode_api, encode_namespace};
use crate::flags::ServiceFlags;

/// The maximum time for one response.
const DEADLINE: Duration = Duration::from_secs(5);

/// The connections to the services, over a network or within the process ([`client::local`]). All
/// controllers of a process share these connections.
#[derive(Debug, Clone)]
pub struct Connections {
    /// The connection to the resolver.
    pub resolver: Connection,
    /// The connection to the health service.
    pub health: Connection,
    /// The connection to the approval service.
    pub approval: Connection,
}

/// The services and their responses. The streams end when this value is dropped.
#[derive(Debug)]
pub(crate) struct Services {
    catalogs: Catalogs,
    health: Follower<HealthItem>,
    reviews: Reviews,
    changes: Arc<ChangeQueue>,
}

/// A function that returns the current time. Tests use another function.
#[derive(Clone)]
struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

// === impl Connections ===

impl Connections {
    /// Connects to services over a network. An unreachable service is not an error here, because
    /// later responses report it. Must be called within a Tokio runtime.
    ///
    /// Each request has a deadline. The deadline of the connections is the longest of these
    /// deadlines.
    ///
    /// # Errors
    /// Returns an error if an address is not a URL of a server.
    pub(crate) fn remote(addresses: &ServiceFlags) -> Result<Self, ConnectTo> {
        let ServiceFlags {
            resolver,
            health,
            approval,
            credentials,
        } = addresses;
        let terms = Terms::queries(DESCRIPTORS, operators::PULL).with(credentials.clone());
        let remote = |url: &str| client::remote(url, terms.clone());
        Ok(Self {
            resolver: remote(resolver)?,
            health: remote(health)?,
            approval: remote(approval)?,
        })
    }
}

// === impl Services ===

impl Services {
    /// Opens the streams of the services. Must be called within a Tokio runtime.
    pub(crate) fn of(connections: Connections) -> Self {
        Self::over(connections, Clock(Arc::new(Timestamp::now)))
    }

    fn over(connections: Connections, clock: Clock) -> Self {
        let changes = Arc::new(ChangeQueue::default());
        let resolver = Resolver::over(connections.resolver, changes.clone(), clock.clone());
        let health =
            HealthClient::new(connections.health).max_decoding_message_size(LONGEST_ANSWER);
        let approval = ApprovalClient::new(connections.approval);
        let approval = approval.max_decoding_message_size(LONGEST_ANSWER);
        let reviews = Follower::start(approval.clone(), changes.clone(), clock.clone());
        Self {
            catalogs: Catalogs::new(resolver),
            health: Follower::start(health, changes.clone(), clock.clone()),
            reviews: Reviews::new(approval, reviews, (changes.clone(), clock)),
            changes,
        }
    }

    /// Waits until a response of a service changes. Returns the affected topics without duplicates.
    /// Only one task may call this method at a time.
    pub(crate) async fn changed(&self) -> Vec<Topic> {
        self.changes.next().await
    }

    /// Returns the responses of the services about a policy. There are no responses about an
    /// invalid policy.
    pub(crate) async fn ask(&self, intent: Option<&Intent>, observed: &Observed) -> Answers {
        let Some(intent) = intent else {
            return Answers::default();
        };
        let subject = Subject::of(intent, observed);
        let catalog = subject.catalog(|| self.catalogs.names());
        let asker = asker(&subject, &catalog);
        let about = (catalog.as_str(), subject.package());
        let package = self.catalogs.package(&asker, about).await;
        let offered = match &package {
            Answer::Found(package) => package.offer.catalog.as_str(),
            Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => catalog.as_str(),
        };
        let (offer, modes, route, conflict, reviews) = futures::join!(
            self.offer(&asker, &subject, &package),
            self.modes(&asker, &subject, &package),
            self.route(&asker, &subject, &package),
            self.conflict(&asker, &subject),
            self.reviews(&subject),
        );
        Answers {
            sight: self.catalogs.sight(offered),
            offer,
            modes,
            route,
            conflict,
            operator: self.operator(&subject),
            catalog: self.catalog(offered),
            reviews,
        }
    }

    /// Requests from the approval service if an InstallPlan may be approved in exactly the version
    /// of `target`, with the policies that this process has read. The controller calls this method
    /// immediately before it approves the InstallPlan.
    pub(crate) async fn still_allowed(
        &self,
        target: &Target,
        observed: &Observed,
    ) -> Result<(), StepOutcome> {
        self.reviews.still_allowed(target, observed).await
    }
}

/// Returns the topic whose policies must be reconciled when this request can be repeated.
fn asker(subject: &Subject<'_>, catalog: &str) -> Topic {
    match (subject.namespace(), catalog) {
        (Some(namespace), _) => Topic::Namespace(namespace.to_owned()),
        (None, "") => Topic::Everything,
        (None, catalog) => Topic::Catalog(catalog.to_owned()),
    }
}

// === impl Clock ===

impl Clock {
    fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests;
