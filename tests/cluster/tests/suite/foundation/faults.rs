//! Tests API servers that restart and freeze, and clients that continue to work.

use std::time::{Duration, Instant};

use portolan_rig::{Component, Failure, PATIENCE};
use tokio::time::timeout;

use crate::note::Note;
use crate::{detour, own_cluster};

const DEADLINE: Duration = Duration::from_secs(3);
const FROZEN: Duration = Duration::from_secs(60);
/// If a watch receives no data for this time, the client opens the watch again.
const SILENCE: Duration = Duration::from_secs(30);
const WATCHES: &str = "GET /api/v1?watch=";

#[tokio::test]
async fn watch_survives_restart_of_the_api_server() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let note = Note::of(&cluster.client()?, "default");
    note.create("before").await?;
    let mut watched = note.watch();
    watched.until_it_shows("before").await;

    cluster.restart(Component::ApiServer).await?;
    Note::of(&cluster.client()?, "default")
        .write("after")
        .await?;

    watched.until_it_shows("after").await;
    Ok(())
}

#[tokio::test]
async fn frozen_api_server_costs_requests_but_no_watch() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let proxy = detour::proxy(&cluster).await?;
    let note = Note::of(&detour::client(&proxy, DEADLINE)?, "default");
    note.create("before").await?;
    let mut watched = Note::of(&detour::client(&proxy, SILENCE)?, "default").watch();
    watched.until_it_shows("before").await;
    let watches = proxy.count(WATCHES);

    let scenario = async {
        cluster.freeze(Component::ApiServer)?;
        cluster.freeze(Component::ApiServer)?; // twice is once
        ask_in_vain(&note, FROZEN).await;
        cluster.thaw(Component::ApiServer)?;
        // Uses the same client, whose old connections are broken.
        note.until_text("before").await?;
        note.write("after").await
    };
    let shown = async {
        watched.shows_within(FROZEN + PATIENCE, "after").await;
        Ok(())
    };
    tokio::try_join!(scenario, shown)?;

    let reopened = proxy.count(WATCHES) - watches;
    assert!(reopened > 0, "the watch must break after this silence");
    Ok(())
}

/// Sends requests one after the other for this time. Checks that no request gets a response.
async fn ask_in_vain(note: &Note, so_long: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < so_long {
        let asked = Instant::now();
        let answer = timeout(3 * DEADLINE, note.read()).await;
        let (waited, at) = (asked.elapsed(), begun.elapsed());
        let answer = answer.expect("the deadline of the client must end the request");
        assert!(answer.is_err(), "a frozen API server answered after {at:?}");
        assert!(
            waited >= DEADLINE / 2,
            "not the deadline after {at:?}, {waited:?}: {answer:?}"
        );
    }
}
