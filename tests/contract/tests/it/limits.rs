//! Tests of the limits for requests: the size of a message and the number of calls at the same
//! time.

use std::net::Ipv4Addr;
use std::time::Duration;

use bytes::Bytes;
use portolan_contract::{
    End, Fake, LARGE, LIST_UPGRADES, REFLECT, Running, WATCH, WATCH_CATALOGS, ask, flags, frame,
    list_response, served_with, within,
};
use portolan_proto::resolver::v1::{ListUpgradesRequest, WatchCatalogsRequest};
use portolan_shell::ServeFlags;
use prost::Message;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;

const LIMIT: u32 = 1024;

#[tokio::test]
async fn message_at_the_size_limit_is_accepted() {
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
async fn message_above_the_limit_is_rejected_and_the_connection_is_kept() {
    let running = small_messages().await;
    let raw = running.raw().await;
    let message = frame(&sized(LIMIT + 1));
    assert_eq!(raw.call(LIST_UPGRADES, None, [message]).await, too_large());
    assert_eq!(raw.ask("ok", None).await, End::ok());
}

#[tokio::test]
async fn message_limit_applies_to_all_frames_together() {
    let running = small_messages().await;
    let raw = running.raw().await;
    // Sends each byte in its own frame, so that the length prefix is also split.
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
async fn message_is_rejected_by_its_announced_length() {
    let running = small_messages().await;
    let prefix = frame(&sized(LIMIT + 1)).slice(..5);
    let raw = running.raw().await;
    assert_eq!(raw.call(LIST_UPGRADES, None, [prefix]).await, too_large());
}

#[tokio::test]
async fn call_above_the_limit_is_rejected_until_another_ends() {
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
    let busy = "this server has reached its maximum of calls (--max-concurrent-calls); wait a \
        moment, or use another replica";
    assert_eq!(End::from(refused), End::new(Code::ResourceExhausted, busy));

    fake.permit();
    let answer = within(slow).await.expect("the call must not panic");
    assert_eq!(
        answer
            .expect("the first call must be answered")
            .into_inner(),
        list_response("slow")
    );
    let answer = within(second.list_upgrades(ask("ok"))).await;
    assert_eq!(
        answer.expect("the next call must be admitted").into_inner(),
        list_response("ok")
    );
}

#[tokio::test]
async fn busy_server_answers_health_checks() {
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

/// The server cannot send the response, because the client never opens its receive window.
#[tokio::test]
async fn client_that_reads_no_answer_is_cut_at_the_deadline() {
    let running = served_with(
        Fake::default(),
        ServeFlags {
            max_concurrent_calls: 1,
            call_timeout: Duration::from_millis(300),
            ..flags()
        },
    )
    .await;
    let full = running.full().await;
    let question = frame(&ask("ok"));
    let stuck = full.begin(LIST_UPGRADES, None, [question]).await;
    let stuck = stuck.complete();
    let raw = running.raw().await;
    let freed = async { while raw.ask("ok", None).await != End::ok() {} };
    within(freed).await;
    drop(stuck);
}

#[tokio::test]
async fn malformed_request_is_an_invalid_argument() {
    let running = served_with(Fake::default(), flags()).await;
    let raw = running.raw().await;
    // The message contains a field that is shorter than its length prefix.
    let broken = Bytes::from_static(b"\0\0\0\0\x02\x0a\x05");
    for question in [
        vec![broken],
        Vec::new(),
        vec![Bytes::from_static(b"\0\0\0\0\x05a")],
    ] {
        let End { code, message } = raw.call(LIST_UPGRADES, None, question).await;
        assert_eq!(code, Code::InvalidArgument, "{message}");
        assert!(
            message.starts_with("the request cannot be decoded: "),
            "{message}"
        );
    }
    assert_eq!(raw.ask("ok", None).await, End::ok());
}

#[tokio::test]
async fn health_watches_of_a_connection_are_limited() {
    let running = served_with(Fake::default(), flags()).await;
    let raw = running.raw().await;
    let watch = || frame(&HealthCheckRequest::default());
    let mut watching = Vec::new();
    for _ in 0..16 {
        watching.push(raw.begin(WATCH, None, [watch()]).await.complete());
    }
    let full = "this connection has too many health checks at a time; use one watch for each \
     service";
    let refused = raw.call(WATCH, None, [watch()]).await;
    assert_eq!(refused, End::new(Code::ResourceExhausted, full));
    // Other calls on the same connection still succeed.
    assert_eq!(raw.ask("ok", None).await, End::ok());
    let state = within(running.health().check(HealthCheckRequest::default())).await;
    state.expect("health must be answered");
}

#[tokio::test]
async fn reflection_has_its_own_limit_and_a_deadline() {
    let running = served_with(
        Fake::default(),
        ServeFlags {
            max_concurrent_calls: 1,
            call_timeout: Duration::from_secs(2),
            ..flags()
        },
    )
    .await;
    let raw = running.raw().await;
    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(raw.begin(REFLECT, None, []).await);
    }
    assert_eq!(raw.ask("ok", None).await, End::ok());
    let full = "this caller has reached the maximum of reflection calls for one caller, a quarter \
     of all; wait until one of them ends";
    let refused = raw.call(REFLECT, None, []).await;
    assert_eq!(refused, End::new(Code::ResourceExhausted, full));
    for begun in open {
        assert_eq!(begun.end().await.code, Code::DeadlineExceeded);
    }
}

#[tokio::test]
async fn requests_share_a_size_limit_that_exempts_small_requests() {
    let fake = Fake::default();
    let flags = ServeFlags {
        max_message_bytes: 256 << 10,
        ..flags()
    };
    let running = served_with(fake.clone(), flags).await;
    let large = |package: &str| {
        let mut question = ask(package);
        question.installed_version = "1".repeat((256 << 10) - 64);
        // Sends pieces of the size in which clients split messages.
        let bytes = frame(&question);
        let cuts = (0..bytes.len()).step_by(8 << 10);
        let pieces = cuts.map(|from| bytes.slice(from..bytes.len().min(from + (8 << 10))));
        pieces.collect::<Vec<_>>()
    };
    // Sends sixteen messages of the maximum size. The first bytes of each message are not counted.
    let mut slow = Vec::new();
    for _ in 0..21 {
        let raw = running.raw().await;
        slow.push(
            raw.begin(LIST_UPGRADES, None, large("slow"))
                .await
                .complete(),
        );
        within(fake.begun()).await;
    }
    let raw = running.raw().await;
    let refused = raw.call(LIST_UPGRADES, None, large("ok")).await;
    let full = "the requests that this server is reading have reached their maximum size; wait a \
        moment, use another replica, or request less at once";
    assert_eq!(refused, End::new(Code::ResourceExhausted, full));
    assert_eq!(raw.ask("ok", None).await, End::ok());
    for _ in &slow {
        fake.permit();
    }
    for call in slow {
        assert_eq!(call.end().await, End::ok());
    }
    assert_eq!(raw.call(LIST_UPGRADES, None, large("ok")).await, End::ok());
}

/// Another loopback address, which no other client uses.
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

#[tokio::test]
async fn calls_of_a_caller_are_limited_to_a_quarter_of_all_calls() {
    let fake = Fake::default();
    let running = served_with(fake.clone(), eight()).await;
    let raw = running.raw().await;
    let mut slow = Vec::new();
    for _ in 0..2 {
        let question = frame(&ask("slow"));
        slow.push(raw.begin(LIST_UPGRADES, None, [question]).await.complete());
        within(fake.begun()).await;
    }
    let full = "this caller has reached the maximum of calls for one caller, a quarter of all; \
     wait until one of them ends";
    let refused = End::new(Code::ResourceExhausted, full);
    assert_eq!(raw.ask("ok", None).await, refused);
    assert_eq!(
        running.raw().await.ask("ok", None).await,
        refused,
        "another connection is no other caller"
    );
    let other = running.raw_from(OTHER).await;
    assert_eq!(other.ask("ok", None).await, End::ok());
    for call in slow {
        fake.permit();
        assert_eq!(call.end().await, End::ok());
    }
    assert_eq!(raw.ask("ok", None).await, End::ok());
}

#[tokio::test]
async fn watches_of_a_caller_are_limited_separately_from_calls() {
    let fake = Fake::default();
    let running = served_with(fake.clone(), eight()).await;
    let raw = running.raw().await;
    let watch = || [frame(&WatchCatalogsRequest::default())];
    let mut watching = Vec::new();
    for _ in 0..2 {
        watching.push(raw.begin(WATCH_CATALOGS, None, watch()).await.complete());
        within(fake.begun()).await;
    }
    let full = "this caller has reached the maximum of streams for one caller, a quarter of all; \
     wait until one of them ends";
    let refused = raw.call(WATCH_CATALOGS, None, watch()).await;
    assert_eq!(refused, End::new(Code::ResourceExhausted, full));
    assert_eq!(raw.ask("ok", None).await, End::ok());

    let other = running.raw_from(OTHER).await;
    watching.push(other.begin(WATCH_CATALOGS, None, watch()).await.complete());
    within(fake.begun()).await;
    assert_eq!(other.ask("ok", None).await, End::ok());
}

/// The client has a receive window of 0 bytes or of 1 byte, so it does not read the responses.
#[tokio::test]
async fn unread_responses_of_a_caller_are_limited() {
    for window in [0, 1] {
        let fake = Fake::default();
        let running = served_with(fake.clone(), flags()).await;
        let full = running.narrow(window).await;
        let mut stuck = Vec::new();
        // The responses have half of the limit, which is 32 times 64 KiB.
        for _ in 0..(1 << 20) / LARGE {
            let question = frame(&ask("large"));
            let begun = full.begin(LIST_UPGRADES, None, [question]).await;
            let mut begun = begun.complete();
            begun.head().await;
            stuck.push(begun);
        }
        let raw = running.raw().await;
        let refused = raw.ask("large", None).await;
        assert_eq!(refused.code, Code::ResourceExhausted);
        let why = "this caller has not read earlier responses yet";
        assert!(refused.message.starts_with(why), "{}", refused.message);
        let other = running.raw_from(OTHER).await;
        assert_eq!(other.ask("large", None).await, End::ok());

        drop(stuck);
        within(async { while raw.ask("large", None).await != End::ok() {} }).await;
    }
}

fn eight() -> ServeFlags {
    ServeFlags {
        max_concurrent_calls: 8,
        ..flags()
    }
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
        "the request message has 1025 bytes; this server accepts at most 1024; request less at \
         once, or raise --max-message-bytes",
    )
}

/// Returns a request with this number of bytes. The fake responds to this request.
fn sized(bytes: u32) -> ListUpgradesRequest {
    let mut request = ask("ok");
    // The text field needs three additional bytes: one for its tag and two for its length.
    let rest = bytes as usize - request.encoded_len() - 3;
    request.installed_version = "1".repeat(rest);
    assert_eq!(request.encoded_len(), bytes as usize);
    request
}
