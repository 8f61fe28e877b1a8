//! The reasons why a comparison fails.

use std::error::Error;
use std::io;
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Rig(#[from] portolan_rig::Failure),
    #[error("{act}")]
    Touch { act: String, source: io::Error },
    #[error("build portolan")]
    Build(#[source] io::Error),
    #[error("write a document of a generated catalog")]
    Write(#[source] Box<dyn Error + Send + Sync>),
    #[error("{program} ended before it answered; its last words: {said}")]
    Ended { program: String, said: String },
    #[error("{program} does not answer within {} s; the last answer: {last}", patience.as_secs())]
    Silent {
        program: String,
        patience: Duration,
        last: Box<tonic::Status>,
    },
    #[error("call {method}: {status}")]
    Call {
        method: &'static str,
        status: Box<tonic::Status>,
    },
    #[error("{0}")]
    Expect(String),
}

// === impl Failure ===

impl Failure {
    pub(crate) fn touch(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let act = format!("{verb} {}", path.display());
        move |source| Self::Touch { act, source }
    }

    /// Returns the failure and all its causes in one line.
    pub(crate) fn chain(&self) -> String {
        let mut chain = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            chain.push_str(&format!(": {error}"));
            cause = error.source();
        }
        chain
    }
}
