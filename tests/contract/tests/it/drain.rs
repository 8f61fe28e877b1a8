//! How a server ends: what runs may finish, and only so long.

use std::time::Duration;

use portolan_contract::{
    End, Fake, LIST_UPGRADES, ask, calls, flags, frame, list_response, served, served_with, within,
};
use portolan_shell::ServeFlags;
use tokio::net::TcpStream;
use tonic::Code;

#[tokio::test]
async fn a_server_without_calls_ends_at_once() {
    let running = served(Fake::default()).await;
    let mut client = running.resolver();
    let answer = within(client.list_upgrades(ask("ok"))).await;
    assert_eq!(
        answer.expect("the call must be answered").into_inner(),
        list_response("ok")
    );
    // The connection of the client is still open.
    running.stop();
    running.wait_for_end().await;
}

#[tokio::test]
async fn a_call_that_never_ends_is_cut_when_the_drain_timeout_has_passed() {
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
async fn who_says_stop_twice_does_not_wait_for_calls() {
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
async fn a_connection_that_says_nothing_does_not_hold_the_drain() {
    let running = served(Fake::default()).await;
    let _silent = TcpStream::connect(running.grpc)
        .await
        .expect("the server must listen");
    // Connections are accepted in order: the silent one is with the server by now.
    assert_eq!(running.raw().await.ask("ok", None).await, End::ok());

    running.stop();
    running.wait_for_end().await;
}

#[tokio::test]
async fn a_request_that_never_arrives_in_full_does_not_hold_the_drain() {
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
    let cut = "this server is gone before its answer was complete; ask again on another connection";
    End::new(Code::Unavailable, cut)
}
