//! The reasons why a replica cannot be reached.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use tonic::Status;
use tower::BoxError;

/// The reason why a replica cannot be reached. Every call that waits for the replica gets this
/// error. Clones share the cause.
#[derive(Debug, Clone, Error)]
pub(super) enum TransportFailure {
    /// The lookup of the name in the URL failed.
    #[error("cannot look up the address of the server")]
    LookUp(#[source] Arc<io::Error>),
    /// The address does not accept connections.
    #[error("cannot connect to {0}")]
    Connect(SocketAddr, #[source] Arc<io::Error>),
    /// The server accepts the connection, but TLS cannot be set up.
    #[error(transparent)]
    Insecure(Insecure),
    /// The server accepts the connection, but does not answer.
    #[error("{0} accepts connections, but does not answer")]
    Silent(SocketAddr),
    /// The server does not use HTTP/2, or has stopped.
    #[error("lost the connection to {0}")]
    Broken(SocketAddr, #[source] Arc<hyper::Error>),
    /// The server no longer reports its health.
    #[error("lost the connection to {0}")]
    Mute(SocketAddr, #[source] Arc<Status>),
    /// The server has closed the connection in an orderly way.
    #[error("{0} closed the connection")]
    Closed(SocketAddr),
    /// The call has already tried every replica.
    #[error("no replica of the server is available")]
    Spent,
}

/// The reason why TLS with a reachable server fails. The message contains the cause.
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
    /// Converts the failure to the error of a call. The call fails with UNAVAILABLE. The error
    /// contains the causes.
    pub(super) fn into_error(self) -> BoxError {
        match self {
            // Callers check for this error type.
            Self::Insecure(why) => tonic::ConnectError(Box::new(why)).into(),
            lost => tonic::ConnectError(Box::new(lost)).into(),
        }
    }
}
