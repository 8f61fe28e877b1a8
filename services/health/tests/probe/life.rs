//! Tests of the times of probes, and of opening and losing connections.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use portolan_core_health::Probe;
use portolan_health::probe::{Pace, Probed, Probes};
use portolan_kit::assert_same;
use portolan_world::registry::Dialer;
use tokio::time::timeout;

use crate::door::{Behind, Door, Seen};
use crate::fake::Fake;
use crate::{NEVER, ONCE, QUICK, SOON, first, is_answered, key, probes, until, wanted};

/// Probes healthy registries repeatedly, and unhealthy registries never again.
const UNFORGIVING: Pace = Pace {
    every: QUICK.every,
    ..ONCE
};

/// The number of probes of another registry. After this many probes, a registry counts as never
/// probed again.
const LONG: u32 = 20;

#[tokio::test]
async fn healthy_registry_is_probed_again_over_the_same_connection() {
    let mut running = Fake::of(1).run().await;
    let mut probes = running.probes(QUICK);
    let before = first(&mut probes, "a").await;
    running.until_lists(4).await;
    let after = first(&mut probes, "a").await;
    assert!(after.answered > before.answered);
    assert_eq!(
        (after.since, after.connected),
        (before.since, before.connected)
    );
    let seen = Seen { taken: 1, ended: 0 };
    assert_eq!(running.door.counts(), seen);
}

/// The pause is longer than any test, so only the loss of the connection can cause another probe.
#[tokio::test]
async fn lost_and_returning_registry_is_noticed_at_once() {
    let pace = Pace {
        every: NEVER,
        ..QUICK
    };
    let mut running = Fake::of(1).run().await;
    let mut probes = running.probes(pace);
    let well = first(&mut probes, "a").await;

    running.door.shut().await;
    let gone = until(&mut probes, "a", |probed| !is_answered(probed)).await;
    assert_same!(
        gone.probe,
        Probe::Unreachable("connection refused".to_owned())
    );
    assert_eq!((gone.answered, gone.connected), (well.answered, None));
    assert!(gone.since > well.since);

    let _door = Door::at(running.door.socket, running.behind).await;
    let back = until(&mut probes, "a", is_answered).await;
    assert!(back.connected > well.connected && back.since > gone.since);
}

#[tokio::test]
async fn reconnect_with_same_outcome_keeps_its_start_time() {
    let running = Fake::of(1).run().await;
    let mut probes = running.probes(ONCE);
    let before = first(&mut probes, "a").await;
    running.door.cut();
    let is_new = |probed: &Probed| probed.connected != before.connected;
    let after = until(&mut probes, "a", is_new).await;
    assert_eq!(
        (after.probe, after.since),
        (Probe::Answered { packages: 1 }, before.since)
    );
}

#[tokio::test]
async fn new_address_is_probed_at_once() {
    let mut old = Fake::of(1).run().await;
    let new = Fake::of(2).run().await;
    let mut probes = old.probes(ONCE);
    first(&mut probes, "a").await;
    probes.want(wanted([("a", &new.door.address)]));
    let pending = probes.now()[&key("a")].clone();
    assert_eq!(
        (pending.probe, pending.address),
        (Probe::Pending, new.door.address.to_string())
    );
    let probed = first(&mut probes, "a").await;
    assert_same!(probed.probe, Probe::Answered { packages: 2 });
    old.door.until(|seen| seen.ended == 1).await;
}

#[tokio::test]
async fn unused_registry_is_dropped_without_affecting_other_registries() {
    let mut left = Fake::of(1).run().await;
    let mut kept = Fake::of(2).run().await;
    let mut probes = Probes::new(ONCE, Dialer::default());
    let kept_address = kept.door.address.clone();
    probes.want(wanted([
        ("left", &left.door.address),
        ("kept", &kept_address),
    ]));
    first(&mut probes, "left").await;
    let before = first(&mut probes, "kept").await;

    probes.want(wanted([("kept", &kept_address)]));
    let after = probes.now();
    assert_same!(
        after.into_iter().collect::<Vec<_>>(),
        [(key("kept"), before)]
    );
    left.door.until(|seen| seen.ended == 1).await;
    probes.want(wanted([("kept", &kept_address)]));
    assert_eq!(probes.changed().now_or_never(), None, "nothing has changed");
    let seen = Seen { taken: 1, ended: 0 };
    assert_eq!((kept.asked().lists, kept.door.counts()), (1, seen));

    drop(probes);
    kept.door.until(|seen| seen.ended == 1).await;
}

#[tokio::test]
async fn silent_registry_is_probed_over_a_new_connection() {
    let pace = Pace {
        answer: Duration::from_millis(50),
        ..QUICK
    };
    let mut door = Door::before(Behind::Silence).await;
    let _probes = probes(pace, &door.address);
    door.until(|seen| seen.ended >= 3).await;
}

#[tokio::test]
async fn frozen_registry_delays_no_other_registry() {
    let frozen = Door::before(Behind::Silence).await;
    let mut well = Fake::of(1).run().await;
    let mut probes = Probes::new(UNFORGIVING, Dialer::default());
    probes.want(wanted([
        ("frozen", &frozen.address),
        ("well", &well.door.address),
    ]));
    well.until_lists(LONG).await;
    assert_eq!(probes.now()[&key("frozen")].probe, Probe::Pending);
}

#[tokio::test]
async fn registry_that_closes_connections_is_backed_off() {
    let closing = Door::before(Behind::Closing).await;
    let mut well = Fake::of(1).run().await;
    let mut probes = Probes::new(UNFORGIVING, Dialer::default());
    probes.want(wanted([
        ("closing", &closing.address),
        ("well", &well.door.address),
    ]));
    first(&mut probes, "closing").await;
    well.until_lists(LONG).await;
    assert_eq!(closing.counts().taken, 1, "it rests for a day");
}

/// After the first loss, the registry is probed immediately. After the second loss, there is a
/// pause.
#[tokio::test]
async fn registry_that_answers_and_closes_is_backed_off() {
    let mut closing = Fake::of(1).run().await;
    let mut well = Fake::of(1).run().await;
    let mut probes = Probes::new(ONCE, Dialer::default());
    probes.want(wanted([("closing", &closing.door.address)]));
    let once = first(&mut probes, "closing").await;
    closing.door.cut();
    let is_new = |probed: &Probed| probed.connected != once.connected;
    until(&mut probes, "closing", is_new).await;
    closing.door.cut();
    closing.door.until(|seen| seen.ended == 2).await;

    let _others = well.probes(QUICK);
    well.until_lists(LONG).await;
    assert_eq!(closing.door.counts(), Seen { taken: 2, ended: 2 });
}

#[tokio::test]
async fn repeated_failure_notifies_no_watcher() {
    let mut door = Door::before(Behind::Closing).await;
    let mut probes = probes(QUICK, &door.address);
    let before = first(&mut probes, "a").await;
    door.until(|seen| seen.taken >= 5).await;
    assert_eq!(probes.changed().now_or_never(), None);
    assert_same!(probes.now()[&key("a")], before);
}

#[tokio::test]
async fn concurrent_readers_share_one_probe() {
    let running = Fake::of(1).run().await;
    let probes = running.probes(ONCE);
    let looks = (0..50).map(|_| {
        let mut results = probes.results();
        async move {
            while !results.now().values().all(is_answered) {
                results.changed().await;
            }
        }
    });
    let received = timeout(SOON, join_all(looks)).await;
    received.expect("every reader must see the answer");
    assert_eq!(running.asked().lists, 1);
    assert_eq!(running.door.counts().taken, 1);
}

#[tokio::test]
async fn registry_of_many_catalogs_is_probed_once() {
    let mut running = Fake::of(1).run().await;
    let mut probes = Probes::new(ONCE, Dialer::default());
    let at = running.door.address.clone();
    probes.want(wanted([("a", &at), ("b", &at)]));
    let one = first(&mut probes, "a").await;
    assert_same!(probes.now()[&key("b")], one);

    probes.want(wanted([("b", &at), ("late", &at)]));
    let received: Vec<_> = probes.now().into_iter().collect();
    assert_same!(received, [(key("b"), one.clone()), (key("late"), one)]);

    running.door.shut().await;
    let gone = until(&mut probes, "late", |probed| !is_answered(probed)).await;
    assert_same!(probes.now()[&key("b")], gone);
    assert_eq!((running.asked().lists, running.door.counts().taken), (1, 1));
}

#[tokio::test]
async fn change_notification_persists_until_read() {
    let door = Door::before(Behind::Silence).await;
    let mut probes = probes(ONCE, &door.address);
    for _ in 0..2 {
        assert_eq!(probes.changed().now_or_never(), Some(()), "it is pending");
    }
    assert_eq!(probes.now().len(), 1);
    assert_eq!(probes.changed().now_or_never(), None);
    let mut other = probes.results();
    probes.want(wanted([]));
    assert_eq!(other.changed().now_or_never(), Some(()), "it is gone");
    assert_eq!(other.now().len(), 0);
}
