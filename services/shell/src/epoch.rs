//! The epoch and the heartbeat interval of all streams of changes.

use std::fmt;
use std::process;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

/// The maximum time between two messages of a stream. After this time, the stream sends a
/// heartbeat.
pub const HEARTBEAT: Duration = Duration::from_secs(30);

/// Identifies one run of a process, so that the client of a watch detects a restart. Revisions from
/// different epochs cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epoch(Arc<str>);

impl Epoch {
    /// Starts an epoch now.
    pub fn begin() -> Self {
        let began = Timestamp::now().as_nanosecond();
        Self(format!("{began:x}-{:x}", process::id()).into())
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
