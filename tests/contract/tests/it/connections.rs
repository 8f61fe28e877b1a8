//! Tests of the limits for connections: their number and their age.

use std::time::Duration;

use bytes::Bytes;
use portolan_contract::{End, Fake, LIST_UPGRADES, WATCH, ask, flags, frame, served_with, within};
use portolan_shell::ServeFlags;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;

#[tokio::test]
async fn streams_end_with_their_old_connection() {
    let running = served_with(Fake::default(), short()).await;
    let away = "this server is shutting down; watch again on another connection";
    let end = running.raw().await.call(WATCH, None, [watch()]).await;
    assert_eq!(end, End::new(Code::Unavailable, away));
    // Only the connection was closed. The server continues to run.
    assert_eq!(running.raw().await.ask("ok", None).await, End::ok());
}

#[tokio::test]
async fn calls_on_a_connection_of_maximum_age_get_a_response() {
    let fake = Fake::default();
    let running = served_with(fake.clone(), short()).await;
    let raw = running.raw().await;
    let begun = raw.begin(LIST_UPGRADES, None, [frame(&ask("slow"))]).await;
    let begun = begun.complete();
    fake.begun().await;

    raw.closing().await;
    // Another connection reaches its maximum age in the meantime. So the first connection had
    // enough time to be closed, but its call keeps it open.
    running.raw().await.call(WATCH, None, [watch()]).await;

    fake.permit();
    assert_eq!(begun.end().await, End::ok());
}

#[tokio::test]
async fn connection_above_the_limit_is_closed() {
    let limits = ServeFlags {
        max_connections: 1,
        ..flags()
    };
    let running = served_with(Fake::default(), limits).await;
    let first = running.raw().await;
    assert_eq!(first.ask("ok", None).await, End::ok());

    let mut second = TcpStream::connect(running.grpc)
        .await
        .expect("the system accepts before the server does");
    let read = within(second.read(&mut [0; 1])).await;
    assert_eq!(read.map_err(|error| error.kind()), Ok(0));

    drop(first);
    let mut client = running.resolver();
    within(async { while client.list_upgrades(ask("ok")).await.is_err() {} }).await;
}

fn watch() -> Bytes {
    frame(&HealthCheckRequest::default())
}

fn short() -> ServeFlags {
    ServeFlags {
        max_connection_age: Duration::from_millis(500),
        ..flags()
    }
}
