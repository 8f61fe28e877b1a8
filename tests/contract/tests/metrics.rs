//! What a scraper learns about calls, and what no client can make it learn.

use portolan_contract::{
    End, Fake, LIST_UPGRADES, Page, Running, ask, flags, frame, served, served_with, within,
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
        (
            raw.call(LIST_UPGRADES, None, [frame(&ask("ok"))]).await,
            Code::Ok,
        ),
        (
            raw.call(LIST_UPGRADES, None, [frame(&ask("ok"))]).await,
            Code::Ok,
        ),
        (
            raw.call(LIST_UPGRADES, None, [frame(&ask("missing"))])
                .await,
            Code::NotFound,
        ),
        (
            raw.call(LIST_UPGRADES, None, [frame(&ask("panic"))]).await,
            Code::Internal,
        ),
        (
            raw.call(LIST_UPGRADES, Some("5m"), [frame(&ask("slow"))])
                .await,
            Code::DeadlineExceeded,
        ),
    ];
    for (end, code) in ends {
        assert_eq!(end.code, code, "{}", end.message);
    }
    assert_eq!(
        running.samples(HANDLED).await,
        [
            of_list_upgrades("DeadlineExceeded", 1),
            of_list_upgrades("Internal", 1),
            of_list_upgrades("NotFound", 1),
            of_list_upgrades("OK", 2),
        ]
    );
    let all = r#"{grpc_service="portolan.resolver.v1.Resolver",grpc_method="ListUpgrades"}"#;
    assert_eq!(running.samples(STARTED).await, [format!("{all} 5")]);
    assert_eq!(running.samples(IN_FLIGHT).await, [format!("{all} 0")]);
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
        let refused = raw.call(LIST_UPGRADES, None, [frame(&ask("ok"))]).await;
        let all = r#"{grpc_service="portolan.resolver.v1.Resolver",grpc_method="ListUpgrades"}"#;
        assert_eq!(running.samples(IN_FLIGHT).await, [format!("{all} 1")]);
        fake.permit();
        refused
    };
    let slow = raw.call(LIST_UPGRADES, None, [frame(&ask("slow"))]);
    let (slow, refused) = futures::join!(slow, refused);
    assert_eq!(
        (slow.code, refused.code),
        (Code::Ok, Code::ResourceExhausted)
    );
    assert_eq!(
        running.samples(HANDLED).await,
        [
            of_list_upgrades("OK", 1),
            of_list_upgrades("ResourceExhausted", 1)
        ]
    );
}

#[tokio::test]
async fn a_call_that_its_client_drops_is_canceled() {
    let fake = Fake::default();
    let running = served(fake.clone()).await;
    let mut client = running.resolver();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;

    slow.abort();

    running
        .counts(HANDLED, &[&of_list_upgrades("Canceled", 1)])
        .await;
    let none = r#"{grpc_service="portolan.resolver.v1.Resolver",grpc_method="ListUpgrades"} 0"#;
    running.counts(IN_FLIGHT, &[none]).await;
}

#[tokio::test]
async fn a_stream_that_its_client_drops_is_canceled() {
    let running = served(Fake::default()).await;
    let mut states = within(running.health().watch(HealthCheckRequest::default()))
        .await
        .expect("health must be served")
        .into_inner();
    within(states.message())
        .await
        .expect("a watch must begin with a state");

    drop(states);

    let watch = r#"{grpc_service="grpc.health.v1.Health",grpc_method="Watch""#;
    running
        .counts(HANDLED, &[&format!(r#"{watch},grpc_code="Canceled"}} 1"#)])
        .await;
    running.counts(IN_FLIGHT, &[&format!("{watch}}} 0")]).await;
}

#[tokio::test]
async fn what_a_client_makes_up_is_no_label() {
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
    let unknown = r#"{grpc_service="unknown",grpc_method="unknown""#;
    let handled = format!(r#"{unknown},grpc_code="Unimplemented"}} 4"#);
    assert_eq!(running.samples(HANDLED).await, [handled]);
    assert_eq!(running.samples(STARTED).await, [format!("{unknown}}} 4")]);
    assert!(!metrics(&running).await.text.contains("Sink"));
}

#[tokio::test]
async fn the_metrics_are_a_whole_openmetrics_text() {
    let page = metrics(&served(Fake::default()).await).await;
    assert_eq!(page.status, 200);
    assert!(page.text.ends_with("# EOF\n"), "{}", page.text);
}

async fn metrics(running: &Running) -> Page {
    running.page("/metrics").await
}

fn of_list_upgrades(code: &str, count: u32) -> String {
    format!(
        r#"{{grpc_service="portolan.resolver.v1.Resolver",grpc_method="ListUpgrades",grpc_code="{code}"}} {count}"#
    )
}
