//! Draining a server: running calls may finish, and nothing else delays the shutdown.

use std::time::Duration;

use futures::{Stream, StreamExt};
use tokio_util::task::TaskTracker;

use crate::call::Calls;

/// The maximum time for a connection without calls to close, and for a cancelled call to report its
/// end to the client.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

/// Waits until all calls have ended. Running calls are cancelled after `timeout`, or earlier if
/// `hurry` completes. Connections that clients keep open longer are closed.
pub(super) async fn drain(
    calls: &Calls,
    timeout: Duration,
    mut hurry: impl Stream<Item = ()> + Unpin,
) {
    calls.draining.cancel();
    let hurried = async {
        if hurry.next().await.is_none() {
            std::future::pending().await
        }
    };
    let reason = tokio::select! {
        () = settled(&calls.running) => return,
        () = tokio::time::sleep(timeout) => "the drain timeout has passed",
        () = hurried => "second signal",
    };
    // Some connections may still be open, but there are no calls to cancel.
    if calls.running.is_empty() {
        return;
    }
    tracing::warn!(
        calls = calls.running.len(),
        reason,
        "aborting the remaining calls"
    );
    calls.cut.cancel();
    tokio::time::sleep(FAREWELL).await;
}

/// Waits until no call is running. This includes calls that were in transit when their client
/// received the GOAWAY.
async fn settled(running: &TaskTracker) {
    running.close();
    loop {
        running.wait().await;
        tokio::time::sleep(FAREWELL).await;
        if running.is_empty() {
            return;
        }
    }
}
