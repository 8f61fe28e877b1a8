//! The errors that prevent a service from running.

use std::error::Error;
use std::io;

use portolan_shell::Serve;
use portolan_shell::client::ConnectTo;
use portolan_world::{Ended, NoWorld, ReachCluster};
use thiserror::Error;
use tokio::task::JoinError;

use crate::Secure;

/// An error that prevents a service from running.
#[derive(Debug, Error)]
pub enum Start {
    /// The flags of this process contradict each other or are invalid. For example, a flag names a
    /// folder that does not exist.
    #[error(transparent)]
    Flags(Box<dyn Error + Send + Sync>),
    /// The server cannot start, or has ended.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// TLS or authorization cannot be set up.
    #[error(transparent)]
    Secure(#[from] Secure),
    /// The operating system refuses to install signal handlers.
    #[error("cannot wait for signals")]
    Signals(#[source] io::Error),
    /// The flags select no cluster, and no default cluster was found.
    #[error("{hint}")]
    NoCluster {
        /// The message, with the flags that select the objects.
        hint: &'static str,
        /// The reason why no default cluster was found.
        source: ReachCluster,
    },
    /// The cluster cannot be observed.
    #[error(transparent)]
    Reach(#[from] ReachCluster),
    /// The URL of a service is invalid.
    #[error("cannot connect to {service}")]
    Connect {
        /// The name of the service, for use as in "cannot connect to the resolver".
        service: &'static str,
        /// The reason why the URL is invalid.
        source: ConnectTo,
    },
    /// Another replica is the leader or may be the leader, so this replica must stop.
    #[error(transparent)]
    Lost(Box<dyn Error + Send + Sync>),
    /// The objects of the world are no longer watched.
    #[error("cannot watch the {what} of the cluster")]
    Ended {
        /// The objects that were watched.
        what: &'static str,
        /// The reason why the objects are no longer watched.
        source: Ended,
    },
    /// A task of the process panicked.
    #[error("cannot {what} in the background")]
    Join {
        /// The purpose of the task.
        what: &'static str,
        /// The panic.
        source: JoinError,
    },
}

// === impl Start ===

impl Start {
    /// Creates the error for a missing world, with the message `hint`.
    pub fn without_world(error: NoWorld, hint: &'static str) -> Self {
        match error {
            NoWorld::NotGiven(source) => Self::NoCluster { hint, source },
            NoWorld::Reach(error) => Self::Reach(error),
        }
    }

    /// Returns true if the user caused the error, with the command line or with a file or an
    /// address in it.
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
        Self::without_world(
            error,
            "no objects to read: use --world PATH, or select a cluster",
        )
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
            what: "watch objects",
            source,
        }
    }
}
