//! Tests with a folder of manifests that the process of the service watches.

use std::fs;

use clap::Parser;
use futures::stream;
use portolan_health::{Flags, Options, listen};
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
async fn changed_file_is_reported_and_broken_file_is_ignored() {
    let folder = TempFolder::empty();
    let world = well(&["a", "b"]);
    world.write(&folder);
    let mut asking = Asking::of(Files::at(&folder), Options::default()).await;
    let mut news = asking.synced().await;
    failing(&world, "a").write(&folder);
    let a_fails = "Subscription a-system/a NO DeploymentUnavailable";
    assert_eq!(news.next_event().await, a_fails);

    // A broken document affects only the objects that it may contain.
    fs::write(folder.join("broken.yaml"), "kind: [\n").expect("a file");
    failing(&failing(&world, "a"), "b").write(&folder);
    // The objects below the Deployment were read in the meantime, which may cause a separate event.
    let b_fails = "Subscription b-system/b NO DeploymentUnavailable";
    let before = news.until(b_fails).await;
    assert!(before.iter().all(|event| event == a_fails), "{before:?}");
    world.write(&folder);
    let before = news.until("Subscription a-system/a YES").await;
    assert!(before.iter().all(|event| event == b_fails), "{before:?}");
    let before = news.until("Subscription b-system/b YES").await;
    assert!(before.iter().all(|event| event == b_fails), "{before:?}");
}

#[tokio::test]
async fn process_listens_at_once_and_answers_after_its_first_sync() {
    let folder = well(&["a"]).temp();
    let world = format!("--world={}", folder.display());
    let own = [
        "health",
        "--listen=127.0.0.1:0",
        "--probes-listen=127.0.0.1:0",
        &world,
    ];
    let Line { flags } = Line::parse_from(own);
    let listening = listen(flags).await.expect("free ports");
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

/// The CSV of the operator has an invalid list of Deployments. These Deployments may exist and be
/// unhealthy.
#[tokio::test]
async fn partly_read_operator_is_not_reported_healthy() {
    let folder = TempFolder::empty();
    let world = well(&["a"]);
    let mut objects = world.objects().to_vec();
    let csvs = objects
        .iter_mut()
        .filter(|object| object["kind"] == "ClusterServiceVersion");
    for csv in csvs {
        csv["spec"]["install"]["spec"]["deployments"] = "a".into();
    }
    let text: String = objects
        .iter()
        .map(|object| format!("---\n{object}\n"))
        .collect();
    fs::write(folder.join("odd.yaml"), text).expect("a file");
    let mut asking = Asking::of(Files::at(&folder), Options::default()).await;
    let operator = asking.named("a").await;
    assert_eq!(state(operator.verdict.as_ref()), "NOT_YET NotObserved");
    let reasons = operator.verdict.expect("a verdict").reasons;
    let [odd] = reasons.as_slice() else {
        panic!("one reason: {reasons:?}");
    };
    assert!(
        odd.message.contains("spec.install.spec.deployments"),
        "{odd:?}"
    );
}
