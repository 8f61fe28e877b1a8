//! Sends the calls to a service that has several replicas.
//!
//! ```text
//! call -> [whom?] -> replica -> answered
//!           ^           | no answer, or UNAVAILABLE
//!           +-- again? -+ another replica, as long as that is safe
//! ```

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use http::{Request, Response};
use tokio_util::task::AbortOnDropHandle;
use tonic::body::Body;
use tower::{BoxError, Service};

use super::Retry;
use super::endpoints::Endpoints;
use super::question::{Attempt, Progress, Question};
use crate::methods::Methods;
use crate::pauses::Pauses;

/// The maximum number of rounds. In each round, a call tries all replicas.
const ROUNDS: usize = 3;

/// The first and the maximum pause between these rounds.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// Sends each call to an available replica. Clones share the connections.
#[derive(Debug, Clone)]
pub(super) struct Balanced {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    endpoints: Arc<Endpoints>,
    methods: Arc<Methods>,
    retry: Retry,
    /// The task that looks up and connects the replicas. The task ends when the last clone is
    /// dropped. Running calls do not need the task.
    _followed: AbortOnDropHandle<Infallible>,
}

type Ended = Result<Response<Body>, BoxError>;

// === impl Balanced ===

impl Balanced {
    pub(super) fn new(
        endpoints: Arc<Endpoints>,
        methods: Arc<Methods>,
        retry: Retry,
        followed: AbortOnDropHandle<Infallible>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                endpoints,
                methods,
                retry,
                _followed: followed,
            }),
        }
    }
}

impl Service<Request<Body>> for Balanced {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Ended>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let shared = self.shared.clone();
        Box::pin(async move {
            let method = shared.methods.at(request.uri().path());
            let mut question = Question::keep(request, method).await?;
            shared.answer(&mut question).await
        })
    }
}

// === impl Shared ===

impl Shared {
    /// Sends the call in several rounds until a replica answers, or until a repetition is useless
    /// or unsafe.
    async fn answer(&self, question: &mut Question) -> Ended {
        let mut pauses = Pauses::new(PAUSES.0, PAUSES.1);
        let mut asked = 0;
        for _ in 1..ROUNDS {
            match self.round(question, &mut asked).await {
                ControlFlow::Break(ended) => return ended,
                ControlFlow::Continue(_) => tokio::time::sleep(pauses.pause()).await,
            }
        }
        match self.round(question, &mut asked).await {
            ControlFlow::Break(ended) | ControlFlow::Continue(ended) => ended,
        }
    }

    /// Sends the call to every replica at most once. Returns the failure of the last replica if no
    /// replica answers.
    async fn round(&self, question: &mut Question, asked: &mut usize) -> ControlFlow<Ended, Ended> {
        let mut tried = Vec::new();
        let mut last = None;
        loop {
            let chosen = match self.endpoints.next(&tried).await {
                Ok(chosen) => chosen,
                Err(lost) => {
                    let unreached = || Err(lost.into_error());
                    return ControlFlow::Continue(last.unwrap_or_else(unreached));
                }
            };
            tried.push(chosen.address);
            let Attempt { end, progress } = question.ask(chosen).await;
            if progress == Progress::Answered {
                return ControlFlow::Break(end);
            }
            self.endpoints.doubt();
            *asked += usize::from(progress == Progress::Unknown);
            if !self.may_repeat(question, progress) || *asked >= self.most() {
                return ControlFlow::Break(end);
            }
            last = Some(end);
        }
    }

    fn may_repeat(&self, question: &Question, progress: Progress) -> bool {
        let safe = match progress {
            Progress::Answered => false,
            Progress::Unprocessed => true,
            Progress::Unknown => self.retry == Retry::Queries,
        };
        safe && question.is_at_hand()
    }

    /// Returns how many times a call may be sent at most, if it may have been processed.
    fn most(&self) -> usize {
        self.endpoints.len().max(2)
    }
}
