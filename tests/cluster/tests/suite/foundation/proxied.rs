//! Tests the proxy of the kit in front of a real API server. The proxy causes faults for a single
//! client.

use std::time::Duration;

use portolan_kit::proxy::Action;
use portolan_rig::Failure;

use crate::detour::{client, proxy};
use crate::note::Note;
use crate::world;

const DEADLINE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn client_behind_frozen_proxy_fails_at_its_deadline() -> Result<(), Failure> {
    let Some(world) = world("frozen").await? else {
        return Ok(());
    };
    let proxy = proxy(world.cluster()).await?;
    let note = Note::of(&client(&proxy, DEADLINE)?, world.namespace());
    note.create("before").await?;

    proxy.freeze();
    let answer = tokio::time::timeout(3 * DEADLINE, note.read()).await;
    let answer = answer.expect("the deadline of the client must end the request");
    assert!(answer.is_err(), "a frozen proxy answered: {answer:?}");
    proxy.thaw();

    note.until_text("before").await
}

#[tokio::test]
async fn interrupted_watch_shows_later_changes() -> Result<(), Failure> {
    let Some(world) = world("cut").await? else {
        return Ok(());
    };
    let proxy = proxy(world.cluster()).await?;
    let note = Note::of(world.client(), world.namespace());
    note.create("before").await?;
    let mut watched = Note::of(&client(&proxy, DEADLINE)?, world.namespace()).watch();
    watched.until_it_shows("before").await;
    note.write("between").await?;
    watched.until_it_shows("between").await;

    assert_eq!(proxy.cut("GET /api/v1?watch="), 1, "{:?}", proxy.requests());
    note.write("after").await?;

    watched.until_it_shows("after").await;
    Ok(())
}

#[tokio::test]
async fn write_with_lost_answer_is_stored() -> Result<(), Failure> {
    let Some(world) = world("lost").await? else {
        return Ok(());
    };
    let proxy = proxy(world.cluster()).await?;
    let note = Note::of(&client(&proxy, DEADLINE)?, world.namespace());
    note.create("before").await?;

    proxy.at_write(1, Action::CutAfter);
    let written = note.write("after").await;

    assert!(written.is_err(), "the client has heard nothing");
    Note::of(world.client(), world.namespace())
        .until_text("after")
        .await
}
