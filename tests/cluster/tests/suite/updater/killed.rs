//! Tests updaters that are killed at a write, in each run at a different one.

use std::sync::Arc;

use portolan_kit::proxy::Matcher;
use portolan_rig::{Failure, PATIENCE};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::stage::{CONDITION, configure, flags, frozen, install, lone, updater, wanted};
use crate::detour;
use crate::health::written;
use crate::operators::stage::{Harbor, version};

const VERSIONS: [&str; 7] = [
    "1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0", "1.6.0",
];

/// The updater is killed after a write, and the next updater continues the update.
#[tokio::test]
async fn updater_killed_at_any_write_is_continued_by_the_next() -> Result<(), Failure> {
    let Some(harbor) = frozen("updater-killed", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    configure(
        &harbor,
        &json!({"operators": install(&[("ferry", "latest")])}),
    )
    .await?;
    let writes = play(&harbor, 1, None).await?;
    println!("updater: {writes} writes without a fault");
    // The updater writes the version, a report at the start, and a report at the end. Each report
    // also has an event.
    assert!(writes >= 5, "{writes} writes");
    for at in 1..=5 {
        play(&harbor, at + 1, Some(at)).await?;
    }
    Ok(())
}

/// Publishes the next version, and waits until it is installed. If `killed` is given, the first
/// updater is killed at this write. Returns the number of writes.
async fn play(harbor: &Harbor, next: usize, killed: Option<usize>) -> Result<usize, Failure> {
    let proxy = detour::proxy(harbor.world().cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = killed {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, _folder) = written::through(&proxy);
    let alone = ["--no-lease".to_owned()];
    let reported = flags(harbor, &through).into_iter().chain(alone).collect();
    let (_, running) = updater(reported).await;
    let versions: Vec<_> = VERSIONS[..=next]
        .iter()
        .map(|it| version("ferry", it))
        .collect();
    harbor.publish(&versions)?;
    let runs = match killed {
        None => running,
        Some(at) => {
            let landed = timeout(PATIENCE, landed.notified()).await;
            assert!(landed.is_ok(), "there is no write {at}");
            running.kill();
            lone(harbor).await?.1
        }
    };
    let end = VERSIONS[next];
    harbor.until_installed("ferry", end).await?;
    let reported = harbor
        .until("ferry", [CONDITION, "True", "UpToDate"])
        .await?;
    assert_eq!(
        reported,
        format!("{end} is the newest version that latest allows")
    );
    assert_eq!(wanted(harbor, "ferry").await?, end);
    drop(runs);
    Ok(proxy.count(Matcher::writes()))
}
