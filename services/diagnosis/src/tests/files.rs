//! Tests of diagnosing a folder of manifests with the process of the service.

use clap::Parser;
use futures::stream;
use portolan_kit::catalog;
use portolan_proto::DESCRIPTORS;
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_shell::client::{Terms, remote};
use similar_asserts::assert_eq;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::Code;

use super::{PATIENCE, SHOP, line, well};
use crate::{Flags, listen};

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    flags: Flags,
}

#[tokio::test]
async fn process_listens_at_once_and_answers_after_its_first_sync() {
    let (world, shop) = (well(&["ferry.v1.0.0"]).temp(), catalog(SHOP).temp());
    let world = format!("--world={}", world.display());
    let shop = format!("--catalog=olm/shop={}", shop.display());
    let own = ["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"];
    let Line { flags } = Line::parse_from(["diagnosis", &world, &shop, own[0], own[1]]);
    let listening = listen(flags).await.expect("free ports");
    let url = format!("http://{}", listening.grpc_address());
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = stream::once(async { stopped.await.unwrap_or_default() });
    let running = tokio::spawn(async move { listening.run(Box::pin(stopped)).await.is_ok() });
    let terms = Terms::queries(DESCRIPTORS, PATIENCE);
    let mut client = DiagnosisClient::new(remote(&url, terms).expect("a URL"));
    let answered = timeout(PATIENCE, async {
        loop {
            match client.diagnose(pb::DiagnoseRequest::default()).await {
                Ok(answers) => break answers.into_inner(),
                Err(refused) => assert_eq!(refused.code(), Code::Unavailable, "{refused}"),
            }
        }
    });
    let mut answers = answered.await.expect("an answer");
    let first = answers.message().await.expect("no failure");
    let first = first.and_then(|answer| answer.diagnosis);
    let first = first.expect("a diagnosis");
    assert_eq!(line(&first), "Subscription ferry-system/ferry WELL");
    assert_eq!(answers.message().await.expect("no failure"), None);
    drop((client, answers));
    stop.send(()).expect("it must run");
    assert!(running.await.expect("it must end"), "and well");
}
