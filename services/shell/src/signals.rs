//! The signals that stop a process.

use futures::Stream;

use crate::platform;

/// Returns a stream of the signals that stop a process: Ctrl-C, and on Unix also SIGTERM. The
/// handlers are installed when this function returns, so no later signal is lost.
pub fn stop() -> std::io::Result<impl Stream<Item = ()>> {
    platform::stop_signals()
}
