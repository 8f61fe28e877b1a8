//! The one way to the API server for what writes.

use std::fmt;
use std::time::Duration;

use kube::Client;
use kube::core::Status;
use portolan_core_operatorpolicy::Outcome;
use portolan_shell::with_causes;
use tokio::time::timeout;

use crate::metrics::Writes;
use portolan_runtime::lease::Fence;

#[cfg(test)]
mod tests;

/// How long a request may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// A way to the API server that ends when this process may write no more.
pub(super) struct Line {
    client: Client,
    fence: Fence,
    writes: Writes,
}

/// Why something was not written, or may not have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFailure {
    /// The object is not as it was seen; look again.
    #[error("it is not as it was seen: {0}")]
    Changed(String),
    /// The API server refuses, in its own sentence.
    #[error("the API server refuses: {0}")]
    Refused(String),
    /// Nobody knows whether it is written.
    #[error("it is not known whether it is written: {0}")]
    Lost(String),
}

/// A write, for who counts them: a verb and the kind that it is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deed<'a>(pub(super) &'static str, pub(super) &'a str);

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// An object that was not there.
    New,
    /// An object that was seen.
    Known,
}

// === impl Line ===

impl Line {
    pub(super) fn new(client: Client, fence: Fence) -> Self {
        let writes = Writes::default();
        Self {
            client,
            fence,
            writes,
        }
    }

    pub(super) fn counting(self, writes: Writes) -> Self {
        Self { writes, ..self }
    }

    pub(super) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Every write: it is counted, and does not begin, and does not go on, once the fence has
    /// fallen.
    pub(super) async fn write<T>(
        &self,
        Deed(verb, kind): Deed<'_>,
        about: About,
        request: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, WriteFailure> {
        let written = self.fenced(about, request).await;
        let result = match &written {
            Ok(_) => "done",
            Err(WriteFailure::Changed(_)) => "changed",
            Err(WriteFailure::Refused(_)) => "refused",
            Err(WriteFailure::Lost(_)) => "lost",
        };
        self.writes.count((kind, verb), result);
        written
    }

    async fn fenced<T>(
        &self,
        about: About,
        request: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, WriteFailure> {
        let Some(_pass) = self.fence.pass() else {
            let why = "this replica does not lead, and writes nothing";
            return Err(WriteFailure::Lost(why.to_owned()));
        };
        tokio::select! {
            // A process that was stopped in between looks at the fence first.
            biased;
            () = self.fence.fallen() => {
                let why = "this replica lost the lead before the API server answered";
                Err(WriteFailure::Lost(why.to_owned()))
            }
            answer = self.read(about, request) => answer,
        }
    }

    pub(super) async fn read<T>(
        &self,
        about: About,
        request: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, WriteFailure> {
        match timeout(DEADLINE, request).await {
            Ok(answer) => answer.map_err(|error| failure(about, &error)),
            Err(_) => Err(WriteFailure::Lost(format!(
                "the API server did not answer within {} s",
                DEADLINE.as_secs()
            ))),
        }
    }
}

// A client cannot be printed.
impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Line").field(&self.fence).finish()
    }
}

// === impl WriteFailure ===

impl From<WriteFailure> for Outcome {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Changed(why) => Self::Changed(why),
            WriteFailure::Refused(why) => Self::Refused(why),
            WriteFailure::Lost(why) => Self::Lost(why),
        }
    }
}

fn failure(about: About, error: &kube::Error) -> WriteFailure {
    match error {
        kube::Error::Api(status) => refusal(about, status),
        kube::Error::BuildRequest(_) => WriteFailure::Refused(with_causes(error)),
        _ => WriteFailure::Lost(with_causes(error)),
    }
}

/// What an answer of the API server means that is not what was asked for.
fn refusal(about: About, status: &Status) -> WriteFailure {
    let sentence = status.message.trim_end_matches('.').to_owned();
    match (status.code, about) {
        (409 | 410, _) | (404, About::Known) => WriteFailure::Changed(sentence),
        // The sentence of the API server does not tell what was wrong.
        (422, About::Known) if is_precondition(status) => {
            WriteFailure::Changed("somebody changed it meanwhile".to_owned())
        }
        // It was too much at once, or too late: it may be another time.
        (408 | 429, _) => WriteFailure::Lost(sentence),
        (400..=499, _) => WriteFailure::Refused(sentence),
        _ => WriteFailure::Lost(sentence),
    }
}

/// Whether the object is another one, or a JSON patch does not fit it: then the API server names
/// no kind and no field, as it would of an object that is not valid.
fn is_precondition(status: &Status) -> bool {
    let Some(details) = &status.details else {
        return true;
    };
    let is_patch = details.kind.is_empty() && details.causes.is_empty();
    is_patch
        || details
            .causes
            .iter()
            .any(|cause| cause.field == "metadata.uid")
}
