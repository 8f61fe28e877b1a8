//! The settings of processes that API servers call and that manage their own certificate.

use std::time::Duration;

use portolan_core_certificate::Lifetimes;

/// The timeouts of such a process.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// The lifetimes of the certificates.
    pub lifetimes: Lifetimes,
    /// The maximum age of a connection. It is closed after its next response.
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
