//! Notifies open pages that their content may have changed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures::stream;
use http::{HeaderValue, Response, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// The maximum number of pages that receive events. Further pages reload each minute instead, until
/// a slot is free.
const PAGES: usize = 256;
/// The interval at which a page is notified that there is no change.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Counts changes and notifies pages.
pub(crate) struct Changes {
    news: watch::Receiver<u64>,
    room: Arc<Semaphore>,
    draining: CancellationToken,
}

/// An open page that receives events.
struct Listener {
    news: watch::Receiver<u64>,
    draining: CancellationToken,
    _room: OwnedSemaphorePermit,
}

// === impl Changes ===

impl Changes {
    pub(crate) fn new(news: watch::Receiver<u64>, draining: CancellationToken) -> Self {
        Self {
            news,
            room: Arc::new(Semaphore::new(PAGES)),
            draining,
        }
    }

    /// Returns the number of changes so far.
    pub(crate) fn count(&self) -> u64 {
        *self.news.borrow()
    }

    /// Returns a stream of server-sent events. The stream contains one event after each change, and
    /// comments as heartbeats. If `known` differs from the current number of changes, the page is
    /// outdated, and the stream starts with an event. A page without a number counts as current.
    pub(crate) fn stream(&self, known: Option<u64>) -> Response<Body> {
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            let mut full = Response::new(Body::empty());
            *full.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            return full;
        };
        let mut listener = Listener {
            news: self.news.clone(),
            draining: self.draining.clone(),
            _room: room,
        };
        let count = *listener.news.borrow_and_update();
        let missed = known.filter(|known| *known != count);
        let missed = missed.map(|_| event(count));
        let here = Some(": here\n\n".to_owned());
        let begin = stream::iter([here, missed].into_iter().flatten());
        let events = stream::unfold(listener, async |mut listener| {
            let event = listener.next().await?;
            Some((event, listener))
        });
        let events = futures::StreamExt::chain(begin, events);
        let events = futures::StreamExt::map(events, Ok::<_, Infallible>);
        let mut response = Response::new(Body::from_stream(events));
        let kind = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }
}

// === impl Listener ===

impl Listener {
    /// Returns the next event or heartbeat. Returns None at the end of the stream.
    async fn next(&mut self) -> Option<String> {
        let changed = tokio::select! {
            changed = self.news.changed() => changed,
            () = tokio::time::sleep(HEARTBEAT) => return Some(": still here\n\n".to_owned()),
            () = self.draining.cancelled() => return None,
        };
        changed.ok()?;
        Some(event(*self.news.borrow_and_update()))
    }
}

/// Formats the event of a change. When a browser reconnects, it sends the id of the last event.
fn event(count: u64) -> String {
    format!("id: {count}\nevent: changed\ndata: \n\n")
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;

    /// Returns the stream for a page that has the number `known`, up to the first event or
    /// heartbeat.
    async fn received(changes: &Changes, known: Option<u64>) -> String {
        let mut events = changes.stream(known).into_body().into_data_stream();
        let mut told = String::new();
        while !told.contains("event: changed") && !told.contains(": still here") {
            let event = events.next().await.expect("no end").expect("an event");
            told.push_str(&String::from_utf8_lossy(&event));
        }
        told
    }

    /// Without this event, the page would show old content until the next change.
    #[tokio::test(start_paused = true)]
    async fn page_receives_changes_since_it_was_loaded() {
        let (news, receiver) = watch::channel(0);
        let changes = Changes::new(receiver, CancellationToken::new());
        let read = changes.count();
        news.send_modify(|count| *count += 1);
        let missed = received(&changes, Some(read)).await;
        assert_eq!(missed, format!(": here\n\n{}", event(1)));
        let nothing = ": here\n\n: still here\n\n";
        assert_eq!(received(&changes, Some(1)).await, nothing);
        assert_eq!(received(&changes, None).await, nothing);
    }

    #[tokio::test(start_paused = true)]
    async fn change_stream_above_the_limit_is_refused_until_one_ends() {
        let (_news, receiver) = watch::channel(0);
        let changes = Changes::new(receiver, CancellationToken::new());
        let told: Vec<_> = (0..PAGES).map(|_| changes.stream(None)).collect();
        assert_eq!(
            changes.stream(None).status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
        drop(told);
        assert_eq!(changes.stream(None).status(), StatusCode::OK);
    }
}
