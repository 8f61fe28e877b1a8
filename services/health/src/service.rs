//! The tonic side of health.

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

/// Answers from the current Snapshot. Clones share it, and what follows the world for it: that
/// ends with the last of them, streams included.
#[derive(Debug, Clone)]
pub struct Health {
    snapshots: Snapshots<Snapshot>,
}

/// The options of a [`Health`] service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The only namespace whose operators are observed; None for all. Catalogs of all namespaces
    /// are observed.
    pub namespace: Option<String>,
    /// The pace at which the registries of a cluster are asked; None for not at all. The results
    /// for the registries of a dump are in the dump.
    pub probes: Option<Pace>,
    /// True if the facts of verdicts are kept as well; see [`Health::grounds`].
    pub keeps_grounds: bool,
}

/// The facts that everything was judged by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grounds {
    /// The namespaces with an operator or a Subscription.
    pub namespaces: BTreeMap<Arc<str>, Arc<Namespace>>,
    /// The catalogs, with what came of asking their registries.
    pub catalogs: Vec<Registry>,
    /// The reason why there may be operators that cannot be listed, if there is one.
    pub unseen: Option<String>,
}

/// The result of a method of one answer.
type Answered<T> = Result<Response<T>, Status>;

// === impl Health ===

impl Health {
    /// Follows a world from now on.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn of(world: impl World, options: Options) -> Self {
        Self::answering(Snapshots::following(|cell| {
            cache::follow(world, options, cell)
        }))
    }

    /// Answers from Snapshots that another task publishes.
    pub(crate) fn answering(snapshots: Snapshots<Snapshot>) -> Self {
        Self { snapshots }
    }

    /// Waits until every kind has been listed or refused, the objects below unhealthy Deployments
    /// have been read, and each registry has answered or failed. Also returns if the world ends
    /// before.
    pub async fn settled(&self) {
        self.snapshots.settled().await;
    }

    /// Also waits until the API server has answered, however long that takes.
    pub async fn heard(&self) {
        self.snapshots.heard().await;
    }

    /// Waits until the world is followed no longer, as it has ended or following it has panicked.
    pub async fn wait_for_end(&self) {
        self.snapshots.wait_for_end().await;
    }

    /// Returns the facts of the latest verdicts, if they are kept. None before the objects have
    /// been listed.
    pub fn grounds(&self) -> Option<Grounds> {
        Some(self.snapshots.current()?.snapshot.grounds.clone())
    }

    /// The gRPC service, for a server or to be called in this process.
    pub fn into_service(self) -> HealthServer<Self> {
        // The shell limits messages for all services, with the code that gRPC has for it.
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
            // A watcher that knows operators from another server would regard them as deleted.
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
