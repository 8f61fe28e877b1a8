//! The common parts of every stream of changes.

use std::fmt;
use std::process;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

/// The longest time without a message before a stream sends a heartbeat.
pub const HEARTBEAT: Duration = Duration::from_secs(30);

/// Identifies the life of a process, so that a watcher notices a restart: revisions of two lives
/// cannot be compared.
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
