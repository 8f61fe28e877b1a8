//! Tests two replicas. Clients must not notice a difference between them.

use std::time::Duration;

use futures::StreamExt as _;
use kube::api::{ListParams, WatchEvent, WatchParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use tokio::time::{Instant, sleep};

use super::stage::berth;
use crate::is_soak;
use crate::process::ready;

/// The number of rounds. In each round, a client lists objects on one replica and watches them on
/// the other.
const ROUNDS: usize = 20;
/// The time for which a new replica waits before it is ready, two minutes, and some more. Only soak
/// tests wait that long.
const WAITS: Duration = Duration::from_secs(130);

#[tokio::test]
async fn watch_continues_from_list_of_another_replica() -> Result<(), Failure> {
    if !is_soak() {
        return Ok(());
    }
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let began = Instant::now();
    let (port, probes, _other) = berth.replica().await?;
    assert!(
        !ready(probes).await.unwrap_or_default(),
        "it must wait for the others"
    );
    sleep(WAITS).await;
    until("the replica to be ready", PATIENCE, async || {
        let is_ready = ready(probes).await.unwrap_or_default();
        Ok(if is_ready {
            Seen::Yes(())
        } else {
            Seen::NotYet("it is not".to_owned())
        })
    })
    .await?;
    assert!(began.elapsed() >= WAITS);
    let [one, other] = [berth.port, port].map(|port| berth.replica_at(port));
    let (one, other) = (one?, other?);
    for round in 0..ROUNDS {
        // Objects change only in half of the rounds.
        if round % 4 > 1 {
            let label = format!("round=n{round}");
            berth
                .run(&["label", "namespace", "harbor", &label, "--overwrite"])
                .await?;
        }
        let pair = if round % 2 == 0 {
            (&one, &other)
        } else {
            (&other, &one)
        };
        let (lists, watches) = pair;
        let listed = lists.list(&ListParams::default()).await?;
        let version = listed.metadata.resource_version.unwrap_or_default();
        let began = Instant::now();
        let watched = watches
            .watch(&WatchParams::default().timeout(1), &version)
            .await?;
        let watched: Vec<_> = watched.collect().await;
        for event in watched {
            let event = event?;
            assert!(
                !matches!(event, WatchEvent::Error(_)),
                "round {round}: {event:?}"
            );
        }
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "round {round} waits for nothing"
        );
    }
    berth.assert_no_forbidden_requests()
}
