//! How much is done for one who asks.

use std::sync::Arc;

use futures::StreamExt;
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
        .expect("everything must be looked at");
    Telling::of(look, Question::default(), BlockingPool::default())
}

#[tokio::test]
async fn who_has_heard_enough_is_told_no_more() {
    let telling = telling().await;
    let look = Arc::downgrade(&telling.look);
    let mut stream = telling.into_stream().boxed();
    let first = stream.next().await.expect("an answer").expect("no failure");
    let first = first.diagnosis.as_ref().map(line);
    assert_eq!(
        first.as_deref(),
        Some("Subscription ferry-system/ferry WELL")
    );
    assert_eq!(look.strong_count(), 1, "it waits to be asked on");
    drop(stream);
    assert_eq!(look.strong_count(), 0, "nobody looks any more");
}

#[tokio::test]
async fn the_end_comes_after_the_last() {
    let stream = telling().await.into_stream();
    assert_eq!(stream.count().await, 2);
}
