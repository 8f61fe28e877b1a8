//! API servers that restart and freeze, and the clients that live through it.

use std::time::{Duration, Instant};

use kube::Client;
use portolan_rig::{ADMIN, Cluster, Component, Failure};
use tokio::time::timeout;

use crate::note::Note;
use crate::own_cluster;

const DEADLINE: Duration = Duration::from_secs(3);
const FROZEN: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_watch_outlives_the_api_server() -> Result<(), Failure> {
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
async fn a_frozen_api_server_costs_a_client_its_deadline_and_no_more() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let note = Note::of(&impatient(&cluster)?, "default");
    note.create("before").await?;

    cluster.freeze(Component::ApiServer)?;
    cluster.freeze(Component::ApiServer)?; // twice is once
    let begun = Instant::now();
    while begun.elapsed() < FROZEN {
        let asked = Instant::now();
        let answer = timeout(3 * DEADLINE, note.read()).await;
        let (waited, at) = (asked.elapsed(), begun.elapsed());
        let answer = answer.expect("the client's own deadline must be the one that ends it");
        assert!(answer.is_err(), "a frozen API server answered after {at:?}");
        assert!(
            waited >= DEADLINE / 2,
            "not the deadline after {at:?}, {waited:?}: {answer:?}"
        );
    }
    cluster.thaw(Component::ApiServer)?;

    // The very same client, whose old connections are of no use any more.
    note.until_it_says("before").await?;
    note.write("after").await
}

/// A client with a deadline of its own, and no retries that would hide it.
fn impatient(cluster: &Cluster) -> Result<Client, Failure> {
    let mut config = cluster.config(ADMIN)?;
    config.read_timeout = Some(DEADLINE);
    config.connect_timeout = Some(DEADLINE);
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}
