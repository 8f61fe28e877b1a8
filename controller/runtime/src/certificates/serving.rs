//! The settings of a process that API servers call and that manages its own certificate.

use std::time::Duration;

use portolan_core_certificate::Lifetimes;

/// The lifetimes of certificates and connections of such a process.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// The lifetimes of new certificates.
    pub lifetimes: Lifetimes,
    /// The age at which a connection is closed after its next response.
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
