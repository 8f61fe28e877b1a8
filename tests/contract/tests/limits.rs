//! What a client may ask: how large a message, how many calls at once.

use bytes::Bytes;
use portolan_contract::Running;
use portolan_contract::{End, Fake, LIST_UPGRADES, ask, flags, frame, served_with, told, within};
use portolan_proto::resolver::v1::ListUpgradesRequest;
use portolan_shell::ServeFlags;
use prost::Message;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;

const LIMIT: u32 = 1024;

#[tokio::test]
async fn a_message_at_the_limit_passes() {
    let running = small_messages().await;
    let message = frame(&sized(LIMIT));
    assert_eq!(
        running
            .raw()
            .await
            .call(LIST_UPGRADES, None, [message])
            .await,
        End::ok()
    );
}

#[tokio::test]
async fn a_message_above_the_limit_is_refused_and_the_connection_goes_on() {
    let running = small_messages().await;
    let raw = running.raw().await;
    let message = frame(&sized(LIMIT + 1));
    assert_eq!(raw.call(LIST_UPGRADES, None, [message]).await, too_large());
    assert_eq!(raw.ask("ok", None).await, End::ok());
}

#[tokio::test]
async fn a_message_in_many_frames_is_measured_as_a_whole() {
    let running = small_messages().await;
    let raw = running.raw().await;
    // One byte a frame, so that the length itself comes in pieces.
    let cut = |size| {
        frame(&sized(size))
            .into_iter()
            .map(|byte| Bytes::from(vec![byte]))
    };
    assert_eq!(raw.call(LIST_UPGRADES, None, cut(LIMIT)).await, End::ok());
    assert_eq!(
        raw.call(LIST_UPGRADES, None, cut(LIMIT + 1)).await,
        too_large()
    );
    assert_eq!(raw.call(LIST_UPGRADES, None, cut(LIMIT)).await, End::ok());
}

#[tokio::test]
async fn a_message_is_refused_by_its_announced_length_alone() {
    let running = small_messages().await;
    let prefix = frame(&sized(LIMIT + 1)).slice(..5);
    let raw = running.raw().await;
    assert_eq!(raw.call(LIST_UPGRADES, None, [prefix]).await, too_large());
}

#[tokio::test]
async fn one_call_too_many_is_refused_until_another_has_ended() {
    let fake = Fake::default();
    let running = served_with(
        fake.clone(),
        ServeFlags {
            max_concurrent_calls: 1,
            ..flags()
        },
    )
    .await;
    let mut client = running.resolver();
    let mut second = client.clone();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;

    let refused = within(second.list_upgrades(ask("ok")))
        .await
        .expect_err("there must be no place for a second call");
    let busy = "this server runs as many calls as it may (--max-concurrent-calls); \
                wait a moment, or ask another replica";
    assert_eq!(End::from(refused), End::new(Code::ResourceExhausted, busy));

    fake.permit();
    let answer = within(slow).await.expect("the call must not panic");
    assert_eq!(
        answer
            .expect("the first call must be answered")
            .into_inner(),
        told("slow")
    );
    let answer = within(second.list_upgrades(ask("ok"))).await;
    assert_eq!(
        answer.expect("the next call must be admitted").into_inner(),
        told("ok")
    );
}

#[tokio::test]
async fn a_busy_server_still_tells_its_health() {
    let fake = Fake::default();
    let running = served_with(
        fake.clone(),
        ServeFlags {
            max_concurrent_calls: 1,
            ..flags()
        },
    )
    .await;
    let mut client = running.resolver();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;

    let state = within(running.health().check(HealthCheckRequest::default())).await;

    let state = state
        .expect("health must be answered")
        .into_inner()
        .status();
    assert_eq!(state, ServingStatus::NotServing);
    assert!(!slow.is_finished());
}

async fn small_messages() -> Running {
    let flags = ServeFlags {
        max_message_bytes: LIMIT,
        ..flags()
    };
    served_with(Fake::default(), flags).await
}

fn too_large() -> End {
    End::new(
        Code::ResourceExhausted,
        "the request message has 1025 bytes, and this server takes at most 1024; \
         ask for less at once, or raise --max-message-bytes",
    )
}

/// A question that the fake answers, of exactly this many bytes.
fn sized(bytes: u32) -> ListUpgradesRequest {
    let mut request = ask("ok");
    // A string of this length costs three bytes more: its tag, and two for its length.
    let rest = bytes as usize - request.encoded_len() - 3;
    request.installed_version = "1".repeat(rest);
    assert_eq!(request.encoded_len(), bytes as usize);
    request
}
