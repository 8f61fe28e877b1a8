//! A controller that is killed at writes of it, once each, in the soak at every single one, while an
//! operator is installed, goes to the next version, in the soak to one more, and is deleted.

use std::sync::Arc;
use std::time::Instant;

use portolan_kit::proxy::Matcher;
use portolan_rig::Failure;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{Harbor, harbor, version, wish};
use crate::detour;
use crate::health::written;
use crate::is_soak;

/// The story has more writes than these, however many there are each time.
const LEAST: usize = 20;
const VERSIONS: [&str; 3] = ["1.0.0", "1.1.0", "1.2.0"];

#[tokio::test]
async fn whoever_comes_after_one_that_was_killed_comes_to_the_same_end() -> Result<(), Failure> {
    let versions = VERSIONS.map(|it| version("ferry", it));
    let Some(mut harbor) = harbor("operators-killed", &versions).await? else {
        return Ok(());
    };
    harbor.kill();
    let (wanted, writes, _) = play(&mut harbor, None).await?;
    println!("operators: {writes} writes without a fault: {wanted:#?}");
    assert!(writes > LEAST, "{writes} writes");
    let begun = Instant::now();
    for at in detour::kills(writes) {
        let (ends, _, is_killed) = play(&mut harbor, Some(at)).await?;
        assert!(is_killed || at > LEAST, "it is killed at write {at}");
        assert_eq!(ends, wanted, "killed at write {at}");
    }
    println!(
        "operators: killed at {} of {writes} writes in {} s",
        detour::kills(writes).count(),
        begun.elapsed().as_secs()
    );
    Ok(())
}

/// Plays it once. Returns what there was after each act, how many writes there were, and whether the
/// controller was killed.
async fn play(
    harbor: &mut Harbor,
    killed: Option<usize>,
) -> Result<(Vec<Value>, usize, bool), Failure> {
    let proxy = detour::proxy(harbor.world().cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = killed {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, _folder) = written::through(&proxy);
    harbor.start_at(&through).await;
    let (mut ends, mut is_killed) = (Vec::new(), false);
    // Without a soak two hops are enough.
    let count = if is_soak() { VERSIONS.len() } else { 2 };
    let hops = VERSIONS.into_iter().take(count).map(Some);
    for wanted in hops.chain([None]) {
        match wanted {
            Some(version) => {
                harbor.operator("ferry", wish(version)).await?;
            }
            None => harbor.delete("ferry").await?,
        }
        let landing = async {
            if killed.is_some() && !is_killed {
                landed.notified().await;
            } else {
                std::future::pending().await
            }
        };
        let ended = tokio::select! {
            ended = until_ended(harbor, wanted) => Some(ended?),
            () = landing => None,
        };
        if ended.is_none() {
            is_killed = true;
            harbor.kill();
            harbor.start().await?;
            until_ended(harbor, wanted).await?;
        }
        ends.push(end(harbor).await?);
    }
    let writes = proxy.count(Matcher::writes());
    harbor.kill();
    Ok((ends, writes, is_killed))
}

async fn until_ended(harbor: &Harbor, version: Option<&str>) -> Result<(), Failure> {
    match version {
        Some(version) => {
            harbor.until_installed("ferry", version).await?;
            harbor
                .until("ferry", ["Installing", "False", "UpToDate"])
                .await?;
            Ok(())
        }
        None => harbor.until_gone("ferry").await,
    }
}

/// What there is.
async fn end(harbor: &Harbor) -> Result<Value, Failure> {
    let operator = harbor.operators().get_opt("ferry").await?;
    let status = operator.map(|operator| operator.data["status"].clone());
    Ok(json!({
        "plans": harbor.plan_names().await?,
        "runs": harbor.runs("ferry").await?,
        "versions": status.as_ref().map(|status| &status["versions"]),
        "plan": status.as_ref().map(|status| &status["plan"]),
    }))
}
