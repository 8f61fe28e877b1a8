//! Drains a server: running calls may finish, and nothing else delays the shutdown.

use std::time::Duration;

use futures::{Stream, StreamExt};
use tokio_util::task::TaskTracker;

use crate::call::Calls;

/// The maximum time for closing connections without calls, and for reporting the end of cancelled
/// calls to clients.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

/// Waits until all calls have ended. Cancels the calls that still run after `timeout`, or when
/// `hurry` completes. Then closes the connections that clients keep open.
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

/// Waits until no call is running. This includes calls that were on the network when their clients
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
