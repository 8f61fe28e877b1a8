//! The tonic side of approval.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::BoxStream;
use portolan_core_approval::Namespace;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_server::ApprovalServer;
use portolan_shell::{Epoch, Readiness};
use portolan_world::{Ended, World};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Request, Response, Status};

use crate::board::{Board, Posted};
use crate::census;
use crate::news::News;
use crate::question::Refusal;
use crate::snapshot::Snapshot;
use crate::wire;

/// Answers from the current Snapshot. Clones share it, and what follows the world for it: that
/// ends with the last of them, streams included.
#[derive(Debug, Clone)]
pub struct Approval {
    posted: watch::Receiver<Posted>,
    settled: Readiness,
    epoch: Epoch,
    /// None where somebody else follows.
    _following: Option<Arc<AbortOnDropHandle<Ended>>>,
}

/// What is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Only InstallPlans of this namespace; None for all. Policies are looked at everywhere, as
    /// they may work on other namespaces than their own.
    pub namespace: Option<String>,
    /// Whether what plans are judged by is kept as well; see [`Approval::grounds`].
    pub keeps_grounds: bool,
}

/// What the plans of each namespace were judged by.
pub type Grounds = BTreeMap<Arc<str>, Arc<Namespace>>;

/// What a method of one answer returns.
type Answered<T> = Result<Response<T>, Status>;

// === impl Approval ===

impl Approval {
    /// Follows a world from now on.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn of(world: impl World, reach: Reach) -> Self {
        let board = Board::new();
        let approval = Self::at(&board);
        let following = tokio::spawn(census::follow(world, reach, board));
        Self {
            _following: Some(Arc::new(AbortOnDropHandle::new(following))),
            ..approval
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

    /// Waits until everything has been looked at: each kind, or why it cannot be. If the world ends
    /// before, it returns as well.
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

    /// What the newest reviews were made from, where that is kept; None before the first look.
    pub fn grounds(&self) -> Option<Grounds> {
        let posted = self.posted.borrow().clone()?;
        Some(posted.grounds.clone())
    }

    /// The gRPC service, for a server or to be called in this process.
    pub fn into_service(self) -> ApprovalServer<Self> {
        // The shell limits messages for all services, with the code that gRPC has for it.
        ApprovalServer::new(self).max_decoding_message_size(usize::MAX)
    }

    fn current(&self) -> Result<Arc<Snapshot>, Refusal> {
        self.posted.borrow().clone().ok_or(Refusal::NotYet)
    }

    fn answer<Q, A>(
        &self,
        question: Result<Q, Refusal>,
        ask: impl FnOnce(&Q, &Snapshot) -> Result<A, Refusal>,
    ) -> Result<A, Status> {
        let answered = question.and_then(|question| ask(&question, &*self.current()?));
        answered.map_err(wire::encode_refusal)
    }
}

#[tonic::async_trait]
impl pb::approval_server::Approval for Approval {
    type WatchStream = BoxStream<'static, Result<pb::WatchResponse, Status>>;

    async fn review_plan(
        &self,
        request: Request<pb::ReviewPlanRequest>,
    ) -> Answered<pb::ReviewPlanResponse> {
        let question = wire::decode_review_plan(request.get_ref());
        let found = self.answer(question, |question, snapshot| question.ask(snapshot))?;
        Ok(Response::new(wire::encode_review_plan(&found)))
    }

    async fn review_namespace(
        &self,
        request: Request<pb::ReviewNamespaceRequest>,
    ) -> Answered<pb::ReviewNamespaceResponse> {
        let question = wire::decode_review_namespace(request.get_ref());
        let whole = self.answer(question, |question, snapshot| question.ask(snapshot))?;
        Ok(Response::new(wire::encode_review_namespace(&whole)))
    }

    async fn watch(&self, request: Request<pb::WatchRequest>) -> Answered<Self::WatchStream> {
        let question = wire::decode_watch(request.get_ref());
        let question = self.answer(question, |question, snapshot| {
            question.ask(snapshot).map(|()| question.clone())
        })?;
        let news = News::of(self.posted.clone(), self.epoch.clone(), question);
        // Who listens keeps the world followed.
        let approval = self.clone();
        let stream = news.into_stream().inspect(move |_| {
            let _ = &approval;
        });
        Ok(Response::new(stream.boxed()))
    }
}
