//! Tests of WatchCatalogs.

use std::time::Duration;

use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::watch_catalogs_response::{Event, Heartbeat, Synced};
use portolan_resolver::snapshot::SourceFailure;
use tokio::time::{Instant, timeout};
use tonic::Streaming;

use crate::streams::{Client, Demo, PATIENCE};

type News = Streaming<pb::WatchCatalogsResponse>;

async fn watch(mut client: Client) -> News {
    let news = client.watch_catalogs(pb::WatchCatalogsRequest {}).await;
    news.expect("a watch must begin").into_inner()
}

async fn event(news: &mut News) -> Event {
    let answer = news.message().await.expect("there must be no failure");
    answer.and_then(|answer| answer.event).expect("an event")
}

async fn changed(news: &mut News) -> pb::Catalog {
    match event(news).await {
        Event::Changed(catalog) => catalog,
        other => panic!("it must be a change: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn idle_watch_sends_heartbeats() {
    let demo = Demo::of("a: 1.0.0");
    let mut news = watch(demo.local()).await;
    changed(&mut news).await;
    assert_eq!(event(&mut news).await, Event::Synced(Synced {}));
    for _ in 0..3 {
        let before = Instant::now();
        assert_eq!(event(&mut news).await, Event::Heartbeat(Heartbeat {}));
        assert_eq!(before.elapsed(), Duration::from_secs(30));
    }

    let before = Instant::now();
    demo.catalogs.rank(&demo.name, 7.into());
    assert_eq!(changed(&mut news).await.priority, 7);
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn slow_watcher_receives_only_the_last_state() {
    let demo = Demo::of("a: 1.0.0");
    let mut news = watch(demo.local()).await;
    changed(&mut news).await;
    assert_eq!(event(&mut news).await, Event::Synced(Synced {}));
    (1..=10_000).for_each(|priority| demo.catalogs.rank(&demo.name, priority.into()));
    assert_eq!(changed(&mut news).await.priority, 10_000);
    let next = timeout(Duration::from_millis(50), event(&mut news)).await;
    assert!(next.is_err(), "there must be nothing else: {next:?}");
}

/// The server stops sending when the buffers of the network connection are full.
#[tokio::test]
async fn slow_watcher_holds_only_its_connection_buffer() {
    const CHANGES: usize = 1000;
    let demo = Demo::of("a: 1.0.0");
    let port = demo.port().await;
    let mut slow = watch(port.client()).await;
    let mut quick = watch(port.client()).await;
    changed(&mut quick).await;
    event(&mut quick).await;
    let tell = |number: usize| {
        // All messages together have 20 MB. HTTP/2 buffers much less.
        let message = format!("{number}{}", " and so on".repeat(2000));
        let code = "Test";
        demo.catalogs
            .lost(&demo.name, SourceFailure { code, message });
    };
    for number in 1..=CHANGES {
        tell(number);
        // The slow client also receives the change when it reads.
        let answer = timeout(PATIENCE, changed(&mut quick)).await;
        let answer = answer.expect("a reading watcher must receive each change");
        assert!(answer.reasons[0].message.starts_with(&number.to_string()));
    }

    let last = CHANGES.to_string();
    let mut heard = 0;
    loop {
        let answer = timeout(PATIENCE, event(&mut slow)).await;
        let answer = answer.expect("the last state must come");
        heard += 1;
        if let Event::Changed(catalog) = answer
            && catalog
                .reasons
                .first()
                .is_some_and(|why| why.message.starts_with(&last))
        {
            break;
        }
    }
    assert!(
        heard < CHANGES / 4,
        "{heard} of {CHANGES} changes were kept"
    );
}
