//! The tonic side of health.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::BoxStream;
use portolan_core_health::{CatalogSource, Namespace, Probe};
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::health_server::HealthServer;
use portolan_shell::{Epoch, Readiness};
use portolan_world::{Ended, World};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Request, Response, Status};

use crate::board::{Board, Posted};
use crate::census;
use crate::news::News;
use crate::probe::Pace;
use crate::question::Refusal;
use crate::snapshot::Snapshot;
use crate::wire;

/// Answers from the current Snapshot. Clones share it, and what follows the world for it: that
/// ends with the last of them, streams included.
#[derive(Debug, Clone)]
pub struct Health {
    posted: watch::Receiver<Posted>,
    settled: Readiness,
    epoch: Epoch,
    /// None where somebody else follows.
    _following: Option<Arc<AbortOnDropHandle<Ended>>>,
}

/// What is looked at, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Only operators of this namespace; None for all. Catalogs are looked at everywhere.
    pub namespace: Option<String>,
    /// How the registries of a cluster are asked; None for not at all. What came of asking those of
    /// a dump is in the dump.
    pub probes: Option<Pace>,
    /// Whether what operators are judged by is kept as well; see [`Health::grounds`].
    pub keeps_grounds: bool,
}

/// What everything was judged by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grounds {
    /// The namespaces that have an operator, or shall have one.
    pub namespaces: BTreeMap<Arc<str>, Arc<Namespace>>,
    /// The catalogs, with what came of asking their registries.
    pub catalogs: Vec<(CatalogSource, Probe)>,
    /// Why there may be operators that nobody sees, if that is so.
    pub unseen: Option<String>,
}

/// What a method of one answer returns.
type Answered<T> = Result<Response<T>, Status>;

// === impl Health ===

impl Health {
    /// Follows a world from now on.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn of(world: impl World, reach: Reach) -> Self {
        let board = Board::new();
        let health = Self::at(&board);
        let following = tokio::spawn(census::follow(world, reach, board));
        Self {
            _following: Some(Arc::new(AbortOnDropHandle::new(following))),
            ..health
        }
    }

    /// Answers from what somebody else posts.
    pub(crate) fn at(board: &Board) -> Self {
        Self {
            posted: board.watch(),
            settled: board.settled(),
            epoch: Epoch::begin(),
            _following: None,
        }
    }

    /// Waits until everything has been looked at: each kind, or why it cannot be; what is below the
    /// Deployments that are not fine; and each registry that shall be asked has answered, or has
    /// failed to. If the world ends before, it returns as well.
    pub async fn settled(&self) {
        tokio::select! {
            () = self.settled.ready() => {}
            () = self.ended() => {}
        }
    }

    /// Waits until the world is followed no longer, as it has ended or following it has panicked.
    pub async fn ended(&self) {
        let mut posted = self.posted.clone();
        // Nobody is as picky as that: it waits until nothing more is posted.
        let _ = posted.wait_for(|_| false).await;
    }

    /// What the newest answers were judged by, where that is kept; None before the first look.
    pub fn grounds(&self) -> Option<Grounds> {
        let posted = self.posted.borrow().clone()?;
        Some(posted.grounds.clone())
    }

    /// The gRPC service, for a server or to be called in this process.
    pub fn into_service(self) -> HealthServer<Self> {
        // The shell limits messages for all services, with the code that gRPC has for it.
        HealthServer::new(self).max_decoding_message_size(usize::MAX)
    }

    fn current(&self) -> Result<Arc<Snapshot>, Refusal> {
        self.posted.borrow().clone().ok_or(Refusal::NotYet)
    }

    fn answer<Q, A>(
        &self,
        question: Result<Q, Refusal>,
        ask: impl FnOnce(&Q, &Snapshot) -> Result<A, Refusal>,
    ) -> Answered<A> {
        let answered = question.and_then(|question| ask(&question, &*self.current()?));
        answered.map(Response::new).map_err(wire::encode_refusal)
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
        let question = wire::decode_watch(request.get_ref()).map_err(wire::encode_refusal)?;
        // Whoever was told of operators elsewhere would take all of them for gone.
        let current = self.current();
        let is_seen =
            current.and_then(|current| current.are_operators_seen(question.namespace.as_deref()));
        is_seen.map_err(wire::encode_refusal)?;
        let news = News::of(self.posted.clone(), self.epoch.clone(), question);
        // Who listens keeps the world followed.
        let health = self.clone();
        let stream = news.into_stream().inspect(move |_| {
            let _ = &health;
        });
        Ok(Response::new(stream.boxed()))
    }
}
