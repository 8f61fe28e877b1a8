//! A stream of queries to the resolver.

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

/// The code of an answer if the server does not have the content of the catalog yet.
const NOT_YET: &str = "UNAVAILABLE";

/// A stream of queries, and the stream of their answers.
pub(super) struct Call {
    questions: mpsc::Sender<BatchListUpgradesRequest>,
    answers: Streaming<BatchListUpgradesResponse>,
}

/// The reason why a stream returns no more answers.
#[derive(Debug)]
pub(super) enum Broken {
    /// The server is unavailable. Another server may answer, or the same server later.
    Gone(Status),
    /// No server can answer.
    Failed(Status),
}

// === impl Call ===

impl Call {
    /// Starts a stream with these queries. Their number must not exceed the limit for queries
    /// without an answer.
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

    /// Returns the next answer. The time limit of its query starts at `since`.
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

    /// Ends the stream after its last answer, so that the server does not report a broken stream.
    pub(super) async fn end(mut self) {
        drop(self.questions);
        // All queries have an answer, so the server now ends the stream. The result does not
        // matter.
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
    // The channel has space for all queries without an answer. If the stream has ended, the next
    // read of an answer returns the error.
    let _ = questions.try_send(question);
}

/// Returns an error if the server has just started and has not read its catalogs yet.
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
