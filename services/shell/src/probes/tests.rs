use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::*;

/// Starts the probes of a process without services. Returns their address. The probes run until the
/// second value is dropped.
async fn probes() -> (SocketAddr, AbortOnDropHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let probes = Probes {
        hosted: [].into(),
        metrics: vec![Arc::new(Registry::default())],
        draining: CancellationToken::new(),
    };
    let serving = tokio::spawn(probes.serve(listener));
    (address, AbortOnDropHandle::new(serving))
}

async fn connection(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("a connection")
}

/// Returns the response to a probe of the kubelet on a new connection. Returns an empty text
/// without a response.
async fn livez(address: SocketAddr) -> String {
    read_livez(connection(address).await).await
}

async fn read_livez(mut stream: TcpStream) -> String {
    // Connects, and sends an endless request head, one byte at a time.
    let _ = stream.write_all(b"GET /livez HTTP/1.0\r\n\r\n").await;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer.lines().next().unwrap_or_default().to_owned()
}

/// The maximum number of open connections.
const MOST: usize = 64;

const ALIVE: &str = "HTTP/1.0 200 OK";

/// Connects and sends a request head that never ends, one byte at a time.
async fn drip(address: SocketAddr) {
    let mut stream = connection(address).await;
    let head = b"GET /livez HTTP/1.1\r\nx: ".iter();
    for byte in head.chain(std::iter::repeat(&b'x')) {
        if stream.write_all(&[*byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn idle_connections_do_not_block_probes() {
    let (address, _serving) = probes().await;
    let mut silent = Vec::new();
    for _ in 0..3 * MOST {
        silent.push(connection(address).await);
    }
    assert_eq!(livez(address).await, ALIVE);
    let newest = silent.pop().expect("a connection");
    assert_eq!(read_livez(newest).await, ALIVE, "the oldest made room");
}

#[tokio::test]
async fn slow_connections_do_not_block_the_kubelet() {
    let (address, _serving) = probes().await;
    let dripping = (0..2 * MOST).map(|_| tokio::spawn(drip(address)));
    let _dripping: Vec<_> = dripping.map(AbortOnDropHandle::new).collect();
    for _ in 0..10 {
        assert_eq!(livez(address).await, ALIVE);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn incomplete_probe_request_times_out() {
    let (address, _serving) = probes().await;
    // The second client begins with the bytes of HTTP/2. The third client has sent a complete
    // request before.
    for said in [
        "",
        "P",
        "GET /livez HTTP/1.1\r\n\r\n",
        "GET /livez HTTP/1.1\r\nx",
    ] {
        let mut stream = connection(address).await;
        let sent = stream.write_all(said.as_bytes()).await;
        sent.expect("a request");
        let began = Instant::now();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let took = began.elapsed();
        assert!(took <= 2 * HEADER_TIMEOUT, "{said:?} took {took:?}");
    }
}
