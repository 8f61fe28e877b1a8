//! Why there is no connection.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use tonic::Status;
use tower::BoxError;

/// A failure on the way to a replica. Every call that waits for the replica receives it: clones
/// share the cause.
#[derive(Debug, Clone, Error)]
pub(super) enum TransportFailure {
    /// The name in the URL has no addresses.
    #[error("look up the address of the server")]
    LookUp(#[source] Arc<io::Error>),
    /// Nobody accepts connections there.
    #[error("connect to {0}")]
    Connect(SocketAddr, #[source] Arc<io::Error>),
    /// Somebody does, and what was said is not to be heard by everybody.
    #[error(transparent)]
    Insecure(Insecure),
    /// Somebody does, and says nothing.
    #[error("{0} accepts connections and says nothing")]
    Silent(SocketAddr),
    /// It does not speak HTTP/2, or no longer.
    #[error("lost the connection to {0}")]
    Broken(SocketAddr, #[source] Arc<hyper::Error>),
    /// It no longer says how it is.
    #[error("lost the connection to {0}")]
    Mute(SocketAddr, #[source] Arc<Status>),
    /// It closed the connection in order.
    #[error("{0} closed the connection")]
    Closed(SocketAddr),
    /// Every replica was asked.
    #[error("no replica is left to ask")]
    Spent,
}

/// Why a connection is not made, though somebody is there. Each says all that there is to say.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Insecure {
    /// A file that makes a connection secure is missing or invalid.
    #[error("read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be used.
        why: String,
    },
    /// The server speaks no TLS, or nobody vouches for it who is believed.
    #[error("agree on TLS with {address}: {why}")]
    Agree {
        /// The address of the server.
        address: SocketAddr,
        /// The reason of the failure.
        why: String,
    },
}

// === impl TransportFailure ===

impl TransportFailure {
    /// As the error of a call: UNAVAILABLE, with the causes beneath it.
    pub(super) fn into_error(self) -> BoxError {
        match self {
            // Who reads it looks for this one.
            Self::Insecure(why) => tonic::ConnectError(Box::new(why)).into(),
            lost => tonic::ConnectError(Box::new(lost)).into(),
        }
    }
}
