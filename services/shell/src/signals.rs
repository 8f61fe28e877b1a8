//! The signals that tell a process to stop.

use std::task::Poll;

use futures::{Stream, stream};
use tokio::signal::unix::{SignalKind, signal};

/// Returns a stream of SIGTERM and Ctrl-C signals. The handlers are installed when this function
/// returns, so no later signal is lost.
pub fn stop() -> std::io::Result<impl Stream<Item = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(stream::poll_fn(move |cx| {
        if terminate.poll_recv(cx).is_ready() || interrupt.poll_recv(cx).is_ready() {
            return Poll::Ready(Some(()));
        }
        Poll::Pending
    }))
}
