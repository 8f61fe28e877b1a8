//! What tells a process to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Waits for SIGTERM or Ctrl-C. The handlers are in place when this returns, so that no signal
/// is lost between start and wait.
pub fn stop() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
