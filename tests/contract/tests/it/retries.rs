//! Tests of retries: some calls must be retried, and other calls must not be retried.

use std::time::Duration;

use h2::Reason;
use h2::server::SendResponse;
use portolan_contract::{
    End, Fake, Load, Names, Running, WATCH, ask, flags, list_response, replica, served_with, within,
};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::ListUpgradesResponse;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::ServeFlags;
use portolan_shell::client::{Connection, Retry, Terms, remote_at};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

#[tokio::test]
async fn broken_query_is_retried_on_another_replica() {
    let two = Two::start(Retry::Queries).await;
    let slow = two.begin_slow();
    let (busy, idle) = two.split(&slow).await;

    busy.running.kill().await;

    idle.fake.begun().await;
    idle.fake.permit();
    assert_eq!(
        within(slow).await.expect("no panic"),
        Ok(list_response("slow"))
    );
}

#[tokio::test]
async fn possibly_processed_call_is_not_retried() {
    let two = Two::start(Retry::Unprocessed).await;
    let slow = two.begin_slow();
    let (busy, idle) = two.split(&slow).await;

    busy.running.kill().await;

    let broken = within(slow).await.expect("no panic");
    assert!(broken.is_err(), "{broken:?}");
    assert_eq!(idle.fake.asked(), 0);
}

#[tokio::test]
async fn rejected_query_is_retried_on_another_replica() {
    let two = Two::start(Retry::Queries).await;
    two.first.fake.sulk();
    let asking = async {
        while two.first.fake.asked() == 0 {
            assert_eq!(answer(&two.connection, "ok").await, Ok(list_response("ok")));
        }
    };
    within(asking).await;
}

#[tokio::test]
async fn unavailable_call_is_not_retried() {
    let two = Two::start(Retry::Unprocessed).await;
    two.first.fake.sulk();
    two.second.fake.sulk();
    assert_eq!(answer(&two.connection, "ok").await, Err(sulking()));
    assert_eq!(two.first.fake.asked() + two.second.fake.asked(), 1);
}

#[tokio::test]
async fn rejected_query_is_tried_once_on_each_replica() {
    let two = Two::start(Retry::Queries).await;
    two.first.fake.sulk();
    two.second.fake.sulk();
    assert_eq!(answer(&two.connection, "ok").await, Err(sulking()));
    assert_eq!((two.first.fake.asked(), two.second.fake.asked()), (1, 1));
}

#[tokio::test]
async fn single_replica_is_called_twice() {
    let one = Fake::default();
    let running = replica(&one).await;
    one.sulk();
    let connection = connect(&Names::of(&[&running]), Retry::Queries);
    assert_eq!(answer(&connection, "ok").await, Err(sulking()));
    assert_eq!(one.asked(), 2);
}

#[tokio::test]
async fn other_codes_are_not_retried() {
    let two = Two::start(Retry::Queries).await;
    let missing = End::new(Code::NotFound, "the fake has no such package");
    assert_eq!(answer(&two.connection, "missing").await, Err(missing));
    assert_eq!(two.first.fake.asked() + two.second.fake.asked(), 1);
}

/// A server may reject a request before it processes the request. A client can then safely retry
/// any request, even if the request changes something.
#[tokio::test]
async fn unprocessed_call_is_retried() {
    let fake = Fake::default();
    let running = replica(&fake).await;
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port must be there");
    let address = listener.local_addr().expect("it must have an address");
    let (refused, mut refusals) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(refuse(listener, refused));
    let names = Names::of(&[]);
    names.find_at([address, running.grpc]);
    let connection = connect(&names, Retry::Unprocessed);
    let asking = async {
        while refusals.try_recv().is_err() {
            assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
        }
    };
    within(asking).await;
}

/// The server closes old connections without an error while new calls arrive. Running calls get
/// their response. The client retries the calls that the server did not process.
#[tokio::test]
async fn old_connections_fail_no_call() {
    let fake = Fake::default();
    let limits = ServeFlags {
        max_connection_age: Duration::from_millis(20),
        ..flags()
    };
    let running = served_with(fake.clone(), limits).await;
    running.ready.set_ready();
    let load = Load::over(&connect(&Names::of(&[&running]), Retry::Unprocessed));
    // Each connection also has a watch of the server's health, which the metric counts.
    within(async {
        while running.samples("grpc_server_started_total").await[0].ends_with(['1', '2', '3']) {}
    })
    .await;
    load.answered(200).await;
    assert_eq!(load.end().await, []);
}

#[tokio::test]
async fn started_stream_is_not_retried() {
    let two = Two::start(Retry::Queries).await;
    let mut watcher = HealthClient::new(two.connection.clone());
    let question = || HealthCheckRequest::default();
    let states = within(watcher.watch(question())).await;
    let mut states = states.expect("health must be served").into_inner();
    let state = within(states.message()).await.expect("a state must come");
    assert_eq!(state.map(|it| it.status()), Some(ServingStatus::Serving));

    two.first.running.stop();
    two.second.running.stop();

    let last = within(states.message()).await;
    let last = last.map(|state| state.map(|state| state.status()));
    assert_eq!(last.map_err(End::from), Ok(Some(ServingStatus::NotServing)));
    let away = "this server is shutting down; watch again on another connection";
    let end = within(states.message()).await.map(drop).map_err(End::from);
    assert_eq!(end, Err(End::new(Code::Unavailable, away)));
}

/// Serves HTTP/2 without health checks. Rejects every second call before processing it.
async fn refuse(listener: TcpListener, refused: tokio::sync::mpsc::UnboundedSender<()>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(refuse_all(stream, refused.clone()));
    }
}

async fn refuse_all(stream: TcpStream, refused: tokio::sync::mpsc::UnboundedSender<()>) {
    let mut connection = h2::server::handshake(stream)
        .await
        .expect("the client must speak HTTP/2");
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        if request.uri().path() == WATCH {
            unimplemented(&mut respond);
        } else {
            respond.send_reset(Reason::REFUSED_STREAM);
            let _ = refused.send(());
        }
    }
}

fn unimplemented(respond: &mut SendResponse<bytes::Bytes>) {
    let head = http::Response::builder()
        .header("content-type", "application/grpc")
        .header("grpc-status", Code::Unimplemented as i32);
    let head = head.body(()).expect("the headers must be well formed");
    respond
        .send_response(head, true)
        .map(drop)
        .expect("the client must listen");
}

/// Two replicas with the same name, and a connection to the name.
struct Two {
    first: One,
    second: One,
    connection: Connection,
}

struct One {
    fake: Fake,
    running: Running,
}

type Asked = JoinHandle<Result<ListUpgradesResponse, End>>;

// === impl Two ===

impl Two {
    async fn start(retry: Retry) -> Self {
        let (first, second) = (One::start().await, One::start().await);
        let names = Names::of(&[&first.running, &second.running]);
        let connection = connect(&names, retry);
        Self {
            first,
            second,
            connection,
        }
    }

    fn begin_slow(&self) -> Asked {
        let connection = self.connection.clone();
        tokio::spawn(async move { answer(&connection, "slow").await })
    }

    /// Returns the replica that processes the slow call, and then the other replica.
    async fn split(self, slow: &Asked) -> (One, One) {
        let Self { first, second, .. } = self;
        assert!(!slow.is_finished());
        tokio::select! {
            () = first.fake.begun() => (first, second),
            () = second.fake.begun() => (second, first),
        }
    }
}

// === impl One ===

impl One {
    async fn start() -> Self {
        let fake = Fake::default();
        let running = replica(&fake).await;
        Self { fake, running }
    }
}

fn connect(names: &Names, retry: Retry) -> Connection {
    let terms = Terms {
        retry,
        ..Terms::queries(DESCRIPTORS, Duration::from_secs(60))
    };
    remote_at("http://resolver.test:50051", names.clone(), terms).expect("the URL must be one")
}

async fn answer(connection: &Connection, package: &str) -> Result<ListUpgradesResponse, End> {
    let mut client = ResolverClient::new(connection.clone());
    let answer = within(client.list_upgrades(ask(package))).await?;
    Ok(answer.into_inner())
}

fn sulking() -> End {
    End::new(Code::Unavailable, "the fake sulks")
}
