//! Tests of the known state after each message.

use super::*;

const TIME: Timestamp = Timestamp::UNIX_EPOCH;

impl Value for u8 {
    const SERVICE: &'static str = "health";

    fn topic(key: &StreamKey) -> Topic {
        Topic::Namespace(key.namespace.clone())
    }
}

fn key(name: &str) -> StreamKey {
    StreamKey {
        namespace: "a".to_owned(),
        kind: "Subscription".to_owned(),
        name: name.to_owned(),
    }
}

fn message(event: Event<u8>) -> Message<u8> {
    Message {
        epoch: "life-1".to_owned(),
        event,
    }
}

/// Returns the known values by name.
fn known(followed: &Followed<u8>, now: Instant) -> Result<Vec<(&str, u8)>, Unavailable> {
    let known = followed.read(now)?.iter();
    Ok(known
        .map(|(key, value)| (key.name.as_str(), *value))
        .collect())
}

#[tokio::test(start_paused = true)]
async fn known_state_has_a_new_edition_after_each_change() {
    let now = Instant::now();
    let mut followed = Followed::new(now);
    let mut editions = Vec::new();
    for event in [
        Event::Is(key("x"), 1),
        Event::Synced,
        Event::Is(key("x"), 1),
        Event::Is(key("x"), 2),
        Event::Gone(key("y")),
        Event::Reset,
        Event::Is(key("x"), 2),
        Event::Synced,
        Event::Gone(key("x")),
    ] {
        followed
            .take(message(event), (now, TIME))
            .expect("no contradiction");
        editions.push(followed.edition());
    }
    assert_eq!(editions, [0, 1, 1, 2, 2, 2, 2, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn known_state_stays_valid_during_the_grace_period() {
    let now = Instant::now();
    let mut followed = Followed::new(now);
    for event in [Event::Is(key("x"), 1), Event::Synced] {
        followed
            .take(message(event), (now, TIME))
            .expect("no contradiction");
    }
    followed.lose("it is gone", (now, TIME));
    followed.lose("it is still gone", (now + GRACE, TIME));
    let last = now + GRACE - Duration::from_millis(1);
    assert_eq!(known(&followed, last), Ok(vec![("x", 1)]));
    let unavailable = Unavailable {
        service: "health",
        since: Some(TIME),
        why: "it is still gone".to_owned(),
    };
    assert_eq!(known(&followed, now + GRACE), Err(unavailable));
}

#[tokio::test(start_paused = true)]
async fn stream_that_ends_before_synced_leaves_no_state() {
    let now = Instant::now();
    let mut followed = Followed::new(now);
    followed
        .take(message(Event::Is(key("x"), 1)), (now, TIME))
        .expect("no contradiction");
    followed.lose("it is gone", (now, TIME));
    for event in [Event::Is(key("y"), 2), Event::Synced] {
        followed
            .take(message(event), (now, TIME))
            .expect("no contradiction");
    }
    assert_eq!(known(&followed, now), Ok(vec![("y", 2)]));
}
