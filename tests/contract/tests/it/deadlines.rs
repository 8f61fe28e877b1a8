//! Tests of deadlines: the server reports each exceeded deadline with the same code.

use std::time::Duration;

use futures::future::join_all;
use portolan_contract::{
    End, Fake, LIST_UPGRADES, WATCH, ask, flags, frame, list_response, served, served_with, within,
};
use portolan_shell::ServeFlags;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;

#[tokio::test]
async fn server_ends_call_at_the_client_deadline() {
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let end = raw.ask("slow", Some("50m")).await;
    assert_eq!(end, expired());
}

#[tokio::test]
async fn server_ends_stream_at_the_client_deadline() {
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let watch = frame(&HealthCheckRequest::default());
    assert_eq!(raw.call(WATCH, Some("50m"), [watch]).await, expired());
}

#[tokio::test]
async fn incomplete_request_ends_at_a_deadline() {
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let half = frame(&ask("ok")).slice(..7);
    let begun = raw.begin(LIST_UPGRADES, Some("50m"), [half]).await;
    assert_eq!(begun.end().await, expired());
}

#[tokio::test]
async fn call_without_deadline_gets_the_server_deadline() {
    let call_timeout = Duration::from_millis(20);
    let running = served_with(
        Fake::default(),
        ServeFlags {
            call_timeout,
            ..flags()
        },
    )
    .await;
    let raw = running.raw().await;
    let end = raw.ask("slow", None).await;
    assert_eq!(end, expired());
}

#[tokio::test]
async fn client_deadline_is_limited_by_the_server() {
    let call_timeout = Duration::from_millis(20);
    let running = served_with(
        Fake::default(),
        ServeFlags {
            call_timeout,
            ..flags()
        },
    )
    .await;
    let raw = running.raw().await;
    let end = raw.ask("slow", Some("1H")).await;
    assert_eq!(end, expired());
}

#[tokio::test]
async fn stream_may_exceed_the_server_deadline_for_calls() {
    let call_timeout = Duration::from_millis(20);
    let running = served_with(
        Fake::default(),
        ServeFlags {
            call_timeout,
            ..flags()
        },
    )
    .await;
    let mut states = within(running.health().watch(HealthCheckRequest::default()))
        .await
        .expect("health must be served")
        .into_inner();
    within(states.message())
        .await
        .expect("a watch must begin with a state");
    // This call starts after the watch, and ends at its deadline. So the watch has already run
    // longer than the deadline of a call.
    let raw = running.raw().await;
    let end = raw.ask("slow", None).await;
    assert_eq!(end, expired());

    running.ready.set_ready();

    let state = within(states.message())
        .await
        .expect("the watch must go on");
    assert!(state.is_some());
}

/// tonic also sets a timer for this header. If that timer ended the call, the code would be
/// CANCELLED.
#[tokio::test]
async fn exceeded_deadline_always_has_the_same_code() {
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let timeouts = [
        "0m", "1m", "2m", "3m", "1500u", "+5m", "5m", "7m", "9999u", "10m",
    ];
    let timeouts: Vec<_> = std::iter::repeat_n(timeouts, 5).flatten().collect();
    let ends = timeouts
        .iter()
        .map(|timeout| raw.ask("slow", Some(timeout)));
    let ends = join_all(ends).await;
    let other: Vec<_> = timeouts
        .iter()
        .zip(ends)
        .filter(|(_, end)| *end != expired())
        .collect();
    assert_eq!(other, []);
}

#[tokio::test]
async fn call_within_its_deadline_is_answered() {
    let fake = Fake::default();
    let running = served(fake.clone()).await;
    let mut client = running.resolver();
    let mut request = tonic::Request::new(ask("slow"));
    request.set_timeout(Duration::from_secs(60));
    let slow = tokio::spawn(async move { client.list_upgrades(request).await });
    fake.begun().await;
    fake.permit();
    let answer = within(slow).await.expect("the call must not panic");
    assert_eq!(
        answer.expect("the call must be answered").into_inner(),
        list_response("slow")
    );
}

fn expired() -> End {
    let message = "the deadline of the call passed before its answer was complete";
    End::new(Code::DeadlineExceeded, message)
}
