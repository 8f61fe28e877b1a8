use std::net::Ipv4Addr;
use std::time::Duration;

use futures::stream;
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::*;
use crate::flags::ProbeFlags;

fn flags() -> ServeFlags {
    let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let long = Duration::from_secs(3600);
    ServeFlags {
        listen: free_port,
        probes: ProbeFlags {
            probes_listen: free_port,
        },
        max_message_bytes: 1024,
        max_concurrent_calls: 1,
        call_timeout: long,
        max_connections: 16,
        max_connection_age: long,
        drain_timeout: long,
    }
}

#[tokio::test(start_paused = true)]
async fn connection_without_a_preface_times_out() {
    let server = Server::new(flags(), &[]).bind().await;
    let server = server.expect("a server");
    let address = server.grpc_address();
    let running = server.run(stream::pending());
    let _running = AbortOnDropHandle::new(tokio::spawn(async { drop(running.await) }));
    for said in ["", "PRI * HTTP/2.0\r\n"] {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let sent = stream.write_all(said.as_bytes()).await;
        sent.expect("the beginning of a preface");
        let began = Instant::now();
        let _ = stream.read_to_end(&mut Vec::new()).await;
        let took = began.elapsed();
        assert!(took <= 2 * preface::PATIENCE, "{said:?} took {took:?}");
    }
}

/// Returns the response to an HTTP request to the address of the probes.
async fn probed(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!("GET {path} HTTP/1.0\r\n\r\n");
    let sent = stream.write_all(request.as_bytes()).await;
    sent.expect("a request");
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer).await;
    read.expect("an answer");
    answer
}

#[tokio::test]
async fn server_answers_probes_of_all_components() {
    let server = Server::new(flags(), &[]).bind().await;
    let mut server = server.expect("a server");
    let address = server.probes_address();
    let ready = Readiness::pending();
    for (name, family) in [("controller", "ships"), ("updater", "boats")] {
        let mut metrics = Registry::default();
        metrics.register(family, "Seen in the harbor", Gauge::<i64>::default());
        server.answer_for((name, ready.clone()), metrics);
    }
    let running = server.run(stream::pending());
    let _running = AbortOnDropHandle::new(tokio::spawn(async { drop(running.await) }));

    let waiting = probed(address, "/readyz").await;
    let names = "no snapshot yet: controller, updater\n";
    assert!(waiting.ends_with(names), "{waiting}");
    ready.set_ready();
    let reported = probed(address, "/readyz").await;
    assert!(reported.ends_with("\r\n\r\nok\n"), "{reported}");
    let reported = probed(address, "/metrics").await;
    assert!(reported.contains("\nships 0\n"), "{reported}");
    assert!(reported.ends_with("\nboats 0\n# EOF\n"), "{reported}");
    assert_eq!(reported.matches("# EOF").count(), 1, "{reported}");
}
