//! Receives a stream of changes from a service, and opens the stream again whenever it ends.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use jiff::Timestamp;
use portolan_core_operatorpolicy::Unavailable;
use portolan_shell::HEARTBEAT;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;
use tracing::Instrument;

use super::changes::{ChangeQueue, Due};
use super::followed::{Contradiction, Followed, Message, StreamKey, Value};
use super::status::why;
use super::{Clock, DEADLINE};

/// The maximum time without a message. After this time, two heartbeats are missing, and the server
/// counts as lost. If the whole server process hangs, the connection detects this earlier.
const SILENCE: Duration = HEARTBEAT.saturating_add(HEARTBEAT).saturating_add(DEADLINE);

/// The first and the maximum pause before a stream is opened again. If a stream has lasted longer
/// than the maximum pause, the next pause is the first pause again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// The source of a stream.
pub(super) trait Source: Send + 'static {
    type Value: Value;

    fn begin(&mut self) -> impl Future<Output = Begun<Self::Value>> + Send;
}

/// A stream, or the reason why it cannot be opened.
pub(super) type Begun<V> = Result<BoxStream<'static, Result<Message<V>, Status>>, Status>;

/// The state that a stream reports. It is kept up to date while this value exists.
#[derive(Debug)]
pub(super) struct Follower<V> {
    followed: Arc<Mutex<Followed<V>>>,
    _following: AbortOnDropHandle<Infallible>,
}

/// The task that receives the stream.
struct Following<S: Source> {
    source: S,
    followed: Arc<Mutex<Followed<S::Value>>>,
    changes: Arc<ChangeQueue>,
    clock: Clock,
}

/// The reason why a stream has ended.
struct StreamEnd {
    why: String,
    /// The time of the last message.
    last: Timestamp,
}

// === impl Follower ===

impl<V: Value> Follower<V> {
    /// Starts to receive the stream of a source. Must be called within a Tokio runtime.
    pub(super) fn start(
        source: impl Source<Value = V>,
        changes: Arc<ChangeQueue>,
        clock: Clock,
    ) -> Self {
        let followed = Arc::new(Mutex::new(Followed::new(Instant::now())));
        let following = Following {
            source,
            followed: followed.clone(),
            changes,
            clock,
        };
        let span = tracing::info_span!("follow", service = V::SERVICE);
        let following = tokio::spawn(following.run().instrument(span));
        Self {
            followed,
            _following: AbortOnDropHandle::new(following),
        }
    }

    /// Reads the known state. Returns the reason if the state is outdated.
    pub(super) fn read<R>(
        &self,
        look: impl FnOnce(&BTreeMap<StreamKey, V>) -> R,
    ) -> Result<R, Unavailable> {
        lock(&self.followed).read(Instant::now()).map(look)
    }

    /// Returns a number that changes whenever the known state changes.
    pub(super) fn edition(&self) -> u64 {
        lock(&self.followed).edition()
    }

    /// Returns how many times the service has sent its complete state.
    pub(super) fn rounds(&self) -> u64 {
        lock(&self.followed).rounds()
    }
}

// === impl Following ===

impl<S: Source> Following<S> {
    async fn run(mut self) -> Infallible {
        let mut pause = PAUSES.0;
        loop {
            let began = Instant::now();
            let StreamEnd { why, last } = self.follow().await;
            if began.elapsed() > PAUSES.1 {
                pause = PAUSES.0;
            }
            tracing::debug!(error = why, "no stream");
            self.lose(&why, last);
            sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Receives one stream until it ends.
    async fn follow(&mut self) -> StreamEnd {
        let clock = self.clock.clone();
        let stream_end = |why: &str, last| StreamEnd {
            why: why.to_owned(),
            last,
        };
        let mut stream = match timeout(DEADLINE, self.source.begin()).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(status)) => return stream_end(&why(&status, "Watch"), clock.now()),
            Err(_) => return stream_end("it does not answer", clock.now()),
        };
        let mut last = clock.now();
        loop {
            let message = match timeout(SILENCE, stream.next()).await {
                Ok(Some(Ok(message))) => message,
                Ok(Some(Err(status))) => return stream_end(&why(&status, "Watch"), clock.now()),
                Ok(None) => return stream_end("it has ended its stream of changes", clock.now()),
                Err(_) => return stream_end("its stream of changes sends no data", last),
            };
            last = clock.now();
            if self.take(message, last) == Err(Contradiction) {
                return stream_end("its responses contradict each other", last);
            }
        }
    }

    fn take(&self, message: Message<S::Value>, time: Timestamp) -> Result<(), Contradiction> {
        let mut followed = lock(&self.followed);
        let topics = followed.take(message, (Instant::now(), time))?;
        let until = followed.counts_until();
        drop(followed);
        self.remember(until);
        self.changes.push(topics);
        Ok(())
    }

    fn lose(&self, why: &str, time: Timestamp) {
        let mut followed = lock(&self.followed);
        followed.lose(why, (Instant::now(), time));
        let until = followed.counts_until();
        drop(followed);
        self.remember(until);
    }

    /// Schedules the time at which the state counts as outdated, so that dependent policies are
    /// reconciled then. None cancels the schedule.
    fn remember(&self, until: Option<Instant>) {
        let silence = Due::Unavailable(S::Value::SERVICE);
        match until {
            Some(until) if until > Instant::now() => self.changes.push_at(silence, until),
            Some(_) => {}
            None => self.changes.forget(&silence),
        }
    }
}

/// Locks the state. A panic of another holder leaves the state consistent, so a poisoned lock is
/// safe to use.
fn lock<V>(followed: &Mutex<Followed<V>>) -> MutexGuard<'_, Followed<V>> {
    followed.lock().unwrap_or_else(PoisonError::into_inner)
}
