//! A folder of manifests, followed through the process as it is served.

use std::fs;

use clap::Parser;
use futures::stream;
use portolan_health::{Flags, Listening, Reach};
use portolan_kit::TempFolder;
use portolan_proto::DESCRIPTORS;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_shell::client::{Terms, remote};
use portolan_world::Files;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::Code;

use crate::{Asking, PATIENCE, failing, state, well};

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    flags: Flags,
}

#[tokio::test]
async fn a_file_that_changes_is_told_and_one_that_breaks_is_not_believed() {
    let folder = TempFolder::empty();
    let world = well(&["a", "b"]);
    world.write(&folder);
    let mut asking = Asking::of(Files::at(&folder), Reach::default()).await;
    let mut news = asking.synced().await;
    failing(&world, "a").write(&folder);
    let a_fails = "Subscription a-system/a NO DeploymentUnavailable";
    assert_eq!(news.told().await, a_fails);

    // A broken document costs what may be in it, and nothing else.
    fs::write(folder.join("broken.yaml"), "kind: [\n").expect("a file");
    failing(&failing(&world, "a"), "b").write(&folder);
    // Meanwhile what is below the Deployment was looked at, which may be told by itself.
    let b_fails = "Subscription b-system/b NO DeploymentUnavailable";
    let before = news.until(b_fails).await;
    assert!(before.iter().all(|told| told == a_fails), "{before:?}");
    world.write(&folder);
    let before = news.until("Subscription a-system/a YES").await;
    assert!(before.iter().all(|told| told == b_fails), "{before:?}");
    let before = news.until("Subscription b-system/b YES").await;
    assert!(before.iter().all(|told| told == b_fails), "{before:?}");
}

#[tokio::test]
async fn a_process_listens_at_once_and_answers_when_it_has_looked() {
    let folder = well(&["a"]).temp();
    let world = format!("--world={}", folder.display());
    let own = [
        "health",
        "--listen=127.0.0.1:0",
        "--probes-listen=127.0.0.1:0",
        &world,
    ];
    let Line { flags } = Line::parse_from(own);
    let listening = Listening::under(flags).await.expect("free ports");
    let url = format!("http://{}", listening.grpc_address());
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = stream::once(async { stopped.await.unwrap_or_default() });
    let running = tokio::spawn(async move { listening.run(Box::pin(stopped)).await.is_ok() });
    let terms = Terms::queries(DESCRIPTORS, PATIENCE);
    let mut client = HealthClient::new(remote(&url, terms).expect("a URL"));
    let answered = timeout(PATIENCE, async {
        loop {
            let request = pb::ListOperatorsRequest::default();
            match client.list_operators(request).await {
                Ok(listed) => break listed.into_inner().operators,
                Err(refused) => assert_eq!(refused.code(), Code::Unavailable, "{refused}"),
            }
        }
    });
    let operators = answered.await.expect("an answer");
    let [a] = operators.as_slice() else {
        panic!("one operator: {operators:?}");
    };
    assert_eq!(state(a.verdict.as_ref()), "YES");
    drop(client);
    stop.send(()).expect("it must run");
    assert!(running.await.expect("it must end"), "and well");
}
