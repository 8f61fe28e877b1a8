//! Tests of the metrics of calls. Clients cannot add labels or values to these metrics.

use portolan_contract::{
    End, Fake, LIST_UPGRADES, Page, Running, WATCH, ask, calls, ended_calls, flags, frame, served,
    served_with, within,
};
use portolan_shell::ServeFlags;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;

const HANDLED: &str = "grpc_server_handled_total";
const STARTED: &str = "grpc_server_started_total";
const IN_FLIGHT: &str = "grpc_server_in_flight";

#[tokio::test]
async fn calls_are_counted_by_their_code() {
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let ends = [
        raw.ask("ok", None).await.code,
        raw.ask("ok", None).await.code,
        raw.ask("missing", None).await.code,
        raw.ask("panic", None).await.code,
        raw.ask("slow", Some("5m")).await.code,
    ];
    assert_eq!(
        ends,
        [
            Code::Ok,
            Code::Ok,
            Code::NotFound,
            Code::Internal,
            Code::DeadlineExceeded,
        ]
    );
    assert_eq!(
        running.samples(HANDLED).await,
        [
            ended_calls(LIST_UPGRADES, "DeadlineExceeded", 1),
            ended_calls(LIST_UPGRADES, "Internal", 1),
            ended_calls(LIST_UPGRADES, "NotFound", 1),
            ended_calls(LIST_UPGRADES, "OK", 2),
        ]
    );
    assert_eq!(running.samples(STARTED).await, [calls(LIST_UPGRADES, 5)]);
    assert_eq!(running.samples(IN_FLIGHT).await, [calls(LIST_UPGRADES, 0)]);
}

#[tokio::test]
async fn refused_calls_are_counted() {
    let fake = Fake::default();
    let limits = ServeFlags {
        max_concurrent_calls: 1,
        ..flags()
    };
    let running = served_with(fake.clone(), limits).await;
    let raw = running.raw().await;
    let refused = async {
        fake.begun().await;
        let refused = raw.ask("ok", None).await;
        assert_eq!(running.samples(IN_FLIGHT).await, [calls(LIST_UPGRADES, 1)]);
        fake.permit();
        refused
    };
    let slow = raw.ask("slow", None);
    let (slow, refused) = futures::join!(slow, refused);
    assert_eq!(
        (slow.code, refused.code),
        (Code::Ok, Code::ResourceExhausted)
    );
    assert_eq!(
        running.samples(HANDLED).await,
        [
            ended_calls(LIST_UPGRADES, "OK", 1),
            ended_calls(LIST_UPGRADES, "ResourceExhausted", 1)
        ]
    );
}

#[tokio::test]
async fn dropped_call_is_counted_as_canceled() {
    let fake = Fake::default();
    let running = served(fake.clone()).await;
    let mut client = running.resolver();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;

    slow.abort();

    running
        .counts(HANDLED, &[ended_calls(LIST_UPGRADES, "Canceled", 1)])
        .await;
    running.counts(IN_FLIGHT, &[calls(LIST_UPGRADES, 0)]).await;
}

#[tokio::test]
async fn dropped_stream_is_counted_as_canceled() {
    let running = served(Fake::default()).await;
    let mut states = within(running.health().watch(HealthCheckRequest::default()))
        .await
        .expect("health must be served")
        .into_inner();
    within(states.message())
        .await
        .expect("a watch must begin with a state");

    drop(states);

    running
        .counts(HANDLED, &[ended_calls(WATCH, "Canceled", 1)])
        .await;
    running.counts(IN_FLIGHT, &[calls(WATCH, 0)]).await;
}

#[tokio::test]
async fn client_input_never_becomes_a_metric_label() {
    let running = served(Fake::default()).await;
    let raw = running.raw().await;
    let made_up = [
        "/portolan.resolver.v1.Resolver/Sink",
        "/portolan.resolver.v1.Resolver/ListUpgrades/Sink",
        "/Sink/ListUpgrades",
        "/Sink",
    ];
    for path in made_up {
        let end = raw.call(path, None, [frame(&ask("ok"))]).await;
        assert_eq!(end, End::new(Code::Unimplemented, ""), "{path}");
    }
    let unknown = "/unknown/unknown";
    let handled = ended_calls(unknown, "Unimplemented", 4);
    assert_eq!(running.samples(HANDLED).await, [handled]);
    assert_eq!(running.samples(STARTED).await, [calls(unknown, 4)]);
    assert!(!metrics(&running).await.text.contains("Sink"));
}

#[tokio::test]
async fn metrics_are_a_valid_openmetrics_text() {
    let page = metrics(&served(Fake::default()).await).await;
    assert_eq!(page.status, 200);
    assert!(page.text.ends_with("# EOF\n"), "{}", page.text);
}

async fn metrics(running: &Running) -> Page {
    running.page("/metrics").await
}
