//! The state that a stream of changes has reported: the last state of each object. Also shows if
//! the state is complete.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use portolan_core_operatorpolicy::Unavailable;
use tokio::time::Instant;

use super::changes::Topic;

/// The time for which the last state is still used after a stream has ended. If a server ends a
/// stream and another server continues it, this is not an outage.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// The key of one object in a stream.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StreamKey {
    pub(super) namespace: String,
    pub(super) kind: String,
    pub(super) name: String,
}

/// The state of one object in a stream.
pub(super) trait Value: PartialEq + Send + 'static {
    /// The name of the service that reports the object.
    const SERVICE: &'static str;

    /// Returns the topic whose policies must be reconciled when the state of the object changes.
    fn topic(key: &StreamKey) -> Topic;
}

/// A message of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message<V> {
    pub(super) epoch: String,
    pub(super) event: Event<V>,
}

/// The content of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event<V> {
    /// The current state of an object.
    Is(StreamKey, V),
    /// An object was deleted.
    Gone(StreamKey),
    /// The server has sent all existing objects.
    Synced,
    /// The server starts to send all objects again.
    Reset,
    /// A heartbeat, or an event that this version does not support.
    Nothing,
}

/// The error that another process continues a stream without sending all objects again.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

/// The known state, which outlives single streams.
///
/// A new stream sends all objects again. The new state is stored separately until it is complete,
/// and then replaces the known state. Only differences count as changes.
#[derive(Debug)]
pub(super) struct Followed<V> {
    known: BTreeMap<StreamKey, V>,
    /// The incomplete state of the new stream. None if there is no such stream.
    telling: Option<BTreeMap<StreamKey, V>>,
    /// The epoch of the process that sends the stream. None before the first message.
    epoch: Option<String>,
    state: StreamState,
    /// A number that increases with each change of the known state.
    edition: u64,
    /// The number of times that the complete state was received.
    rounds: u64,
}

#[derive(Debug)]
enum StreamState {
    Live,
    Lost(LostAnswer),
}

/// A lost stream. The last known state may be outdated.
#[derive(Debug)]
struct LostAnswer {
    /// The time at which the stream was lost. None if no stream was ever complete.
    since: Option<Timestamp>,
    why: String,
    /// The time until which the last known state is still used.
    until: Instant,
}

// === impl Followed ===

impl<V: Value> Followed<V> {
    /// Creates the state before the first stream.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            known: BTreeMap::new(),
            telling: None,
            epoch: None,
            state: StreamState::Lost(LostAnswer {
                since: None,
                why: "its first list is not complete yet".to_owned(),
                until: now,
            }),
            edition: 0,
            rounds: 0,
        }
    }

    /// Applies a message. Returns the topics whose policies must be reconciled.
    pub(super) fn take(
        &mut self,
        message: Message<V>,
        (now, time): (Instant, Timestamp),
    ) -> Result<Vec<Topic>, Contradiction> {
        let Message { epoch, event } = message;
        let is_reset = matches!(event, Event::Reset);
        if !is_reset && self.epoch.as_ref().is_some_and(|known| *known != epoch) {
            return Err(Contradiction);
        }
        self.epoch = Some(epoch);
        match event {
            Event::Is(key, value) => Ok(self.put(key, Some(value))),
            Event::Gone(key) => Ok(self.put(key, None)),
            Event::Synced => Ok(self.sync(now)),
            Event::Reset => {
                self.lose("it sends its list again", (now, time));
                Ok(Vec::new())
            }
            Event::Nothing => Ok(Vec::new()),
        }
    }

    /// Records that a stream has ended or starts again. The next messages will contain the complete
    /// state.
    pub(super) fn lose(&mut self, why: &str, (now, time): (Instant, Timestamp)) {
        self.telling = None;
        self.epoch = None;
        match &mut self.state {
            StreamState::Live => {
                self.state = StreamState::Lost(LostAnswer {
                    since: Some(time),
                    why: why.to_owned(),
                    until: now + GRACE,
                });
            }
            StreamState::Lost(lost) => why.clone_into(&mut lost.why),
        }
    }

    /// Returns the time until which the last known state is still used, if the stream is lost.
    /// Returns None if the stream is open.
    pub(super) fn counts_until(&self) -> Option<Instant> {
        match &self.state {
            StreamState::Live => None,
            StreamState::Lost(lost) => Some(lost.until),
        }
    }

    /// Returns the known state. Returns the reason if the state is outdated.
    pub(super) fn read(&self, now: Instant) -> Result<&BTreeMap<StreamKey, V>, Unavailable> {
        match &self.state {
            StreamState::Lost(LostAnswer { since, why, until }) if *until <= now => {
                Err(Unavailable {
                    service: V::SERVICE,
                    since: *since,
                    why: why.clone(),
                })
            }
            StreamState::Live | StreamState::Lost(_) => Ok(&self.known),
        }
    }

    /// Returns a number that changes whenever the known state changes.
    pub(super) fn edition(&self) -> u64 {
        self.edition
    }

    /// Returns the number of times that the complete state was received.
    pub(super) fn rounds(&self) -> u64 {
        self.rounds
    }

    fn put(&mut self, key: StreamKey, value: Option<V>) -> Vec<Topic> {
        let (things, is_told) = match (&self.state, &mut self.telling) {
            (StreamState::Live, None) => (&mut self.known, true),
            (StreamState::Live | StreamState::Lost(_), telling) => {
                (telling.get_or_insert_default(), false)
            }
        };
        let topic = V::topic(&key);
        let is_same = things.get(&key) == value.as_ref();
        match value {
            Some(value) => drop(things.insert(key, value)),
            None => drop(things.remove(&key)),
        }
        if !is_told || is_same {
            return Vec::new();
        }
        self.edition += 1;
        vec![topic]
    }

    fn sync(&mut self, now: Instant) -> Vec<Topic> {
        let was_silent = match std::mem::replace(&mut self.state, StreamState::Live) {
            // This stream was already complete, so nothing changes.
            StreamState::Live => return Vec::new(),
            StreamState::Lost(lost) => lost.until <= now,
        };
        self.rounds += 1;
        let message = self.telling.take().unwrap_or_default();
        let before = std::mem::replace(&mut self.known, message);
        let topics = differences(&before, &self.known);
        self.edition += u64::from(!topics.is_empty());
        if was_silent {
            vec![Topic::Everything]
        } else {
            topics
        }
    }
}

fn differences<V: Value>(
    before: &BTreeMap<StreamKey, V>,
    after: &BTreeMap<StreamKey, V>,
) -> Vec<Topic> {
    let keys = before.keys().chain(after.keys());
    let changed = keys.filter(|key| before.get(key) != after.get(key));
    changed.map(V::topic).collect()
}

#[cfg(test)]
mod tests;
