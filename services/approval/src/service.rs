//! The gRPC server of approval.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::future::join_all;
use futures::stream::BoxStream;
use jiff::Timestamp;
use portolan_core_approval::Namespace;
use portolan_core_approval::consent::Terms;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_server::ApprovalServer;
use portolan_scaffold::Snapshots;
use portolan_world::World;
use tonic::{Request, Response, Status};

use crate::clock::Clock;
use crate::judges::Judges;
use crate::news::{PlanNews, UpgradeNews};
use crate::question::Whole;
use crate::restricted::{restraints, restricted};
use crate::snapshot::{Located, Snapshot, UpgradeFacts};
use crate::{cache, wire};

/// Processes requests with the current Snapshot. Clones share the Snapshot and the task that
/// watches the world. The task ends when the last clone and the last stream are dropped.
#[derive(Debug, Clone)]
pub struct Approval {
    snapshots: Snapshots<Snapshot>,
    judges: Judges,
    clock: Clock,
}

/// The options of an [`Approval`] service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The only namespace whose InstallPlans are observed. None for all namespaces. Policies are
    /// always observed in all namespaces, because they may apply to other namespaces.
    pub namespace: Option<String>,
    /// True if the service stores the facts of its reviews, which [`Approval::grounds`] returns.
    pub keeps_grounds: bool,
    /// The default decisions for upgrades in this cluster. None if upgrades are disabled.
    /// UpgradePolicies are then not read.
    pub upgrades: Option<Terms>,
    /// The time for which reviews are computed. None for the current time.
    pub at: Option<Timestamp>,
}

/// The facts with which the InstallPlans of each namespace were reviewed.
pub type Grounds = BTreeMap<Arc<str>, Arc<Namespace>>;

/// The result of a method with a single response.
type Answered<T> = Result<Response<T>, Status>;

// === impl Approval ===

impl Approval {
    /// Creates the service and starts to watch a world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(world: impl World, options: Options) -> Self {
        let clock = options.at.map_or(Clock::Now, Clock::At);
        let snapshots = Snapshots::following(|cell| cache::follow(world, options, cell));
        Self {
            clock,
            ..Self::answering(snapshots)
        }
    }

    /// Creates a service that uses the Snapshots that another task publishes.
    pub(crate) fn answering(snapshots: Snapshots<Snapshot>) -> Self {
        Self {
            snapshots,
            judges: Judges::default(),
            clock: Clock::Now,
        }
    }

    #[cfg(test)]
    pub(crate) fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Applies the restrictions at the current time to a review.
    async fn now(&self, facts: Option<&Arc<UpgradeFacts>>, located: Located) -> Located {
        let Located { namespace, review } = located;
        let now = restricted(&self.judges, facts, &review, self.clock.now()).await;
        Located {
            namespace,
            review: now.review,
        }
    }

    /// Waits until all kinds have been listed or cannot be listed. Also returns if the world ends.
    pub async fn settled(&self) {
        self.snapshots.settled().await;
    }

    /// Waits until the world is no longer watched: its objects can no longer be watched, or the
    /// task has panicked.
    pub async fn wait_for_end(&self) {
        self.snapshots.wait_for_end().await;
    }

    /// Returns the facts of the latest reviews. Returns None if facts are not stored, or if the
    /// objects have not been listed yet. The current restrictions are applied to the facts of this
    /// namespace. Without a namespace, they are applied to the facts of all namespaces.
    pub async fn grounds(&self, namespace: Option<&str>) -> Option<Grounds> {
        let snapshot = self.snapshots.current()?.snapshot;
        let mut grounds = snapshot.grounds.clone();
        let (facts, now) = (snapshot.upgrades.as_ref(), self.clock.now());
        let meant = snapshot.reviews();
        let meant = meant.filter(|(name, _)| namespace.is_none_or(|only| only == &***name));
        let found = meant.map(async |(name, review)| {
            let (found, _) = restraints(&self.judges, facts, review, now).await;
            (name, found)
        });
        for (name, found) in join_all(found).await {
            if let Some(namespace) = grounds.get_mut(name).filter(|_| !found.is_empty()) {
                Arc::make_mut(namespace).restraints.extend(found);
            }
        }
        Some(grounds)
    }

    /// Returns the gRPC service, for use by a server or within this process.
    pub fn into_service(self) -> ApprovalServer<Self> {
        // `portolan-shell` limits the message size for all services, and returns the correct gRPC
        // code.
        ApprovalServer::new(self).max_decoding_message_size(usize::MAX)
    }
}

#[tonic::async_trait]
impl pb::approval_server::Approval for Approval {
    type WatchStream = BoxStream<'static, Result<pb::WatchResponse, Status>>;
    type WatchUpgradesStream = BoxStream<'static, Result<pb::WatchUpgradesResponse, Status>>;

    async fn review_plan(
        &self,
        request: Request<pb::ReviewPlanRequest>,
    ) -> Answered<pb::ReviewPlanResponse> {
        let question = wire::decode_review_plan(request.get_ref());
        let (found, facts) = self.snapshots.answer(question, |question, snapshot| {
            Ok((question.ask(snapshot)?, snapshot.upgrades.clone()))
        })?;
        let found = self.now(facts.as_ref(), found).await;
        Ok(Response::new(wire::encode_review_plan(&found)))
    }

    async fn review_namespace(
        &self,
        request: Request<pb::ReviewNamespaceRequest>,
    ) -> Answered<pb::ReviewNamespaceResponse> {
        let question = wire::decode_review_namespace(request.get_ref());
        let (whole, facts) = self.snapshots.answer(question, |question, snapshot| {
            Ok((question.ask(snapshot)?, snapshot.upgrades.clone()))
        })?;
        let reviews = whole.reviews.into_iter();
        let reviews = reviews.map(|located| self.now(facts.as_ref(), located));
        let whole = Whole {
            reviews: join_all(reviews).await,
            ..whole
        };
        Ok(Response::new(wire::encode_review_namespace(&whole)))
    }

    async fn review_upgrade(
        &self,
        request: Request<pb::ReviewUpgradeRequest>,
    ) -> Answered<pb::ReviewUpgradeResponse> {
        let question = wire::decode_review_upgrade(request.get_ref(), self.clock.now());
        let asked = self.snapshots.answer(question, |question, snapshot| {
            question
                .ask(snapshot)
                .map(|known| (question.clone(), known))
        })?;
        let (question, known) = asked;
        let answer = self.judges.judge(question, known).await;
        Ok(Response::new(wire::encode_review_upgrade(&answer)))
    }

    async fn watch(&self, request: Request<pb::WatchRequest>) -> Answered<Self::WatchStream> {
        let question = wire::decode_watch(request.get_ref());
        let question = self.snapshots.answer(question, |question, snapshot| {
            question.ask(snapshot).map(|()| question.clone())
        })?;
        let news = PlanNews::new((self.judges.clone(), self.clock), question.namespace);
        let messages = self.snapshots.watch_with(news);
        let messages = messages.map(|message| Ok(wire::encode_message(message)));
        Ok(Response::new(messages.boxed()))
    }

    async fn watch_upgrades(
        &self,
        request: Request<pb::WatchUpgradesRequest>,
    ) -> Answered<Self::WatchUpgradesStream> {
        let question = wire::decode_watch_upgrades(request.get_ref());
        let asked = self.snapshots.answer(question, |question, snapshot| {
            question.ask(snapshot).map(|()| question.asked.clone())
        })?;
        let news = UpgradeNews::new((self.judges.clone(), self.clock), asked);
        let messages = self.snapshots.watch_with(news);
        let messages = messages.map(|message| Ok(wire::encode_upgrade_message(message)));
        Ok(Response::new(messages.boxed()))
    }
}
