//! The calls for Linux, macOS and other Unix systems.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;
use std::task::Poll;
use std::time::Duration;

use futures::{Stream, stream};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use tokio::signal::unix::{SignalKind, signal};

use super::ProcessLimits;

/// A clock that includes the time in which the machine sleeps. `std::time::Instant` does not
/// include it.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

pub(super) fn file_identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

pub(super) fn changed(metadata: &Metadata) -> Duration {
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}

pub(super) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)
}

pub(super) fn limit_process(limits: ProcessLimits) -> io::Result<()> {
    let at_most = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Cpu, at_most(limits.cpu_seconds))?;
    Ok(setrlimit(Resource::As, at_most(limits.memory))?)
}

pub(super) fn monotonic() -> Duration {
    let time = clock_gettime(CLOCK);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

/// Returns a stream of SIGTERM and Ctrl-C signals.
pub(super) fn stop_signals() -> io::Result<impl Stream<Item = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(stream::poll_fn(move |cx| {
        if terminate.poll_recv(cx).is_ready() || interrupt.poll_recv(cx).is_ready() {
            return Poll::Ready(Some(()));
        }
        Poll::Pending
    }))
}
