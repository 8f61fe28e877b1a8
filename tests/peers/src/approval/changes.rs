//! Changes policies one after the other, and measures the time until the service reports each
//! change.

use std::time::{Duration, Instant};

use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::approval::v1::{WatchRequest, WatchResponse};
use tonic::Streaming;

use super::port::PlanNamespace;
use super::stage::Stage;
use super::subject::{Subject, is_yes};
use crate::failure::Failure;

/// The maximum time to wait until the service reports a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the seconds from each change to the event of the watch. The time starts just before the
/// change is sent to the API server.
pub(crate) async fn measure(
    stage: &Stage,
    subject: &Subject,
    changes: usize,
) -> Result<Vec<f64>, Failure> {
    let mut client = subject.client();
    let watched = client.watch(WatchRequest::default()).await;
    let mut news = watched.map_err(failed)?.into_inner();
    while !matches!(next(&mut news).await?, Event::Synced(_)) {}
    let mut reported = Vec::new();
    for berth in stage.port().round(changes.div_ceil(2)) {
        for acts in [false, true] {
            let begun = Instant::now();
            stage.turn(berth, acts).await?;
            let told_of = tokio::time::timeout(PATIENCE, until(&mut news, berth, acts));
            let late = |_| Failure::Expect("a changed policy is not reported".to_owned());
            told_of.await.map_err(late)??;
            reported.push(begun.elapsed().as_secs_f64());
        }
    }
    Ok(reported)
}

async fn until(
    news: &mut Streaming<WatchResponse>,
    berth: PlanNamespace,
    is_allowed: bool,
) -> Result<(), Failure> {
    loop {
        let Event::Review(review) = next(news).await? else {
            continue;
        };
        let plan = review.plan.as_ref().and_then(|plan| plan.object.as_ref());
        let is_it = plan.is_some_and(|plan| {
            plan.namespace == berth.namespace() && plan.name == berth.waiting()
        });
        if is_it && is_yes(&review) == is_allowed {
            return Ok(());
        }
    }
}

async fn next(news: &mut Streaming<WatchResponse>) -> Result<Event, Failure> {
    let message = news.message().await.map_err(failed)?;
    let event = message.and_then(|message| message.event);
    event.ok_or_else(|| Failure::Expect("the watch has ended".to_owned()))
}

fn failed(status: tonic::Status) -> Failure {
    Failure::Call {
        method: "Watch",
        status: status.into(),
    }
}
