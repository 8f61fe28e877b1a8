//! Sends the events of a watch to a client.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::{Stream, stream};
use portolan_core_installed::apiserver::{Caller, Form, Frames, Status, WatchOptions};
use portolan_core_installed::{Batch, Event, EventType, Filter, Installed, ResourceVersion};
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::sent::append;
use crate::server::Server;
use crate::shown::Behind;
use crate::slots::RequestSlot;

/// The minimum duration of a watch for which the client sets no timeout. A random time of up to the
/// same length is added, so that clients do not reconnect at the same time.
const LASTS: Duration = Duration::from_secs(30 * 60);
/// The time between two bookmarks.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// The time within which all watches end after the process gets the signal to stop.
const FAREWELL: Duration = Duration::from_secs(3);
/// The maximum number of events in one chunk. The permissions for them are checked together.
const TOGETHER: usize = 16;

/// An open watch of a client.
pub(crate) struct Watching {
    server: Arc<Server>,
    caller: Caller,
    namespace: Option<String>,
    filter: Filter,
    form: Form,
    frames: Frames,
    /// The next events to send.
    pending: VecDeque<(EventType, Installed)>,
    /// The changes after the pending events.
    batches: VecDeque<Arc<Batch>>,
    /// The position in the history after `batches`. `version` is the version at this position.
    place: u64,
    version: ResourceVersion,
    turns: watch::Receiver<()>,
    /// True if the bookmark that ends the initial events must still be sent.
    tells_those_there: bool,
    bookmarks: bool,
    next_bookmark: Instant,
    ends: Instant,
    is_over: bool,
    is_draining: bool,
    _open: Open,
}

/// Counts the watch in metrics, and keeps its slot, until this value is dropped.
struct Open {
    watches: Gauge,
    _place: RequestSlot,
}

/// The reason why a waiting watch continues.
enum Woken {
    /// The Installed objects may have changed.
    Turn,
    /// A bookmark must be sent.
    Bookmark,
    /// The watch has reached its maximum duration.
    End,
    /// The process stops.
    Drain,
}

// === impl Watching ===

impl Watching {
    /// Starts a watch.
    ///
    /// # Errors
    /// Returns an error if the watch cannot continue from the requested version.
    pub(crate) async fn begin(
        server: Arc<Server>,
        caller: Caller,
        (namespace, options, form): (Option<String>, WatchOptions, Form),
        place: RequestSlot,
    ) -> Result<Self, Status> {
        let turns = server.shown.turns();
        let wanted = options.since.version();
        let mut pending = VecDeque::new();
        let behind = match wanted {
            Some(version) if !options.with_those_there => {
                server.shown.since(version, namespace.as_deref()).await?
            }
            _ => {
                let now = server.shown.at(wanted).await?;
                if options.with_those_there {
                    let page =
                        now.snapshot
                            .page(namespace.as_deref(), &options.filter, None, usize::MAX);
                    pending.extend(page.items.into_iter().map(|it| (EventType::Added, it)));
                }
                Behind {
                    batches: Vec::new(),
                    place: now.place,
                    version: now.snapshot.version().clone(),
                }
            }
        };
        let Behind {
            batches,
            place: seen,
            version,
        } = behind;
        server.metrics.watches.inc();
        let open = Open {
            watches: server.metrics.watches.clone(),
            _place: place,
        };
        let lasts = options.lasts.unwrap_or_else(lasts);
        let now = Instant::now();
        Ok(Self {
            caller,
            namespace,
            filter: options.filter,
            form,
            frames: Frames::new(form),
            pending,
            batches: batches.into(),
            place: seen,
            version,
            turns,
            tells_those_there: options.tells_those_there,
            bookmarks: options.bookmarks,
            next_bookmark: now + BOOKMARKS,
            ends: now + lasts.min(2 * LASTS),
            is_over: false,
            is_draining: false,
            _open: open,
            server,
        })
    }

    /// Returns the watch as a stream of frames. Frames are generated only when the stream is
    /// polled.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, |mut watching| async {
            let chunk = watching.chunk().await?;
            Some((Ok(chunk), watching))
        })
    }

    /// Returns the next frames to send. Returns None at the end of the watch.
    async fn chunk(&mut self) -> Option<Bytes> {
        loop {
            if !self.pending.is_empty() {
                return Some(self.written().await);
            }
            if std::mem::take(&mut self.tells_those_there) {
                return Some(self.frames.bookmark(&self.version, true).into());
            }
            if let Some(batch) = self.batches.pop_front() {
                self.gather(&batch);
                continue;
            }
            if self.is_over {
                return None;
            }
            let Some(behind) = self.server.shown.behind(self.place) else {
                self.is_over = true;
                return Some(Frames::error(&too_slow()).into());
            };
            let Behind {
                batches,
                place,
                version,
            } = behind;
            (self.place, self.version) = (place, version);
            self.batches.extend(batches);
            if self.batches.is_empty()
                && let Some(bookmark) = self.waited().await
            {
                return Some(bookmark);
            }
        }
    }

    /// Waits until a reason to continue occurs. Returns a bookmark if one must be sent.
    async fn waited(&mut self) -> Option<Bytes> {
        let woken = tokio::select! {
            // This cannot fail, because the server keeps the sender.
            _ = self.turns.changed() => Woken::Turn,
            () = sleep_until(self.ends) => Woken::End,
            () = sleep_until(self.next_bookmark), if self.bookmarks => Woken::Bookmark,
            () = self.server.draining.cancelled(), if !self.is_draining => Woken::Drain,
        };
        match woken {
            Woken::Turn => None,
            Woken::Bookmark => {
                self.next_bookmark = Instant::now() + BOOKMARKS;
                Some(self.frames.bookmark(&self.version, false).into())
            }
            Woken::End => {
                self.is_over = true;
                let bookmark = || self.frames.bookmark(&self.version, false).into();
                self.bookmarks.then(bookmark)
            }
            Woken::Drain => {
                self.is_draining = true;
                let ends = Instant::now() + FAREWELL.mul_f64(fastrand::f64());
                self.ends = self.ends.min(ends);
                None
            }
        }
    }

    /// Adds those events of a batch to the pending events that the client has selected.
    fn gather(&mut self, batch: &Batch) {
        let events = match &self.namespace {
            Some(namespace) => batch.in_namespace(namespace),
            None => batch.events(),
        };
        let is_wanted = |installed: &Installed| self.filter.matches(installed);
        let seen = events
            .iter()
            .filter_map(|event: &Event| event.for_watch(is_wanted));
        self.pending.extend(seen);
    }

    /// Removes some of the pending events, and returns their frames.
    async fn written(&mut self) -> Bytes {
        let many = self.pending.len().min(TOGETHER);
        let told = self.pending.iter().take(many).map(|(_, it)| it);
        let permissions = &self.server.permissions;
        let readable = permissions.readable(&self.caller, self.form, told).await;
        let mut chunk = BytesMut::new();
        for (event, installed) in self.pending.drain(..many) {
            append(&mut chunk, &self.frames.event(event, &installed, &readable));
        }
        debug_assert!(many == TOGETHER || self.pending.is_empty());
        chunk.freeze()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.watches.dec();
    }
}

fn lasts() -> Duration {
    LASTS + LASTS.mul_f64(fastrand::f64())
}

fn too_slow() -> Status {
    Status::expired("the watch is too slow, and changes were dropped; list again")
}
