//! The queue of topics whose policies must be reconciled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// A set of policies that must be reconciled because a service has reported a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    /// The policies that manage this namespace.
    Namespace(String),
    /// The policies whose operator comes from this catalog (`namespace/name`), and policies without
    /// a catalog.
    Catalog(String),
    /// Every policy.
    Everything,
}

/// Collects topics until they are taken. A topic that is added several times is kept once.
#[derive(Debug, Default)]
pub(super) struct ChangeQueue {
    waiting: Mutex<Waiting>,
    notify: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    now: BTreeSet<Topic>,
    later: BTreeMap<Due, Instant>,
}

/// A reason to reconcile policies at a later time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// The grace period after a lost stream ends. The service then counts as unavailable.
    Unavailable(&'static str),
    /// A request may be repeated.
    Again(Topic),
}

// === impl ChangeQueue ===

impl ChangeQueue {
    pub(super) fn push(&self, topics: impl IntoIterator<Item = Topic>) {
        let mut waiting = self.lock();
        waiting.now.extend(topics);
        let is_any = !waiting.now.is_empty();
        drop(waiting);
        if is_any {
            self.notify.notify_one();
        }
    }

    /// Schedules a reason for this time. If the reason is already scheduled for an earlier time,
    /// the earlier time is kept.
    pub(super) fn push_at(&self, due: Due, at: Instant) {
        let mut waiting = self.lock();
        let known = waiting.later.entry(due).or_insert(at);
        *known = at.min(*known);
        drop(waiting);
        self.notify.notify_one();
    }

    pub(super) fn forget(&self, due: &Due) {
        self.lock().later.remove(due);
    }

    /// Waits for topics and takes them. Only one task may call this method at a time. Cancel safe:
    /// no topic is lost.
    pub(super) async fn next(&self) -> Vec<Topic> {
        loop {
            let next = match self.lock().take(Instant::now()) {
                Ok(topics) => return topics,
                Err(next) => next,
            };
            let due = async {
                match next {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.notify.notified() => {}
                () = due => {}
            }
        }
    }

    /// Locks the queue. A panic of another holder leaves the queue consistent, so a poisoned lock
    /// is safe to use.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Waiting ===

impl Waiting {
    /// Takes all topics that are due. If no topic is due, returns the time of the next topic.
    fn take(&mut self, now: Instant) -> Result<Vec<Topic>, Option<Instant>> {
        let due = self.later.extract_if(.., |_, at| *at <= now);
        self.now.extend(due.map(|(due, _)| due.into_topic()));
        if self.now.is_empty() {
            return Err(self.later.values().min().copied());
        }
        let topics = std::mem::take(&mut self.now);
        if topics.contains(&Topic::Everything) {
            Ok(vec![Topic::Everything])
        } else {
            Ok(topics.into_iter().collect())
        }
    }
}

// === impl Due ===

impl Due {
    fn into_topic(self) -> Topic {
        match self {
            Self::Unavailable(_) => Topic::Everything,
            Self::Again(topic) => topic,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn namespace(name: &str) -> Topic {
        Topic::Namespace(name.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn repeated_topic_is_delivered_once() {
        let changes = ChangeQueue::default();
        changes.push([namespace("b"), namespace("a")]);
        changes.push([namespace("b")]);
        assert_eq!(changes.next().await, [namespace("a"), namespace("b")]);
        assert_eq!(changes.next().now_or_never(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn everything_topic_replaces_all_others() {
        let changes = ChangeQueue::default();
        changes.push([namespace("a"), Topic::Everything]);
        assert_eq!(changes.next().await, [Topic::Everything]);
    }

    #[tokio::test(start_paused = true)]
    async fn scheduled_topic_is_delivered_at_its_earliest_time() {
        let changes = ChangeQueue::default();
        let began = Instant::now();
        for seconds in [3, 2, 4] {
            let again = Due::Again(namespace("a"));
            changes.push_at(again, began + SECOND * seconds);
        }
        assert_eq!(changes.next().await, [namespace("a")]);
        assert_eq!(began.elapsed(), SECOND * 2);
        assert_eq!(changes.next().now_or_never(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn forgotten_topic_is_not_delivered() {
        let changes = ChangeQueue::default();
        let at = Instant::now() + SECOND;
        changes.push_at(Due::Unavailable("health"), at);
        changes.push_at(Due::Again(namespace("a")), at + SECOND);
        changes.forget(&Due::Unavailable("health"));
        assert_eq!(changes.next().await, [namespace("a")]);
    }
}
