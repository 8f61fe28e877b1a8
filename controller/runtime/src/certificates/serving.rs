//! The common parts of processes that API servers call, and that serve with a certificate of their
//! own.

use std::time::Duration;

use portolan_core_certificate::Lifetimes;

/// The times for which it keeps what it has.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// The lifetimes of its certificates.
    pub lifetimes: Lifetimes,
    /// After this time a connection is closed with its next answer.
    pub connection_age: Duration,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            lifetimes: Lifetimes::default(),
            connection_age: Duration::from_secs(300),
        }
    }
}
