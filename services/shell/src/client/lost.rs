//! Why there is no connection.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use thiserror::Error;
use tonic::Status;
use tower::BoxError;

/// What went wrong on the way to a replica. Every call that waits for it hears of it: clones share
/// the cause.
#[derive(Debug, Clone, Error)]
pub(super) enum Lost {
    /// The name in the URL has no addresses.
    #[error("look up the address of the server")]
    LookUp(#[source] Arc<io::Error>),
    /// Nobody accepts connections there.
    #[error("connect to {0}")]
    Connect(SocketAddr, #[source] Arc<io::Error>),
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

// === impl Lost ===

impl Lost {
    /// As the error of a call: UNAVAILABLE, with the causes beneath it.
    pub(super) fn into_error(self) -> BoxError {
        tonic::ConnectError(Box::new(self)).into()
    }
}
