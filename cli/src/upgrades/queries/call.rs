//! A stream of queries to a resolver.

use portolan_proto::resolver::v1::batch_list_upgrades_response::Outcome;
use portolan_proto::resolver::v1::{
    BatchListUpgradesRequest, BatchListUpgradesResponse, ListUpgradesRequest,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::UNDER_WAY;
use crate::facts::{DEADLINE, ResolverConnection};

/// The code of a refusal by a server without the content of a catalog.
const NOT_YET: &str = "UNAVAILABLE";

/// A stream of queries, and the stream of their responses.
pub(super) struct Call {
    questions: mpsc::Sender<BatchListUpgradesRequest>,
    answers: Streaming<BatchListUpgradesResponse>,
}

/// The reason why the stream returns no more responses.
#[derive(Debug)]
pub(super) enum Broken {
    /// The server is unavailable. Another server may respond, or the same server later.
    Gone(Status),
    /// No server responds.
    Failed(Status),
}

// === impl Call ===

impl Call {
    /// Starts a stream with these queries. Their number must not exceed the limit for pending
    /// queries.
    pub(super) async fn begin(
        resolver: &mut ResolverConnection,
        first: &[ListUpgradesRequest],
    ) -> Result<Self, Broken> {
        let (questions, asked) = mpsc::channel(UNDER_WAY);
        for question in first {
            send(&questions, question.clone());
        }
        let asked = ReceiverStream::new(asked);
        let answers = resolver.call(async |client| client.batch_list_upgrades(asked).await);
        Ok(Self {
            questions,
            answers: answers.await?,
        })
    }

    pub(super) fn ask(&self, question: ListUpgradesRequest) {
        send(&self.questions, question);
    }

    /// Returns the next response. The time limit of its query starts at `since`.
    pub(super) async fn answer(&mut self, since: Instant) -> Result<Outcome, Broken> {
        match timeout_at(since + DEADLINE, self.answers.message()).await {
            Ok(Ok(Some(answer))) => check_outcome(answer.outcome.ok_or_else(unknown)?),
            Ok(Ok(None)) => Err(Broken::Gone(Status::unavailable(
                "the server closed the connection",
            ))),
            Ok(Err(status)) => Err(status.into()),
            Err(_) => Err(Broken::Failed(Status::deadline_exceeded(format!(
                "the server did not answer within {DEADLINE:?}"
            )))),
        }
    }

    /// Closes the stream cleanly, so that it does not count as broken.
    pub(super) async fn end(mut self) {
        drop(self.questions);
        // All queries have a response, so the end of the stream is expected.
        let _ = timeout_at(Instant::now() + DEADLINE, self.answers.message()).await;
    }
}

// === impl Broken ===

impl Broken {
    pub(super) fn into_status(self) -> Status {
        match self {
            Self::Gone(status) | Self::Failed(status) => status,
        }
    }
}

impl From<Status> for Broken {
    fn from(status: Status) -> Self {
        match status.code() {
            Code::Unavailable => Self::Gone(status),
            _ => Self::Failed(status),
        }
    }
}

fn send(questions: &mpsc::Sender<BatchListUpgradesRequest>, question: ListUpgradesRequest) {
    let question = BatchListUpgradesRequest {
        question: Some(question),
    };
    // The channel has room for all pending queries. If the receiver no longer exists, the missing
    // response reports the error.
    let _ = questions.try_send(question);
}

/// Returns an error for a server that has just started and has not loaded its catalogs yet.
fn check_outcome(outcome: Outcome) -> Result<Outcome, Broken> {
    match outcome {
        Outcome::Refused(refused) if refused.code == NOT_YET => {
            Err(Broken::Gone(Status::unavailable(refused.message)))
        }
        answered => Ok(answered),
    }
}

fn unknown() -> Broken {
    Broken::Failed(Status::internal(
        "the server sent an answer that this version of the program does not support; update the program",
    ))
}
