//! Tests of the cached responses, and of the time for which they are valid.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::ask::DEADLINE;

/// A service that responds with the number of calls so far.
struct CountedCalls {
    kept: AnswerCache<usize, (), usize>,
    calls: Arc<AtomicUsize>,
}

impl CountedCalls {
    fn new() -> Self {
        let clock = Clock(Arc::new(|| Timestamp::UNIX_EPOCH));
        Self {
            kept: AnswerCache::new("resolver", clock),
            calls: Arc::default(),
        }
    }

    fn question(&self, about: usize, takes: Duration) -> Question<usize, (), usize> {
        let calls = self.calls.clone();
        let call = async move {
            let answer = calls.fetch_add(1, Ordering::Relaxed) + 1;
            tokio::time::sleep(takes).await;
            let is_current = true;
            Ok(Fetched { answer, is_current })
        };
        Question {
            about,
            state: (),
            round: 1,
            method: "GetPackage",
            call: call.boxed(),
            deadline: DEADLINE,
        }
    }

    async fn ask(&self, about: usize) -> Answer<usize> {
        let question = self.question(about, Duration::ZERO);
        self.kept.ask(question).await.answer.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn cache_is_bounded_and_evicts_least_recently_used_answers() {
    let asked = CountedCalls::new();
    for about in 0..CAPACITY {
        asked.ask(about).await;
    }
    assert_eq!(asked.ask(0).await, Answer::Found(1));
    asked.ask(CAPACITY).await;
    assert!(asked.kept.lock().by_question.len() < CAPACITY);
    assert_eq!(asked.ask(0).await, Answer::Found(1));
    assert_eq!(asked.ask(1).await, Answer::Found(CAPACITY + 2));
}

#[tokio::test(start_paused = true)]
async fn abandoned_call_is_repeated() {
    let asked = CountedCalls::new();
    let question = asked.question(1, Duration::from_secs(4));
    let waiting = timeout(Duration::from_secs(1), asked.kept.ask(question));
    assert!(waiting.await.is_err());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(asked.ask(1).await, Answer::Found(2));
}
