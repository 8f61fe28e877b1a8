//! Errors that keep a service from running.

use std::error::Error;
use std::io;

use portolan_shell::Serve;
use portolan_shell::client::ConnectTo;
use portolan_world::{Ended, NoWorld, ReachCluster};
use thiserror::Error;
use tokio::task::JoinError;

use crate::Secure;

/// An error that keeps a service from running.
#[derive(Debug, Error)]
pub enum Start {
    /// The flags of this process cannot be used together, or name something that cannot be used, such as
    /// a folder that is missing.
    #[error(transparent)]
    Flags(Box<dyn Error + Send + Sync>),
    /// The server does not start, or ended.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// The server cannot be made secure.
    #[error(transparent)]
    Secure(#[from] Secure),
    /// The system refuses signal handlers.
    #[error("wait for signals")]
    Signals(#[source] io::Error),
    /// The cluster is missing.
    #[error("nothing to {hint}")]
    NoCluster {
        /// The end of the sentence "nothing to ..", with the flags that say where to find
        /// something.
        hint: &'static str,
        /// The reason why no cluster was found without flags.
        source: ReachCluster,
    },
    /// The cluster cannot be observed.
    #[error(transparent)]
    Reach(#[from] ReachCluster),
    /// The URL of a service is invalid.
    #[error("ask {service}")]
    Connect {
        /// The service, as in "ask the resolver".
        service: &'static str,
        /// The fault of the URL.
        source: ConnectTo,
    },
    /// Another replica is the leader, or may be.
    #[error(transparent)]
    Lost(Box<dyn Error + Send + Sync>),
    /// The objects of the world are watched no longer.
    #[error("follow the {what} of the cluster")]
    Ended {
        /// The objects that are followed.
        what: &'static str,
        /// The reason why the world has ended.
        source: Ended,
    },
    /// The task behind the server panicked.
    #[error("{what} in the background")]
    Join {
        /// The work of the task.
        what: &'static str,
        /// The panic.
        source: JoinError,
    },
}

// === impl Start ===

impl Start {
    /// Creates the error for a missing world. The hint ends the sentence "nothing to ..".
    pub fn without_world(error: NoWorld, hint: &'static str) -> Self {
        match error {
            NoWorld::NotGiven(source) => Self::NoCluster { hint, source },
            NoWorld::Reach(error) => Self::Reach(error),
        }
    }

    /// Returns true if the command line, or what it refers to, is the cause, and not this process.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Flags(_)
            | Self::Secure(_)
            | Self::NoCluster { .. }
            | Self::Reach(_)
            | Self::Connect { .. } => true,
            Self::Serve(_)
            | Self::Signals(_)
            | Self::Lost(_)
            | Self::Ended { .. }
            | Self::Join { .. } => false,
        }
    }
}

impl From<NoWorld> for Start {
    fn from(error: NoWorld) -> Self {
        Self::without_world(error, "read objects: use --world PATH, or select a cluster")
    }
}

impl From<ConnectTo> for Start {
    fn from(source: ConnectTo) -> Self {
        Self::Connect {
            service: "the services",
            source,
        }
    }
}

impl From<Ended> for Start {
    fn from(source: Ended) -> Self {
        Self::Ended {
            what: "objects",
            source,
        }
    }
}

impl From<JoinError> for Start {
    fn from(source: JoinError) -> Self {
        Self::Join {
            what: "look at objects",
            source,
        }
    }
}
