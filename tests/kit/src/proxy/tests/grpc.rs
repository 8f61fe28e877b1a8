use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Status};
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::{HealthReporter, health_reporter};

use super::*;

async fn health() -> (HealthReporter, Proxy, HealthClient<Channel>) {
    let (reporter, service) = health_reporter();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let incoming = TcpListenerStream::new(listener);
    tokio::spawn(
        Server::builder()
            .add_service(service)
            .serve_with_incoming(incoming),
    );
    let proxy = Proxy::before(address).await;
    let channel = Endpoint::from_shared(proxy.url())
        .unwrap()
        .connect()
        .await
        .unwrap();
    (reporter, proxy, HealthClient::new(channel))
}

/// Returns a request for the health of the server as a whole.
fn question() -> Request<HealthCheckRequest> {
    Request::new(HealthCheckRequest {
        service: String::new(),
    })
}

#[tokio::test]
async fn calls_are_forwarded_with_their_trailers() {
    let (_reporter, proxy, mut client) = health().await;
    let answer = client.check(question()).await.unwrap().into_inner();
    assert_same!(answer.status, ServingStatus::Serving as i32);
    let unknown = HealthCheckRequest {
        service: "nothing".into(),
    };
    let refused = client.check(unknown).await.unwrap_err();
    assert_same!(refused.code(), Code::NotFound);
    assert_same!(proxy.count("POST /grpc.health.v1.Health/Check"), 2);
}

#[tokio::test]
async fn server_stream_is_forwarded_and_cut() {
    let (reporter, proxy, mut client) = health().await;
    let mut watch = client.watch(question()).await.unwrap().into_inner();
    for status in [ServingStatus::Serving, ServingStatus::NotServing] {
        reporter.set_service_status("", status).await;
        let message = timeout(SOON, watch.message())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert_same!(message.status, status as i32);
    }
    assert_same!(proxy.cut("/grpc.health.v1.Health/Watch"), 1);
    let broken = timeout(SOON, watch.message()).await.unwrap();
    assert!(broken.is_err(), "the watch must break: {broken:?}");
    client
        .check(question())
        .await
        .expect("the connection must have outlived its stream");
}

#[rstest]
#[case::conflict(409, Code::Aborted)]
#[case::too_many(429, Code::ResourceExhausted)]
#[case::our_fault(500, Code::Internal)]
#[case::nothing_listens(503, Code::Unavailable)]
#[tokio::test]
async fn answers_are_grpc_statuses(#[case] status: u16, #[case] code: Code) {
    let (_reporter, proxy, mut client) = health().await;
    proxy.answer("/grpc.health.v1.Health", status, 1);
    let refused = client
        .check(question())
        .await
        .map_err(|status: Status| status.code());
    assert_same!(refused.err(), Some(code));
    client
        .check(question())
        .await
        .expect("the next call must pass");
}
