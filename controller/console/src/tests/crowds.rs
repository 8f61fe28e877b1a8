//! Tests with clients that open connections and send no request.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

use super::harbor::Harbor;
use crate::server::FIRST_HEAD_TIMEOUT;

const CONNECTIONS: usize = 8;

/// A second loopback address, which no other client uses.
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn connected(to: SocketAddr, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((from, 0).into()).expect("an own address");
    socket.connect(to).await.expect("a connection")
}

/// Opens twice the maximum number of connections. Each client sends only the beginning of a
/// request.
async fn crowd(to: SocketAddr) -> Vec<TcpStream> {
    let mut crowd = Vec::new();
    for _ in 0..2 * CONNECTIONS {
        let mut stream = connected(to, OTHER).await;
        let begin = format!("GET / HTTP/1.1\r\nHost: {to}\r\n");
        // The server has already closed some of the connections.
        let _ = stream.write_all(begin.as_bytes()).await;
        crowd.push(stream);
    }
    crowd
}

#[tokio::test]
async fn silent_connections_of_one_address_do_not_block_other_addresses() {
    let harbor = Harbor::open_for(Some(CONNECTIONS)).await;
    let cookie = format!("Cookie: {}\r\n", harbor.enter().await);
    let mut own = connected(harbor.address, Ipv4Addr::LOCALHOST).await;
    let host = harbor.address;
    let request = format!("GET /changes HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n");
    own.write_all(request.as_bytes()).await.expect("a request");
    let mut response = String::new();
    while !response.contains(": here") {
        response.push(char::from(own.read_u8().await.expect("an answer")));
    }
    let _crowd = crowd(harbor.address).await;
    for _ in 0..3 {
        assert_eq!(harbor.get("/", &cookie).await.code, 200);
    }
    // The open page has another address, so the server does not close its connection.
    harbor.news.send_modify(|count| *count += 1);
    while !response.contains("event: changed") {
        response.push(char::from(own.read_u8().await.expect("an answer")));
    }
}

#[tokio::test]
async fn silent_connections_are_closed_for_new_connections_of_the_same_address() {
    let harbor = Harbor::open_for(Some(CONNECTIONS)).await;
    let _crowd = crowd(harbor.address).await;
    let mut own = Vec::new();
    for _ in 0..CONNECTIONS {
        own.push(connected(harbor.address, Ipv4Addr::LOCALHOST).await);
    }
    harbor.enter().await;
}

#[tokio::test(start_paused = true)]
async fn client_without_a_first_request_is_disconnected() {
    let harbor = Harbor::open().await;
    for said in ["", "GET / HTTP/1.1\r\n"] {
        let mut stream = TcpStream::connect(harbor.address)
            .await
            .expect("a connection");
        let sent = stream.write_all(said.as_bytes()).await;
        sent.expect("the beginning of a request");
        let began = Instant::now();
        let ended = timeout(2 * FIRST_HEAD_TIMEOUT, stream.read_to_end(&mut Vec::new())).await;
        assert!(
            ended.is_ok(),
            "{said:?} is open after {:?}",
            began.elapsed()
        );
    }
}

/// An open page receives events and sends no second request.
#[tokio::test(start_paused = true)]
async fn page_stays_connected_after_its_first_request() {
    let harbor = Harbor::open().await;
    let (cookie, host) = (harbor.enter().await, harbor.address);
    let mut page = TcpStream::connect(host).await.expect("a connection");
    let request = format!("GET /changes HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    page.write_all(request.as_bytes()).await.expect("a request");
    let mut response = String::new();
    while !response.contains(": here") {
        response.push(char::from(page.read_u8().await.expect("an answer")));
    }
    tokio::time::sleep(10 * FIRST_HEAD_TIMEOUT).await;
    harbor.news.send_modify(|count| *count += 1);
    let changed = async {
        while !response.contains("event: changed") {
            response.push(char::from(page.read_u8().await.expect("an answer")));
        }
    };
    timeout(Duration::from_secs(60), changed)
        .await
        .expect("a change");
}
