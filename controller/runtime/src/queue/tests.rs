use rstest::rstest;

use super::*;

fn key(name: &str) -> Key {
    Key::new("west", name)
}

/// A queue with a manual clock in milliseconds.
struct Clock {
    queue: Queue,
    begin: Instant,
}

impl Clock {
    fn new() -> Self {
        Self {
            queue: Queue::default(),
            begin: Instant::now(),
        }
    }

    fn at(&self, millis: u64) -> Instant {
        self.begin + Duration::from_millis(millis)
    }

    fn touch(&mut self, name: &str, millis: u64) {
        self.queue.touch(&key(name), self.at(millis));
    }

    fn end(&mut self, name: &str, millis: u64, backs_off: bool) {
        let now = self.at(millis);
        let ended = ReconcileEnd {
            now,
            backs_off,
            requeue_at: None,
            is_bounded: false,
        };
        self.queue.end(&key(name), ended);
    }

    /// Returns all objects that are due at this time, in order.
    fn due(&mut self, millis: u64) -> Vec<String> {
        let now = self.at(millis);
        let names = std::iter::from_fn(|| self.queue.next(now));
        names.map(|key| key.name.to_string()).collect()
    }

    fn wake(&self) -> Option<u64> {
        let time = self.queue.wake()? - self.begin;
        Some(u64::try_from(time.as_millis()).expect("a short test"))
    }
}

#[test]
fn touched_keys_are_due_once_and_longest_wait_first() {
    let mut clock = Clock::new();
    clock.touch("b", 1);
    clock.touch("a", 2);
    clock.touch("b", 3);
    assert_eq!(clock.wake(), Some(1));
    assert_eq!(clock.due(0), Vec::<String>::new());
    assert_eq!(clock.due(3), ["b", "a"]);
    assert_eq!(clock.wake(), None);
}

#[test]
fn key_touched_during_its_reconcile_is_due_afterwards() {
    let mut clock = Clock::new();
    clock.touch("a", 0);
    assert_eq!(clock.due(0), ["a"]);
    clock.touch("a", 500);
    assert_eq!((clock.due(501), clock.wake()), (Vec::new(), None));
    clock.end("a", 600, false);
    assert_eq!(clock.due(600), ["a"]);
}

#[test]
fn repeated_changes_are_reconciled_at_a_limited_rate() {
    let mut clock = Clock::new();
    let mut looks = Vec::new();
    for now in 0..=5_000 {
        clock.touch("a", now);
        if !clock.due(now).is_empty() {
            looks.push(now);
            clock.end("a", now, false);
        }
    }
    let at_once: Vec<_> = (0..20).collect();
    assert_eq!(looks[..20], at_once);
    assert_eq!(looks[20..], (200..=5_000).step_by(200).collect::<Vec<_>>());
    // After a pause, several reconciliations may again follow each other without a pause.
    clock.touch("a", 60_000);
    for _ in 0..20 {
        clock.touch("a", 60_000);
        assert_eq!(clock.due(60_000), ["a"]);
        clock.end("a", 60_000, false);
    }
    clock.touch("a", 60_000);
    assert_eq!(
        (clock.due(60_199), clock.wake()),
        (Vec::new(), Some(60_200))
    );
}

#[test]
fn bounded_reconcile_is_not_rate_limited() {
    let mut clock = Clock::new();
    for _ in 0..100 {
        clock.touch("a", 0);
        assert_eq!(clock.due(0), ["a"]);
        let ended = ReconcileEnd {
            now: clock.at(0),
            backs_off: false,
            requeue_at: None,
            is_bounded: true,
        };
        clock.queue.end(&key("a"), ended);
    }
    // Reconciliations with `is_bounded` have not used up the burst.
    for _ in 0..20 {
        clock.touch("a", 0);
        assert_eq!(clock.due(0), ["a"]);
        clock.end("a", 0, false);
    }
    clock.touch("a", 0);
    assert_eq!((clock.due(199), clock.wake()), (Vec::new(), Some(200)));
}

#[test]
fn backoff_grows_with_each_failure_and_changes_do_not_wait() {
    let mut clock = Clock::new();
    clock.touch("a", 0);
    let mut rests = Vec::new();
    let mut now = 0;
    for _ in 0..10 {
        assert_eq!(clock.due(now), ["a"]);
        clock.end("a", now, true);
        let wake = clock.wake().expect("a rest");
        rests.push((wake - now) / 1000);
        now = wake;
    }
    assert_eq!(rests, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    clock.touch("a", now - 1000);
    assert_eq!(clock.due(now - 1000), ["a"]);
    clock.end("a", now, false);
    assert_eq!(clock.wake(), None);
}

#[test]
fn changes_during_backoff_do_not_extend_it() {
    let mut clock = Clock::new();
    clock.touch("a", 0);
    for now in (0..1000).step_by(200) {
        clock.touch("a", now);
        assert_eq!(clock.due(now), ["a"]);
        clock.end("a", now, true);
        assert_eq!(clock.wake(), Some(1000));
    }
    assert_eq!(clock.due(1000), ["a"]);
    clock.end("a", 1000, true);
    assert_eq!(clock.wake(), Some(3000));
}

#[rstest]
#[case::none(0, 1)]
#[case::very_many(u32::MAX, 300)]
fn backoff_has_a_minimum_and_a_maximum(#[case] failures: u32, #[case] seconds: u64) {
    assert_eq!(backoff(failures), Duration::from_secs(seconds));
}

#[test]
fn held_key_waits_until_its_release_or_timeout() {
    let mut clock = Clock::new();
    clock.queue.hold(&key("a"), clock.at(10_000));
    clock.queue.hold(&key("b"), clock.at(10_000));
    clock.touch("a", 0);
    clock.touch("b", 0);
    assert_eq!(clock.due(9_999), Vec::<String>::new());
    clock.queue.release(&key("a"));
    assert_eq!(clock.due(9_999), ["a"]);
    assert_eq!(clock.due(10_000), ["b"]);
}

#[test]
fn requeue_time_makes_a_key_due() {
    let mut clock = Clock::new();
    clock.touch("a", 0);
    assert_eq!(clock.due(0), ["a"]);
    let (now, again) = (clock.at(1), clock.at(5_000));
    let ended = ReconcileEnd {
        now,
        backs_off: false,
        requeue_at: Some(again),
        is_bounded: false,
    };
    clock.queue.end(&key("a"), ended);
    assert_eq!(
        (clock.due(4_999), clock.due(5_000)),
        (Vec::new(), vec!["a".to_owned()])
    );
}

#[test]
fn forgotten_key_leaves_no_entries() {
    let mut clock = Clock::new();
    clock.touch("a", 0);
    clock.queue.hold(&key("a"), clock.at(9));
    clock.queue.forget(&key("a"));
    assert!(clock.queue.entries.is_empty() && clock.queue.order.is_empty());
}
