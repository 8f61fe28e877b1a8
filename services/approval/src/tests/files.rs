//! Tests with a folder of manifests that the process of the service watches.

use std::fs;

use clap::Parser;
use futures::stream;
use portolan_kit::TempFolder;
use portolan_proto::DESCRIPTORS;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_shell::client::{Terms, remote};
use portolan_world::Files;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::Code;

use super::{Asking, PATIENCE, forbidding, state, waiting};
use crate::{Flags, Options, listen};

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    flags: Flags,
}

#[tokio::test]
async fn changed_file_is_reported_and_broken_file_is_ignored() {
    let folder = TempFolder::empty();
    let world = waiting(&["a", "b"]);
    world.write(&folder);
    let mut asking = Asking::of(Files::at(&folder), Options::default()).await;
    let mut news = asking.synced().await;
    forbidding(&world, "a-system").write(&folder);
    assert_eq!(
        news.next_event().await,
        "InstallPlan a-system/install-1 NO NotAllowed"
    );
    let policy = folder.join("b-system/operatorpolicy-b.yaml");
    let whole = fs::read_to_string(&policy).expect("a policy");
    let odd = whole.replacen("metadata:", "status: 7\nmetadata:", 1);
    assert_ne!(odd, whole);
    fs::write(&policy, odd).expect("a file");
    assert_eq!(
        news.next_event().await,
        "InstallPlan b-system/install-1 NO PolicyInvalid"
    );
    // An unreadable file may contain a policy for any InstallPlan, so every InstallPlan is
    // affected.
    fs::write(&policy, "kind: [\n").expect("a file");
    let mut reported = [news.next_event().await, news.next_event().await];
    reported.sort();
    let unseen = [
        "InstallPlan a-system/install-1 NOT_YET NotObserved NotAllowed",
        "InstallPlan b-system/install-1 NOT_YET NotObserved NoPolicy",
    ];
    assert_eq!(reported, unseen);
    world.write(&folder);
    let mut reported = [news.next_event().await, news.next_event().await];
    reported.sort();
    let back = ["a", "b"].map(|it| format!("InstallPlan {it}-system/install-1 YES"));
    assert_eq!(reported, back);
}

#[tokio::test]
async fn process_listens_at_once_and_answers_after_its_first_sync() {
    let folder = waiting(&["a"]).temp();
    let world = format!("--world={}", folder.display());
    let own = [
        "approval",
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
    let mut client = ApprovalClient::new(remote(&url, terms).expect("a URL"));
    let answered = timeout(PATIENCE, async {
        loop {
            let namespace = "a-system".to_owned();
            let request = pb::ReviewNamespaceRequest { namespace };
            match client.review_namespace(request).await {
                Ok(answer) => break answer.into_inner().reviews,
                Err(refused) => assert_eq!(refused.code(), Code::Unavailable, "{refused}"),
            }
        }
    });
    let reviews = answered.await.expect("an answer");
    let [a] = reviews.as_slice() else {
        panic!("one review: {reviews:?}");
    };
    assert_eq!(state(a.verdict.as_ref()), "YES");
    drop(client);
    stop.send(()).expect("it must run");
    assert!(running.await.expect("it must end"), "and well");
}
