//! Tests with streams that end, break repeatedly, send nothing for a while, and resume.

use std::time::Duration;

use portolan_core_operatorpolicy::Answer;
use portolan_proto::health::v1 as health;
use portolan_proto::health::v1::watch_response::{Event, Gone, Heartbeat, Reset};
use similar_asserts::assert_eq;
use tokio::time::sleep;
use tonic::Status;

use super::fakes::Begins;
use super::stage::{
    EPOCH, SECOND, Stage, health_message, health_synced, healthy, operator, operator_in, reference,
    silence,
};
use crate::ask::Topic;

fn namespace(name: &str) -> Vec<Topic> {
    vec![Topic::Namespace(name.to_owned())]
}

fn gone(name: &str) -> Event {
    Event::Gone(Gone {
        subject: Some(reference("Subscription", "harbor", name)),
    })
}

#[tokio::test(start_paused = true)]
async fn initial_events_are_one_change() {
    let stage = Stage::new();
    stage.send_health(operator("ferry.v1")).await;
    assert_eq!(stage.changes().await, []);
    stage.send_health(health_synced()).await;
    assert_eq!(stage.changes().await, [Topic::Everything]);
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
}

#[tokio::test(start_paused = true)]
async fn only_differences_are_changes() {
    let stage = Stage::synced().await;
    stage.send_health(operator("ferry.v1")).await;
    assert_eq!(stage.changes().await, []);
    stage.send_health(operator("ferry.v2")).await;
    assert_eq!(stage.changes().await, namespace("harbor"));
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v2"))
    );
    stage.send_health(gone("ferry")).await;
    assert_eq!(stage.changes().await, namespace("harbor"));
    let sentence = "health found no operator of package ferry in namespace harbor";
    assert_eq!(
        stage.ask().await.operator,
        Answer::NotFound(sentence.to_owned())
    );
    let catalog = health::Catalog {
        subject: Some(reference("CatalogSource", "olm", "shop")),
        ..Default::default()
    };
    stage.send_health(Event::Catalog(catalog)).await;
    assert_eq!(
        stage.changes().await,
        [Topic::Catalog("olm/shop".to_owned())]
    );
}

#[tokio::test(start_paused = true)]
async fn reset_reports_only_differences() {
    let stage = Stage::synced().await;
    stage.send_health(Event::Reset(Reset {})).await;
    assert_eq!(stage.changes().await, []);
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
    stage.send_health(operator("ferry.v1")).await;
    stage.send_health(operator_in("pier", "ferry.v1")).await;
    stage.send_health(health_synced()).await;
    assert_eq!(stage.changes().await, namespace("pier"));
    stage.send_health(Event::Reset(Reset {})).await;
    stage.send_health(operator("ferry.v1")).await;
    stage.send_health(health_synced()).await;
    assert_eq!(stage.changes().await, namespace("pier"));
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
}

#[tokio::test(start_paused = true)]
async fn incomplete_reset_makes_the_service_unavailable() {
    let stage = Stage::synced().await;
    stage.send_health(Event::Reset(Reset {})).await;
    sleep(SECOND * 5).await;
    assert_eq!(stage.changes().await, [Topic::Everything]);
    assert_eq!(
        stage.ask().await.operator,
        silence("health", "2026-04-01T08:00:01Z", "it sends its list again")
    );
}

#[tokio::test(start_paused = true)]
async fn restarted_stream_with_equal_state_reports_no_change() {
    let stage = Stage::synced().await;
    stage.health.end();
    sleep(SECOND / 2).await;
    stage.send_health(operator("ferry.v1")).await;
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
    stage.send_health(health_synced()).await;
    sleep(SECOND * 30).await;
    assert_eq!(stage.changes().await, []);
}

#[tokio::test(start_paused = true)]
async fn stopped_service_becomes_unavailable_and_recovers() {
    let stage = Stage::synced().await;
    stage.keep_others_alive();
    let gone = Status::unavailable("connection refused.");
    stage.health.begin(Begins::Not(gone));
    stage.health.end();
    assert_eq!(stage.changes().await, []);
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
    sleep(SECOND * 5).await;
    assert_eq!(stage.changes().await, [Topic::Everything]);
    let silent = silence("health", "2026-04-01T08:00:01Z", "connection refused");
    assert_eq!(stage.ask().await.operator, silent);
    sleep(SECOND * 3600).await;
    assert_eq!(stage.changes().await, []);
    assert_eq!(stage.ask().await.operator, silent);
    stage.health.begin(Begins::Well);
    stage.send_health(operator("ferry.v2")).await;
    stage.send_health(health_synced()).await;
    assert_eq!(stage.changes().await, [Topic::Everything]);
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v2"))
    );
}

#[tokio::test(start_paused = true)]
async fn frozen_service_becomes_unavailable_and_recovers() {
    let stage = Stage::synced().await;
    stage.keep_others_alive();
    stage.health.begin(Begins::Never);
    stage.send_health(Event::Heartbeat(Heartbeat {})).await;
    sleep(SECOND * 68).await;
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
    assert_eq!(stage.changes().await, []);
    sleep(SECOND * 60).await;
    assert_eq!(stage.changes().await, [Topic::Everything]);
    let silent = silence("health", "2026-04-01T08:00:01Z", "it does not answer");
    assert_eq!(stage.ask().await.operator, silent);
    stage.health.begin(Begins::Well);
    stage.send_health(operator("ferry.v1")).await;
    stage.send_health(health_synced()).await;
    stage.settle().await;
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
}

#[tokio::test(start_paused = true)]
async fn heartbeats_keep_a_stream_alive() {
    let stage = Stage::synced().await;
    for _ in 0..20 {
        sleep(SECOND * 30).await;
        stage.send_health(Event::Heartbeat(Heartbeat {})).await;
    }
    assert_eq!(stage.health.calls(), [("Watch", 1)].into());
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
}

#[tokio::test(start_paused = true)]
async fn service_without_the_stream_is_unavailable() {
    let stage = Stage::new();
    stage.health.begin(Begins::Not(Status::unimplemented("")));
    sleep(SECOND).await;
    let why = "its version does not support the request Watch";
    assert_eq!(stage.ask().await.operator, silence("health", "", why));
}

#[tokio::test(start_paused = true)]
async fn events_out_of_order_are_ignored() {
    let stage = Stage::new();
    stage.send_health(gone("tug")).await;
    stage.send_health(operator("ferry.v1")).await;
    stage
        .health
        .send(health::WatchResponse {
            epoch: EPOCH.to_owned(),
            revision: 0,
            event: None,
        })
        .await;
    stage.send_health(health_synced()).await;
    stage.send_health(health_synced()).await;
    stage.send_health(gone("tug")).await;
    stage.settle().await;
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
    assert_eq!(stage.health.calls(), [("Watch", 1)].into());
}

#[tokio::test(start_paused = true)]
async fn stream_of_another_epoch_is_restarted() {
    let stage = Stage::synced().await;
    stage
        .health
        .send(health_message("life-2", operator("ferry.v2")))
        .await;
    sleep(SECOND / 2).await;
    assert_eq!(stage.health.calls(), [("Watch", 2)].into());
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v1"))
    );
    stage
        .health
        .send(health_message("life-2", operator("ferry.v2")))
        .await;
    stage
        .health
        .send(health_message("life-2", health_synced()))
        .await;
    assert_eq!(stage.changes().await, namespace("harbor"));
    assert_eq!(
        stage.ask().await.operator,
        Answer::Found(healthy("ferry.v2"))
    );
}

#[tokio::test(start_paused = true)]
async fn service_that_ends_each_stream_is_retried_with_delays() {
    let stage = Stage::new();
    for _ in 0..20 {
        stage.send_health(health_synced()).await;
        sleep(Duration::from_millis(1)).await;
        stage.health.end();
    }
    let began = tokio::time::Instant::now();
    stage.send_health(health_synced()).await;
    assert!(began.elapsed() > SECOND * 29, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn dropped_services_close_their_streams() {
    let Stage {
        services,
        resolver,
        health,
        approval,
    } = Stage::synced().await;
    let are_heard = || [resolver.is_heard(), health.is_heard(), approval.is_heard()];
    assert_eq!(are_heard(), [true; 3]);
    drop(services);
    sleep(SECOND).await;
    assert_eq!(are_heard(), [false; 3]);
}
