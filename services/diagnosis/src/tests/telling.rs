//! Tests that the work for one caller is limited.

use std::sync::Arc;

use futures::StreamExt;
use portolan_core_diagnosis::OwnObjects;
use portolan_kit::catalog;
use portolan_shell::BlockingPool;
use similar_asserts::assert_eq;

use super::{SHOP, Stage, diagnosis, line, settled, well};
use crate::Options;
use crate::question::Question;
use crate::telling::Telling;

async fn telling() -> Telling {
    let world = well(&["ferry.v1.0.0", "pilot.v1.1.0"]);
    let (diagnosis, _shop) = diagnosis(&Stage::shared(&world), &catalog(SHOP), Options::default());
    settled(&diagnosis).await;
    let look = diagnosis
        .look(None)
        .await
        .expect("the first sync must complete");
    Telling::of(
        Some(look),
        OwnObjects::default(),
        Question::default(),
        BlockingPool::default(),
    )
}

#[tokio::test]
async fn dropped_answer_stream_releases_its_snapshot() {
    let telling = telling().await;
    let look = telling.look.as_ref().map(Arc::downgrade).expect("facts");
    let mut stream = telling.into_stream().boxed();
    let first = stream.next().await.expect("an answer").expect("no failure");
    let first = first.diagnosis.as_ref().map(line);
    assert_eq!(
        first.as_deref(),
        Some("Subscription ferry-system/ferry WELL")
    );
    assert_eq!(look.strong_count(), 1, "it waits to be asked on");
    drop(stream);
    assert_eq!(
        look.strong_count(),
        0,
        "the stream must release the snapshot"
    );
}

#[tokio::test]
async fn panic_makes_only_its_namespace_unknown() {
    let mut telling = telling().await;
    telling.diagnose = |look, namespace, asked| {
        assert_ne!(namespace, "ferry-system", "a bug");
        look.diagnoses(namespace, asked)
    };
    let answers = telling
        .into_stream()
        .map(|answer| answer.expect("no failure"));
    let answers: Vec<_> = answers.filter_map(async |it| it.diagnosis).collect().await;
    let lines: Vec<_> = answers.iter().map(line).collect();
    let ferry = "Subscription ferry-system/ferry";
    let unknown = format!("{ferry} WORKING NotObserved {ferry}");
    assert_eq!(
        lines,
        [unknown.as_str(), "Subscription pilot-system/pilot WELL"]
    );
    let why = answers[0]
        .cause
        .as_ref()
        .map(|cause| cause.message.as_str());
    let wanted = "Portolan failed to diagnose this operator: the server failed on this call; its \
                  log has the details.";
    assert_eq!(why, Some(wanted));
}

#[tokio::test]
async fn answer_stream_ends_after_the_last_operator() {
    let stream = telling().await.into_stream();
    assert_eq!(stream.count().await, 2);
}
