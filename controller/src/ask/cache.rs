//! The cache of responses. A response is valid until the catalog or the InstallPlan on which it is
//! based changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use jiff::Timestamp;
use portolan_core_operatorpolicy::{Answer, Unavailable};
use tokio::time::{Instant, timeout};
use tonic::{Code, Status};

use super::Clock;
use super::status::{is_answer, sentence, why_after};

/// The maximum number of cached responses. If there are more, the least recently used responses are
/// removed.
const CAPACITY: usize = 4096;

/// The first and the maximum pause before a request without a usable response is repeated.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The pause before a request is repeated if the service does not support it. A later version of
/// the service may support it.
const UNKNOWN: Duration = Duration::from_secs(300);

/// The responses to one kind of request. `S` is the state on which a response is based. The
/// response is valid while this state does not change.
#[derive(Debug)]
pub(super) struct AnswerCache<Q, S, A> {
    service: &'static str,
    clock: Clock,
    capacity: usize,
    slots: Mutex<Slots<Q, S, A>>,
}

#[derive(Debug)]
struct Slots<Q, S, A> {
    by_question: BTreeMap<Q, Slot<S, A>>,
    /// The number of uses of all responses so far.
    uses: u64,
}

#[derive(Debug)]
struct Slot<S, A> {
    state: S,
    round: u64,
    call: Call<A>,
    used: u64,
}

/// A call that all callers with the same request share. The call continues while at least one
/// caller waits.
type Call<A> = Shared<BoxFuture<'static, Arc<CallResult<A>>>>;

/// The result of a call.
#[derive(Debug)]
pub(super) struct CallResult<A> {
    pub(super) answer: Answer<A>,
    /// The time at which the request is repeated, even if the state does not change. None if the
    /// request is repeated only after a change.
    pub(super) again: Option<Instant>,
    pause: Duration,
}

/// The response of a service.
#[derive(Debug)]
pub(super) struct Fetched<A> {
    pub(super) answer: A,
    /// True if the response is based on the current state. False if another replica of the service
    /// has responded with an older state.
    pub(super) is_current: bool,
}

/// A request to a service.
pub(super) struct Question<Q, S, A> {
    pub(super) about: Q,
    /// The state on which the response will be based, as far as this process knows.
    pub(super) state: S,
    /// A number that increases when the service sends its complete state again, for example after a
    /// restart. Failed requests are then repeated.
    pub(super) round: u64,
    /// The name of the method for messages.
    pub(super) method: &'static str,
    pub(super) call: BoxFuture<'static, Result<Fetched<A>, Status>>,
    /// The timeout of the call.
    pub(super) deadline: Duration,
}

/// The result of earlier calls with the same request.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    unavailable_since: Option<Timestamp>,
    pause: Option<Duration>,
}

// === impl AnswerCache ===

impl<Q: Ord + Clone, S: PartialEq, A: Clone + Send + Sync + 'static> AnswerCache<Q, S, A> {
    pub(super) fn new(service: &'static str, clock: Clock) -> Self {
        Self {
            service,
            clock,
            capacity: CAPACITY,
            slots: Mutex::new(Slots {
                by_question: BTreeMap::new(),
                uses: 0,
            }),
        }
    }

    /// Sets the maximum number of cached responses.
    pub(super) fn keeping(self, capacity: usize) -> Self {
        Self { capacity, ..self }
    }

    /// Returns the cached response. If there is no valid response, calls the service.
    pub(super) async fn ask(&self, question: Question<Q, S, A>) -> Arc<CallResult<A>> {
        let call = self.call(question);
        call.await
    }

    fn call(&self, question: Question<Q, S, A>) -> Call<A> {
        let Question {
            about,
            state,
            round,
            method,
            call,
            deadline,
        } = question;
        let mut slots = self.lock();
        slots.uses += 1;
        let used = slots.uses;
        let mut before = Before::default();
        if let Some(slot) = slots.by_question.get_mut(&about) {
            if slot.state == state && !slot.is_due(round, Instant::now()) {
                slot.used = used;
                return slot.call.clone();
            }
            before = slot.before();
        }
        let asked = (self.service, method, deadline);
        let ended = end(call, before, asked, self.clock.clone());
        let call = ended.map(Arc::new).boxed().shared();
        let slot = Slot {
            state,
            round,
            call: call.clone(),
            used,
        };
        slots.by_question.insert(about, slot);
        slots.shrink(self.capacity);
        call
    }

    /// Locks the cache. A panic of another holder leaves the cache consistent, so a poisoned lock
    /// is safe to use.
    fn lock(&self) -> MutexGuard<'_, Slots<Q, S, A>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end<A>(
    call: BoxFuture<'static, Result<Fetched<A>, Status>>,
    before: Before,
    (service, method, deadline): (&'static str, &'static str, Duration),
    clock: Clock,
) -> CallResult<A> {
    let ended = match timeout(deadline, call).await {
        Ok(ended) => ended,
        Err(_) => Err(Status::deadline_exceeded("")),
    };
    let next = before
        .pause
        .map_or(PAUSES.0, |pause| pause * 2)
        .min(PAUSES.1);
    let (answer, pause) = match ended {
        Ok(Fetched { answer, is_current }) => {
            (Answer::Found(answer), (!is_current).then_some(next))
        }
        Err(status) if is_answer(&status) => (Answer::NotFound(sentence(status.message())), None),
        Err(status) => {
            let unavailable = Unavailable {
                service,
                since: Some(before.unavailable_since.unwrap_or_else(|| clock.now())),
                why: why_after(&status, method, deadline),
            };
            let pause = if status.code() == Code::Unimplemented {
                UNKNOWN
            } else {
                next
            };
            (Answer::Unavailable(unavailable), Some(pause))
        }
    };
    CallResult {
        answer,
        again: pause.map(|pause| Instant::now() + pause),
        pause: next,
    }
}

// === impl Slots ===

impl<Q: Ord, S, A> Slots<Q, S, A> {
    fn shrink(&mut self, capacity: usize) {
        if self.by_question.len() <= capacity {
            return;
        }
        let mut uses: Vec<u64> = self.by_question.values().map(|slot| slot.used).collect();
        let (_, oldest, _) = uses.select_nth_unstable(capacity / 8);
        let oldest = *oldest;
        self.by_question.retain(|_, slot| slot.used > oldest);
    }
}

// === impl Slot ===

impl<S, A> Slot<S, A> {
    /// Returns true if the request must be repeated: the time for a retry has come, or all callers
    /// of the last call have stopped waiting.
    fn is_due(&self, round: u64, now: Instant) -> bool {
        match self.call.peek() {
            Some(ended) => {
                let is_time = |again| again <= now || self.round != round;
                ended.again.is_some_and(is_time)
            }
            None => self.call.strong_count() == Some(1),
        }
    }

    fn before(&self) -> Before {
        let Some(ended) = self.call.peek() else {
            return Before::default();
        };
        let unavailable_since = match &ended.answer {
            Answer::Unavailable(unavailable) => unavailable.since,
            Answer::NotAsked | Answer::Found(_) | Answer::NotFound(_) => None,
        };
        Before {
            unavailable_since,
            pause: ended.again.map(|_| ended.pause),
        }
    }
}

#[cfg(test)]
mod tests;
