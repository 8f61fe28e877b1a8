//! The objects of a kind at one point in time.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use thiserror::Error;

use crate::{Key, WorldFault};

/// The objects of a kind, with the state that shows if they are current. A view is immutable and
/// cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct View<K> {
    /// The state, which shows if the objects are current.
    pub state: State,
    /// The objects, sorted by key.
    pub objects: Arc<BTreeMap<Key, Arc<K>>>,
    /// The faults of omitted objects and documents.
    pub faults: Arc<Vec<WorldFault>>,
}

/// Shows if the objects of a view are current and complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// There has been no response yet, so there are no objects.
    #[default]
    Pending,
    /// The objects are current.
    Synced,
    /// There are no objects, because the API server does not serve the kind. The API server may
    /// serve the kind later.
    NotServed,
    /// There are no objects, because the API server has never responded.
    Unknown {
        /// The current error.
        trouble: Trouble,
        /// The time at which the error began.
        since: Timestamp,
    },
    /// The objects may be outdated. They are the objects that were known when the error began.
    Stale {
        /// The current error.
        trouble: Trouble,
        /// The time at which the error began.
        since: Timestamp,
    },
}

/// The reason why objects cannot be observed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Trouble {
    /// The API server forbids the request. Contains its message.
    #[error("forbidden: {0}")]
    Forbidden(String),
    /// The API server rejects the request for another reason.
    #[error("the API server answers {code}: {message}")]
    Refused {
        /// The HTTP status.
        code: u16,
        /// The message of the server.
        message: String,
    },
    /// The API server does not respond within the time limit.
    #[error("the API server has not answered for {0:?}")]
    Silent(Duration),
    /// The API server cannot be reached, or has closed the connection.
    #[error("the API server cannot be queried: {0}")]
    Unreachable(String),
    /// The file or folder does not exist.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// The user who dumped the cluster could not list the objects. Contains the reason from the
    /// dump.
    #[error("{0}")]
    NotDumped(String),
    /// The program that wrote the dump did not support the kind.
    #[error(
        "the dump was written by {by}, which did not include these objects: create the dump again \
         with this version"
    )]
    NotAsked {
        /// The name of the program.
        by: String,
    },
}

// === impl View ===

impl<K> Default for View<K> {
    fn default() -> Self {
        Self {
            state: State::default(),
            objects: Arc::default(),
            faults: Arc::default(),
        }
    }
}

impl<K> View<K> {
    /// Returns the object with this namespace and name.
    pub fn object(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        self.objects.get(&Key::new(namespace, name))
    }
}

// === impl Trouble ===

impl Trouble {
    /// Returns true if there was no response at all. Then other requests would probably fail, too.
    /// An error response may apply to only one request.
    pub(crate) fn is_silence(&self) -> bool {
        match self {
            Self::Silent(_) | Self::Unreachable(_) => true,
            Self::Forbidden(_)
            | Self::Refused { .. }
            | Self::Missing(_)
            | Self::NotDumped(_)
            | Self::NotAsked { .. } => false,
        }
    }

    /// Returns true if a retry soon may have a different result.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Refused { code, .. } => *code == 429 || *code >= 500,
            other => other.is_silence(),
        }
    }
}

// === impl State ===

impl State {
    /// Returns the current error, and the time at which it began. Returns None if there is no
    /// error.
    pub fn trouble(&self) -> Option<(&Trouble, Timestamp)> {
        match self {
            Self::Pending | Self::Synced | Self::NotServed => None,
            Self::Unknown { trouble, since } | Self::Stale { trouble, since } => {
                Some((trouble, *since))
            }
        }
    }

    /// Returns true if the API server has responded, even with an error. A response of an
    /// intermediary, such as a load balancer, does not count.
    pub fn is_heard(&self) -> bool {
        match self {
            Self::Pending => false,
            Self::Unknown { trouble, .. } => !trouble.may_pass(),
            Self::Synced | Self::NotServed | Self::Stale { .. } => true,
        }
    }

    /// Returns true if both states are equally certain, since the same time.
    pub(crate) fn is_as_sure_as(&self, other: &Self) -> bool {
        let since = |state: &Self| state.trouble().map(|(_, since)| since);
        std::mem::discriminant(self) == std::mem::discriminant(other) && since(self) == since(other)
    }

    /// Returns the state after a failed attempt. If there already was an error, the time at which
    /// it began is kept.
    pub(crate) fn after(&self, trouble: Trouble, now: Timestamp) -> Self {
        match self {
            Self::Pending => Self::Unknown {
                trouble,
                since: now,
            },
            Self::Unknown { since, .. } => Self::Unknown {
                trouble,
                since: *since,
            },
            Self::Synced | Self::NotServed => Self::Stale {
                trouble,
                since: now,
            },
            Self::Stale { since, .. } => Self::Stale {
                trouble,
                since: *since,
            },
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => f.write_str("not read yet"),
            Self::Synced => f.write_str("up to date"),
            Self::NotServed => f.write_str("the cluster has no such kind"),
            Self::Unknown { trouble, since } => write!(f, "unknown since {since:.0}: {trouble}"),
            Self::Stale { trouble, since } => write!(f, "as of {since:.0}: {trouble}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn silent(seconds: u64) -> Trouble {
        Trouble::Silent(Duration::from_secs(seconds))
    }

    #[test]
    fn trouble_keeps_its_start_and_its_latest_reason() {
        let first = State::Synced.after(silent(1), at(1));
        let second = first.after(silent(2), at(2));
        let expected = State::Stale {
            trouble: silent(2),
            since: at(1),
        };
        assert_eq!(second, expected);
    }

    #[test]
    fn state_that_was_never_synced_is_unknown_not_stale() {
        let second = State::Pending
            .after(silent(1), at(1))
            .after(silent(2), at(2));
        let expected = State::Unknown {
            trouble: silent(2),
            since: at(1),
        };
        assert_eq!(second, expected);
    }

    #[test]
    fn error_response_counts_as_contact_with_api_server() {
        let unknown = |trouble| State::Pending.after(trouble, at(1));
        let refused = |code| Trouble::Refused {
            code,
            message: "no".to_owned(),
        };
        let states = [
            (State::Pending, false),
            (State::Synced, true),
            (State::NotServed, true),
            (unknown(Trouble::Forbidden("no".to_owned())), true),
            (unknown(refused(401)), true),
            (unknown(refused(503)), false),
            (unknown(silent(15)), false),
            (unknown(Trouble::Unreachable("refused".to_owned())), false),
            (State::Synced.after(silent(15), at(1)), true),
        ];
        for (state, is_heard) in states {
            assert_eq!(state.is_heard(), is_heard, "{state}");
        }
    }

    #[test]
    fn state_is_formatted_as_a_sentence() {
        let stale = State::Stale {
            trouble: silent(10),
            since: at(0),
        };
        let told = "as of 1970-01-01T00:00:00Z: the API server has not answered for 10s";
        assert_eq!(stale.to_string(), told);
    }
}
