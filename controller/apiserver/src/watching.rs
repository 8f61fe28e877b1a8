//! A watch that is sent to a client.

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

/// The minimum duration of a watch without a timeout. A random time of up to the same length is
/// added, so that not all clients reconnect at the same time.
const LASTS: Duration = Duration::from_secs(30 * 60);
/// The interval of bookmarks.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// The time over which watches end when the server stops.
const FAREWELL: Duration = Duration::from_secs(3);
/// The number of events whose visibility is checked together.
const TOGETHER: usize = 16;

/// An open watch.
pub(crate) struct Watching {
    server: Arc<Server>,
    caller: Caller,
    namespace: Option<String>,
    filter: Filter,
    form: Form,
    frames: Frames,
    /// The next events to send.
    pending: VecDeque<(EventType, Installed)>,
    /// The batches after these events.
    batches: VecDeque<Arc<Batch>>,
    /// The position after these batches, and the version at this position.
    place: u64,
    version: ResourceVersion,
    turns: watch::Receiver<()>,
    /// True if the end of the initial events must still be sent.
    tells_those_there: bool,
    bookmarks: bool,
    next_bookmark: Instant,
    ends: Instant,
    is_over: bool,
    is_draining: bool,
    _open: Open,
}

/// Counts a watch while it is open.
struct Open {
    watches: Gauge,
    _place: RequestSlot,
}

/// The event that wakes up a waiting watch.
enum Woken {
    /// A change may have occurred.
    Turn,
    /// A bookmark is due.
    Bookmark,
    /// The watch has timed out.
    End,
    /// The server stops.
    Drain,
}

// === impl Watching ===

impl Watching {
    /// Begins a watch.
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

    /// Returns the frames of the watch. No frame is generated before the stream is polled.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, |mut watching| async {
            let chunk = watching.chunk().await?;
            Some((Ok(chunk), watching))
        })
    }

    /// Returns the next frames. Returns None at the end.
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

    /// Waits for changes. Returns a bookmark if one is due, and None otherwise.
    async fn waited(&mut self) -> Option<Bytes> {
        let woken = tokio::select! {
            // The sender exists as long as the server.
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

    /// Adds the events of a batch that the client must receive.
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

    /// Formats some of the pending events.
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
