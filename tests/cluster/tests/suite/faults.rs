//! API servers that restart and freeze, and the clients that live through it.

use std::time::{Duration, Instant};

use futures::{Stream, StreamExt as _, TryStreamExt as _};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{Api, Client};
use portolan_rig::{ADMIN, Cluster, Component, Failure, Kind, PATIENCE};
use serde_json::json;
use tokio::time::timeout;

use crate::own_cluster;

const DEADLINE: Duration = Duration::from_secs(3);
const FROZEN: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_watch_outlives_the_api_server() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let notes = Kind::ConfigMap.within(&cluster.client()?, "default");
    let note = Kind::ConfigMap.object("note", json!({"data": {"text": "before"}}))?;
    notes.create(&PostParams::default(), &note).await?;
    let mut seen = std::pin::pin!(texts(notes.clone()));
    until_text(&mut seen, "before").await;

    cluster.restart(Component::ApiServer).await?;
    let after = Kind::ConfigMap.within(&cluster.client()?, "default");
    write(&after, "after").await?;

    until_text(&mut seen, "after").await;
    Ok(())
}

#[tokio::test]
async fn a_frozen_api_server_costs_a_client_its_deadline_and_no_more() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let client = impatient(&cluster)?;
    let notes = Kind::ConfigMap.within(&client, "default");
    let note = Kind::ConfigMap.object("note", json!({"data": {"text": "before"}}))?;
    notes.create(&PostParams::default(), &note).await?;

    cluster.freeze(Component::ApiServer)?;
    let begun = Instant::now();
    while begun.elapsed() < FROZEN {
        let asked = Instant::now();
        let answer = timeout(3 * DEADLINE, notes.get("note")).await;
        let answer = answer.expect("the client's own deadline must be the one that ends it");
        assert!(answer.is_err(), "a frozen API server answered");
        assert!(
            asked.elapsed() >= DEADLINE / 2,
            "it failed too early: {answer:?}"
        );
    }
    cluster.thaw(Component::ApiServer)?;

    // The very same client, whose old connections are of no use any more.
    portolan_rig::until_field(&notes, "note", "/data/text", "before").await?;
    write(&notes, "after").await
}

/// A client with a deadline of its own, and no retries that would hide it.
fn impatient(cluster: &Cluster) -> Result<Client, Failure> {
    let mut config = cluster.config(ADMIN)?;
    config.read_timeout = Some(DEADLINE);
    config.connect_timeout = Some(DEADLINE);
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

async fn write(notes: &Api<DynamicObject>, text: &str) -> Result<(), Failure> {
    let change = Patch::Merge(json!({"data": {"text": text}}));
    notes
        .patch("note", &PatchParams::default(), &change)
        .await?;
    Ok(())
}

/// What the note says, again and again, through any number of broken watches.
fn texts(notes: Api<DynamicObject>) -> impl Stream<Item = Result<String, watcher::Error>> {
    watcher(
        notes,
        watcher::Config::default().fields("metadata.name=note"),
    )
    .default_backoff()
    .applied_objects()
    .map_ok(|note| {
        note.data["data"]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    })
}

async fn until_text(
    texts: &mut (impl Stream<Item = Result<String, watcher::Error>> + Unpin),
    wanted: &str,
) {
    let found = timeout(PATIENCE, async {
        // A broken watch is an item of the stream, too, and the watcher goes on after it.
        while let Some(text) = texts.next().await {
            if text.is_ok_and(|text| text == wanted) {
                return;
            }
        }
        panic!("the watch ended");
    });
    found
        .await
        .unwrap_or_else(|_| panic!("the watch never showed {wanted:?}"));
}
