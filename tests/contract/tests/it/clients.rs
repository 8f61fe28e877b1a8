//! Tests of calls from the view of the client, in this process and over the network.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use portolan_contract::{End, Fake, ask, list_response, served, within};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::ListUpgradesResponse;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::client::{Connection, Terms, local, remote};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tonic::{Code, Request};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn local_and_remote_clients_get_the_same_answers() {
    let running = served(Fake::default()).await;
    let far = remote(&running.url(), terms(LONG)).expect("the address must be one");
    let near = local(ResolverServer::new(Fake::default()));
    for connection in [far, near] {
        assert_eq!(answer(&connection, "ok").await, Ok(list_response("ok")));
        let missing = End::new(Code::NotFound, "the fake has no such package");
        assert_eq!(answer(&connection, "missing").await, Err(missing));
    }
}

#[tokio::test]
async fn call_without_a_response_ends_after_one_deadline() {
    let running = served(Fake::default()).await;
    let connection = remote(&running.url(), terms(SHORT)).expect("the address must be one");
    let end = answer(&connection, "slow").await.expect_err("it must end");
    // The server has its own timer for the deadline, and returns its own message.
    assert_eq!(end.code, Code::DeadlineExceeded, "{}", end.message);
}

#[tokio::test]
async fn client_sends_its_deadline_to_the_server() {
    let running = served(Fake::default()).await;
    let connection = remote(&running.url(), terms(LONG)).expect("the address must be one");
    let heard = answer(&connection, "deadline").await;
    assert_eq!(heard, Ok(list_response(r#""60000000u""#)));

    let mut request = Request::new(ask("deadline"));
    request.set_timeout(LONG / 2);
    let mut client = ResolverClient::new(connection);
    let heard = within(client.list_upgrades(request)).await;
    let heard = heard.expect("the call must be answered").into_inner();
    assert_eq!(heard, list_response(r#""30000000u""#));
}

#[tokio::test]
async fn caller_deadline_is_limited_by_the_connection() {
    let running = served(Fake::default()).await;
    let connection = remote(&running.url(), terms(LONG)).expect("the address must be one");
    let mut request = Request::new(ask("deadline"));
    request.set_timeout(LONG * 2);
    let mut client = ResolverClient::new(connection);
    let heard = within(client.list_upgrades(request)).await;
    let heard = heard.expect("the call must be answered").into_inner();
    assert_eq!(heard, list_response(r#""60000000u""#));
}

#[tokio::test]
async fn call_with_an_unfinished_response_ends_after_one_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port must be there");
    let address = listener
        .local_addr()
        .expect("a listener must have an address");
    tokio::spawn(begin_answers(listener));
    let connection =
        remote(&format!("http://{address}"), terms(SHORT)).expect("the address must be one");
    assert_eq!(answer(&connection, "ok").await, Err(expired()));
}

#[tokio::test]
async fn call_to_a_silent_server_ends_after_one_deadline() {
    let silent = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port must be there");
    let address = silent
        .local_addr()
        .expect("a listener must have an address");
    let connection =
        remote(&format!("http://{address}"), terms(SHORT)).expect("the address must be one");
    assert_eq!(answer(&connection, "ok").await, Err(expired()));
}

/// The host drops packets: its backlog is full, so it accepts no connection.
#[tokio::test]
async fn call_to_a_server_that_accepts_no_connection_ends_after_one_deadline() {
    let (socket, address) = reserved();
    let _full = socket.listen(1).expect("a bound socket must listen");
    let mut waiting = Vec::new();
    while let Ok(stream) = tokio::time::timeout(SHORT, TcpStream::connect(address)).await {
        waiting.push(stream);
    }
    let connection =
        remote(&format!("http://{address}"), terms(SHORT)).expect("the address must be one");
    assert_eq!(answer(&connection, "ok").await, Err(expired()));
}

#[tokio::test]
async fn missing_server_is_unavailable() {
    let (_reserved, address) = reserved();
    let connection =
        remote(&format!("http://{address}"), terms(LONG)).expect("the address must be one");
    let refused = answer(&connection, "ok")
        .await
        .expect_err("no server must answer");
    assert_eq!(refused.code, Code::Unavailable, "{}", refused.message);
}

#[tokio::test]
async fn rejects_invalid_url() {
    let refusal = remote("not a url", terms(LONG))
        .map(drop)
        .expect_err("this is no URL");
    assert_eq!(
        refusal.to_string(),
        "`not a url` is not the URL of a server, such as http://127.0.0.1:50051"
    );
}

/// Responds to each call on one connection, but sends only the header of the response.
async fn begin_answers(listener: TcpListener) {
    let (stream, _) = listener.accept().await.expect("a client must come");
    let mut connection = h2::server::handshake(stream)
        .await
        .expect("the client must speak HTTP/2");
    let mut begun = Vec::new();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        let head = http::Response::builder().header("content-type", "application/grpc");
        let head = head.body(()).expect("the headers must be well formed");
        begun.push(respond.send_response(head, false));
    }
}

/// Returns a port on which no process listens. The port stays reserved while the socket exists.
fn reserved() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().expect("a socket must be there");
    socket
        .bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
        .expect("a free port must be there");
    let address = socket
        .local_addr()
        .expect("a bound socket must have an address");
    (socket, address)
}

async fn answer(connection: &Connection, package: &str) -> Result<ListUpgradesResponse, End> {
    let mut client = ResolverClient::new(connection.clone());
    let answer = within(client.list_upgrades(ask(package))).await?;
    Ok(answer.into_inner())
}

fn terms(deadline: Duration) -> Terms {
    Terms::queries(DESCRIPTORS, deadline)
}

fn expired() -> End {
    End::new(
        Code::DeadlineExceeded,
        "the server did not answer within 50ms",
    )
}
