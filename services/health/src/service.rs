//! The gRPC server of health.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::BoxStream;
use portolan_core_health::{Namespace, Registry};
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::health_server::HealthServer;
use portolan_scaffold::Snapshots;
use portolan_world::World;
use tonic::{Request, Response, Status};

use crate::probe::Pace;
use crate::question::{RequestError, Watch};
use crate::snapshot::Snapshot;
use crate::{cache, wire};

/// Processes requests with the current Snapshot. Clones share the Snapshot and the task that
/// watches the world. The task ends when the last clone and the last stream are dropped.
#[derive(Debug, Clone)]
pub struct Health {
    snapshots: Snapshots<Snapshot>,
}

/// The options of a [`Health`] service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The only namespace whose operators are observed. None for all namespaces. Catalogs are
    /// always observed in all namespaces.
    pub namespace: Option<String>,
    /// The intervals for probing the registries of a cluster. None to disable probes. For a dump,
    /// the results come from the dump.
    pub probes: Option<Pace>,
    /// True if the service stores the facts of its verdicts, which [`Health::grounds`] returns.
    pub keeps_grounds: bool,
}

/// The facts that determined the verdicts on all operators and catalogs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grounds {
    /// The namespaces with an operator or a Subscription.
    pub namespaces: BTreeMap<Arc<str>, Arc<Namespace>>,
    /// The catalogs, with the results of probing their registries.
    pub catalogs: Vec<Registry>,
    /// The reason why operators may exist that cannot be listed. None if all operators are known.
    pub unseen: Option<String>,
}

/// The result of a method with a single response.
type Answered<T> = Result<Response<T>, Status>;

// === impl Health ===

impl Health {
    /// Creates the service and starts to watch a world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(world: impl World, options: Options) -> Self {
        Self::answering(Snapshots::following(|cell| {
            cache::follow(world, options, cell)
        }))
    }

    /// Creates a service that uses the Snapshots that another task publishes.
    pub(crate) fn answering(snapshots: Snapshots<Snapshot>) -> Self {
        Self { snapshots }
    }

    /// Waits until the first verdicts are complete. Then all kinds were listed or cannot be listed,
    /// the objects below unhealthy Deployments were read, and each registry has responded or
    /// failed. Also returns if the world ends.
    pub async fn settled(&self) {
        self.snapshots.settled().await;
    }

    /// Waits like [`Self::settled`], and also until the API server has responded, which may never
    /// happen.
    pub async fn heard(&self) {
        self.snapshots.heard().await;
    }

    /// Waits until the world is no longer watched: its objects can no longer be watched, or the
    /// task has panicked.
    pub async fn wait_for_end(&self) {
        self.snapshots.wait_for_end().await;
    }

    /// Returns the facts that determined the latest verdicts. Returns None if facts are not stored,
    /// or if the objects have not been listed yet.
    pub fn grounds(&self) -> Option<Grounds> {
        Some(self.snapshots.current()?.snapshot.grounds.clone())
    }

    /// Returns the gRPC service, for use by a server or within this process.
    pub fn into_service(self) -> HealthServer<Self> {
        // `portolan-shell` limits the message size for all services, and returns the correct gRPC
        // code.
        HealthServer::new(self).max_decoding_message_size(usize::MAX)
    }

    fn answer<Q, A>(
        &self,
        question: Result<Q, RequestError>,
        ask: impl FnOnce(&Q, &Snapshot) -> Result<A, RequestError>,
    ) -> Answered<A> {
        self.snapshots.answer(question, ask).map(Response::new)
    }
}

#[tonic::async_trait]
impl pb::health_server::Health for Health {
    type WatchStream = BoxStream<'static, Result<pb::WatchResponse, Status>>;

    async fn get_operator(
        &self,
        request: Request<pb::GetOperatorRequest>,
    ) -> Answered<pb::GetOperatorResponse> {
        let question = wire::decode_get_operator(request.get_ref());
        self.answer(question, |question, snapshot| {
            question
                .ask(snapshot)
                .map(|found| wire::encode_get_operator(found))
        })
    }

    async fn list_operators(
        &self,
        request: Request<pb::ListOperatorsRequest>,
    ) -> Answered<pb::ListOperatorsResponse> {
        let question = wire::decode_list_operators(request.get_ref());
        self.answer(question, |question, snapshot| {
            let page = question.ask(snapshot)?;
            Ok(wire::encode_list_operators(&page))
        })
    }

    async fn get_catalog(
        &self,
        request: Request<pb::GetCatalogRequest>,
    ) -> Answered<pb::GetCatalogResponse> {
        let question = wire::decode_get_catalog(request.get_ref());
        self.answer(question, |question, snapshot| {
            question
                .ask(snapshot)
                .map(|found| wire::encode_get_catalog(found))
        })
    }

    async fn list_catalogs(
        &self,
        request: Request<pb::ListCatalogsRequest>,
    ) -> Answered<pb::ListCatalogsResponse> {
        let question = wire::decode_list_catalogs(request.get_ref());
        self.answer(question, |question, snapshot| {
            let catalogs = question.ask(snapshot)?;
            Ok(wire::encode_list_catalogs(&catalogs))
        })
    }

    async fn watch(&self, request: Request<pb::WatchRequest>) -> Answered<Self::WatchStream> {
        let question = wire::decode_watch(request.get_ref());
        let Watch { namespace } = self.snapshots.answer(question, |question, snapshot| {
            // The watch must not start with an incomplete list. A client that has received
            // operators from another server would consider the missing operators deleted.
            let is_seen = snapshot.are_operators_seen(question.namespace.as_deref());
            is_seen.map(|()| question.clone())
        })?;
        let messages = self
            .snapshots
            .watch(move |now, before| now.since(before, namespace.as_deref()));
        let messages = messages.map(|message| Ok(wire::encode_message(message)));
        Ok(Response::new(messages.boxed()))
    }
}
