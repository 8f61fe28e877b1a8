//! The kit's proxy before the real API server: trouble for one client and nobody else.

use std::time::Duration;

use portolan_kit::proxy::Action;
use portolan_rig::Failure;

use crate::detour::{client, proxy};
use crate::note::Note;
use crate::world;

const DEADLINE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_client_behind_a_frozen_proxy_waits_no_longer_than_it_wants() -> Result<(), Failure> {
    let Some(world) = world("frozen").await? else {
        return Ok(());
    };
    let proxy = proxy(world.cluster()).await?;
    let note = Note::of(&client(&proxy, DEADLINE)?, world.namespace());
    note.create("before").await?;

    proxy.freeze();
    let answer = tokio::time::timeout(3 * DEADLINE, note.read()).await;
    let answer = answer.expect("the client's own deadline must be the one that ends it");
    assert!(answer.is_err(), "a frozen proxy answered: {answer:?}");
    proxy.thaw();

    note.until_it_says("before").await
}

#[tokio::test]
async fn a_watch_that_is_cut_shows_what_comes_after() -> Result<(), Failure> {
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
async fn a_write_whose_answer_is_lost_has_landed() -> Result<(), Failure> {
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
        .until_it_says("after")
        .await
}
