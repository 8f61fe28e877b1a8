//! Tests of clients of a name with several replicas. Some of the replicas stop and start.

use std::time::Duration;

use portolan_contract::{
    End, Fake, Load, Names, ask, flags, list_response, replica, served, served_with, within,
};
use portolan_kit::proxy::Proxy;
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::ListUpgradesResponse;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::ServeFlags;
use portolan_shell::client::{Connection, Terms, remote_at};
use tonic::Code;

/// The URL of a name that is not in DNS. Each test sets the addresses of the name.
const URL: &str = "http://resolver.test:50051";

#[tokio::test]
async fn client_calls_new_replicas() {
    let [a, b, c] = fakes();
    let first = replica(&a).await;
    let names = Names::of(&[&first]);
    let load = Load::over(&connect(&names, quick()));
    load.answered(50).await;

    let (second, third) = (replica(&b).await, replica(&c).await);
    names.find(&[&first, &second, &third]);

    within(async { tokio::join!(a.asked_more(50), b.asked_more(50), c.asked_more(50)) }).await;
    assert_eq!(load.end().await, []);
}

#[tokio::test]
async fn killed_replica_fails_no_call() {
    let [a, b, c] = fakes();
    let (first, second, third) = (replica(&a).await, replica(&b).await, replica(&c).await);
    let names = Names::of(&[&first, &second, &third]);
    let load = Load::over(&connect(&names, quick()));
    within(async { tokio::join!(a.asked_more(50), b.asked_more(50), c.asked_more(50)) }).await;

    second.kill().await;

    load.answered(500).await;
    names.find(&[&first, &third]);
    load.answered(100).await;
    assert_eq!(load.end().await, []);
}

#[tokio::test]
async fn restarting_replica_fails_no_call() {
    let [a, b, c] = fakes();
    let (first, second) = (replica(&a).await, replica(&b).await);
    let names = Names::of(&[&first, &second]);
    let load = Load::over(&connect(&names, quick()));
    within(async { tokio::join!(a.asked_more(50), b.asked_more(50)) }).await;

    let listen = second.grpc;
    second.stop();
    second.wait_for_end().await;
    load.answered(100).await;
    let again = served_with(c.clone(), ServeFlags { listen, ..flags() }).await;
    load.answered(100).await;
    again.ready.set_ready();

    c.asked_more(50).await;
    assert_eq!(load.end().await, []);
}

#[tokio::test]
async fn unready_replica_gets_no_calls() {
    let [a, b] = fakes();
    let (first, second) = (replica(&a).await, served(b.clone()).await);
    let names = Names::of(&[&first, &second]);
    let load = Load::over(&connect(&names, quick()));
    load.answered(200).await;
    assert_eq!(b.asked(), 0);

    second.ready.set_ready();

    b.asked_more(50).await;
    assert_eq!(load.end().await, []);
}

#[tokio::test]
async fn unready_replica_is_called_if_it_is_the_only_replica() {
    let [a, b] = fakes();
    let (first, second) = (served(a.clone()).await, replica(&b).await);
    let names = Names::of(&[&first, &second]);
    let connection = connect(&names, quick());
    second.kill().await;
    assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
    assert_eq!(a.asked(), 1);
}

#[tokio::test]
async fn removed_replica_finishes_its_calls_and_gets_no_more() {
    let [a, b] = fakes();
    let (first, second) = (replica(&a).await, replica(&b).await);
    let names = Names::of(&[&first]);
    let connection = connect(&names, quick());
    let slow = begin(&connection, "slow");
    a.begun().await;

    names.find(&[&second]);
    names.wait_for_lookup().await;

    for _ in 0..20 {
        assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
    }
    assert_eq!((a.asked(), b.asked()), (1, 20));
    a.permit();
    assert_eq!(
        within(slow).await.expect("no panic"),
        Ok(list_response("slow"))
    );
}

#[tokio::test]
async fn failed_lookup_keeps_the_known_replicas() {
    let [a] = fakes();
    let first = replica(&a).await;
    let names = Names::of(&[&first]);
    let connection = connect(&names, quick());
    assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));

    for nobody in [Names::fail, |names: &Names| names.find(&[])] {
        nobody(&names);
        names.wait_for_lookup().await;
        assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
    }
}

#[tokio::test]
async fn unknown_name_is_unavailable_until_it_can_be_resolved() {
    let [a] = fakes();
    let first = replica(&a).await;
    let names = Names::of(&[]);
    names.fail();
    let connection = connect(&names, quick());
    let unknown = answer(&connection, "ok").await;
    let sentence = "cannot look up the address of the server";
    assert_eq!(unknown, Err(End::new(Code::Unavailable, sentence)));

    names.find(&[&first]);

    names.wait_for_lookup().await;
    assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
}

#[tokio::test]
async fn lost_connection_triggers_a_lookup() {
    let [a, b] = fakes();
    let (first, second) = (replica(&a).await, replica(&b).await);
    let names = Names::of(&[&first]);
    // The interval of lookups is much longer than this test, so the client must look up the name
    // for another reason.
    let connection = connect(&names, Terms::queries(DESCRIPTORS, LONG));
    assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
    names.find(&[&second]);
    assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
    assert_eq!(a.asked(), 2);

    first.kill().await;

    within(async { while answer(&connection, "ok").await.is_err() {} }).await;
    assert_eq!(b.asked(), 1);
}

#[tokio::test]
async fn frozen_replica_fails_no_call() {
    let [a, b] = fakes();
    let (first, second) = (replica(&a).await, replica(&b).await);
    let proxy = Proxy::before(second.grpc).await;
    let names = Names::of(&[]);
    names.find_at([first.grpc, address(&proxy)]);
    let terms = Terms {
        keep_alive: Duration::from_millis(400),
        ..quick()
    };
    let load = Load::over(&connect(&names, terms));
    within(async { tokio::join!(a.asked_more(50), b.asked_more(50)) }).await;

    proxy.freeze();

    load.answered(200).await;
    // Waits until all calls have ended, including the calls that waited while the proxy was frozen.
    assert_eq!(load.end().await, []);
    // A new client connects to a host that accepts connections but never responds.
    let late = connect(&names, quick());
    for _ in 0..20 {
        assert_eq!(answer(&late, "ok").await, Ok(list_response("ok")));
    }
}

const LONG: Duration = Duration::from_secs(60);

/// Returns terms with short intervals, so that a test need not wait for lookups.
fn quick() -> Terms {
    Terms {
        refresh: Duration::from_millis(60),
        ..Terms::queries(DESCRIPTORS, LONG)
    }
}

fn connect(names: &Names, terms: Terms) -> Connection {
    remote_at(URL, names.clone(), terms).expect("the URL must be one")
}

fn fakes<const N: usize>() -> [Fake; N] {
    std::array::from_fn(|_| Fake::default())
}

fn address(proxy: &Proxy) -> std::net::SocketAddr {
    let url = proxy.url();
    let address = url.strip_prefix("http://").and_then(|it| it.parse().ok());
    address.expect("a proxy must have an address")
}

type Asked = tokio::task::JoinHandle<Result<ListUpgradesResponse, End>>;

fn begin(connection: &Connection, package: &'static str) -> Asked {
    let connection = connection.clone();
    tokio::spawn(async move { answer(&connection, package).await })
}

async fn answer(connection: &Connection, package: &str) -> Result<ListUpgradesResponse, End> {
    let mut client = ResolverClient::new(connection.clone());
    let answer = within(client.list_upgrades(ask(package))).await?;
    Ok(answer.into_inner())
}
