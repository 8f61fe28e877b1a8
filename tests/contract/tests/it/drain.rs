//! Tests of the stop of a server: running calls may complete within a time limit.

use std::time::Duration;

use portolan_contract::{
    End, Fake, LIST_UPGRADES, ask, calls, flags, frame, list_response, served, served_with, within,
};
use portolan_shell::ServeFlags;
use tokio::net::TcpStream;
use tonic::Code;

#[tokio::test]
async fn idle_server_stops_at_once() {
    let running = served(Fake::default()).await;
    let mut client = running.resolver();
    let answer = within(client.list_upgrades(ask("ok"))).await;
    assert_eq!(
        answer.expect("the call must be answered").into_inner(),
        list_response("ok")
    );
    // The client keeps its connection open.
    running.stop();
    running.wait_for_end().await;
}

#[tokio::test]
async fn drain_timeout_ends_an_endless_call() {
    let fake = Fake::default();
    let drain_timeout = Duration::from_millis(50);
    let limits = ServeFlags {
        drain_timeout,
        ..flags()
    };
    let running = served_with(fake.clone(), limits).await;
    let raw = running.raw().await;
    let begun = raw.begin(LIST_UPGRADES, None, [frame(&ask("slow"))]).await;
    let begun = begun.complete();
    fake.begun().await;

    running.stop();
    running.wait_for_end().await;

    assert_eq!(begun.end().await, cut());
}

#[tokio::test]
async fn second_stop_cuts_running_calls() {
    let fake = Fake::default();
    let running = served(fake.clone()).await;
    let raw = running.raw().await;
    let begun = raw.begin(LIST_UPGRADES, None, [frame(&ask("slow"))]).await;
    let begun = begun.complete();
    fake.begun().await;

    running.stop();
    running.stop();
    running.wait_for_end().await;

    assert_eq!(begun.end().await, cut());
}

#[tokio::test]
async fn silent_connection_does_not_delay_the_drain() {
    let running = served(Fake::default()).await;
    let _silent = TcpStream::connect(running.grpc)
        .await
        .expect("the server must listen");
    // The server accepts connections in order. So it has already accepted the connection that sends
    // nothing.
    assert_eq!(running.raw().await.ask("ok", None).await, End::ok());

    running.stop();
    running.wait_for_end().await;
}

#[tokio::test]
async fn incomplete_request_does_not_delay_the_drain() {
    let drain_timeout = Duration::from_millis(50);
    let limits = ServeFlags {
        drain_timeout,
        ..flags()
    };
    let running = served_with(Fake::default(), limits).await;
    let raw = running.raw().await;
    let half = frame(&ask("ok")).slice(..7);
    let begun = raw.begin(LIST_UPGRADES, None, [half]).await;
    running
        .counts("grpc_server_in_flight", &[calls(LIST_UPGRADES, 1)])
        .await;

    running.stop();
    running.wait_for_end().await;

    assert_eq!(begun.end().await.code, Code::Unavailable);
}

fn cut() -> End {
    let cut = "this server stopped before its answer was complete; retry on another connection";
    End::new(Code::Unavailable, cut)
}
