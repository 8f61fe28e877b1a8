//! The system calls that differ between operating systems.
//!
//! No other module of the program calls an API of a specific operating system. A test of the
//! repository checks this rule. The module `unix` contains the calls for Linux and macOS. The
//! module `portable` requires only the standard library and tokio, and is used on Windows.

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use self::portable as system;
#[cfg(unix)]
use self::unix as system;

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::Duration;

use futures::Stream;

/// Returns two numbers that identify a file: the numbers of its file system and of its inode. An
/// operating system without these numbers distinguishes files by their creation times.
pub fn file_identity(metadata: &Metadata) -> (u64, u64) {
    system::file_identity(metadata)
}

/// Returns the time of the last change of a file, since 1970. On Unix this is the change time of
/// the inode, which programs cannot set back.
pub fn changed(metadata: &Metadata) -> Duration {
    system::changed(metadata)
}

/// Creates a folder and its parents. Only the user of this process may read new folders, if the
/// operating system has file modes.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    system::create_private_folder(folder)
}

/// The resources that a process may use.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLimits {
    /// The maximum address space, in bytes.
    pub memory: u64,
    /// The maximum CPU time, in seconds.
    pub cpu_seconds: u64,
}

/// Limits the resources of this process, and disables core dumps. Does nothing on operating systems
/// without such limits.
pub fn limit_process(limits: ProcessLimits) -> io::Result<()> {
    system::limit_process(limits)
}

/// Returns the time since a fixed moment. The clock never goes back. On Linux, the time includes
/// the time in which the machine sleeps.
pub fn monotonic() -> Duration {
    system::monotonic()
}

/// Returns a stream of the signals that stop a process. The handlers are installed when this
/// function returns, so no later signal is lost.
pub(crate) fn stop_signals() -> io::Result<impl Stream<Item = ()>> {
    system::stop_signals()
}
