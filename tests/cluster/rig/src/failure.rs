//! The error type of the rig. Each variant is about one kind of operation.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An error of the rig. The `Debug` output is the whole message with all causes, so that a test can
/// return the error or unwrap a result.
#[derive(thiserror::Error)]
pub enum Failure {
    #[error(
        "the test control plane is built with Go, which is not on this machine: install Go 1.26.3 \
         or newer (https://go.dev/dl), or set PORTOLAN_SKIP_CLUSTER=1 to leave these tests out"
    )]
    FindGo,
    #[error("cannot build {program}: {message}")]
    Build { program: String, message: String },
    #[error("cannot {act}")]
    Touch {
        act: String,
        #[source]
        source: io::Error,
    },
    #[error("cannot read {what}")]
    Read {
        what: String,
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    #[error("the supervisor failed: {message}")]
    Supervise { message: String },
    #[error("{component} ended by itself ({status}); the end of its log:\n{tail}")]
    Ended {
        component: String,
        status: String,
        tail: String,
    },
    #[error("the request to the API server failed")]
    Ask(#[source] Box<kube::Error>),
    #[error("no node can run on this machine: {why}")]
    NoNode { why: String },
    #[error(
        "{} is not static: build it with RUSTFLAGS='-C target-feature=+crt-static' and --target, or \
         add its libraries with --libraries",
        program.display()
    )]
    Dynamic { program: PathBuf },
    #[error("{why}")]
    Release { why: String },
    #[error("cannot push {what}: {why}")]
    Push { what: String, why: String },
    #[error("waited {} s for {what}; last seen: {seen}", waited.as_secs())]
    Wait {
        what: String,
        waited: Duration,
        seen: String,
    },
}

impl Failure {
    /// Creates an error for `map_err`: the operation `act` on a file, pipe or process failed.
    pub fn touch(act: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let act = act.into();
        move |source| Self::Touch { act, source }
    }

    /// Creates an error for `map_err`: the text or the bytes of `what` are invalid.
    pub fn read<E>(what: impl Into<String>) -> impl FnOnce(E) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let what = what.into();
        move |source| Self::Read {
            what,
            source: source.into(),
        }
    }

    /// Creates an error for `map_err`: the operation `act` failed. Several callers waited for its
    /// result.
    pub(crate) fn shared(act: &str) -> impl FnOnce(&Arc<Self>) -> Self {
        move |first| Self::touch(act)(io::Error::other(first.clone()))
    }
}

impl From<kube::Error> for Failure {
    fn from(source: kube::Error) -> Self {
        Self::Ask(Box::new(source))
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")?;
        let mut cause = self.source();
        while let Some(source) = cause {
            write!(out, ": {source}")?;
            cause = source.source();
        }
        Ok(())
    }
}
