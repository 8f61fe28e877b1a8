//! The reasons why a connection is missing.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use tonic::Status;
use tower::BoxError;

/// The reason why a replica cannot be reached. Every call that waits for the replica gets it.
/// Clones share the cause.
#[derive(Debug, Clone, Error)]
pub(super) enum TransportFailure {
    /// The name in the URL has no addresses.
    #[error("cannot look up the address of the server")]
    LookUp(#[source] Arc<io::Error>),
    /// The address does not accept connections.
    #[error("cannot connect to {0}")]
    Connect(SocketAddr, #[source] Arc<io::Error>),
    /// The connection was accepted, but TLS cannot be set up.
    #[error(transparent)]
    Insecure(Insecure),
    /// The connection was accepted, but the server does not answer.
    #[error("{0} accepts connections, but does not answer")]
    Silent(SocketAddr),
    /// The server does not use HTTP/2, or has stopped.
    #[error("lost the connection to {0}")]
    Broken(SocketAddr, #[source] Arc<hyper::Error>),
    /// The server no longer reports its health.
    #[error("lost the connection to {0}")]
    Mute(SocketAddr, #[source] Arc<Status>),
    /// The server closed the connection gracefully.
    #[error("{0} closed the connection")]
    Closed(SocketAddr),
    /// Every replica has already been tried.
    #[error("no replica of the server is available")]
    Spent,
}

/// The reason why a reachable server gets no connection. Its message is complete without causes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Insecure {
    /// A file for TLS or authentication is missing or invalid.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason why the file is invalid.
        why: String,
    },
    /// The server does not use TLS, or its certificate is not trusted.
    #[error("TLS handshake with {address} failed: {why}")]
    Agree {
        /// The address of the server.
        address: SocketAddr,
        /// The reason of the failure.
        why: String,
    },
}

// === impl TransportFailure ===

impl TransportFailure {
    /// Converts the failure to the error of a call: UNAVAILABLE, with the causes.
    pub(super) fn into_error(self) -> BoxError {
        match self {
            // Callers check for this error type.
            Self::Insecure(why) => tonic::ConnectError(Box::new(why)).into(),
            lost => tonic::ConnectError(Box::new(lost)).into(),
        }
    }
}
