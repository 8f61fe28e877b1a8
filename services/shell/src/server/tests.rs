use std::net::Ipv4Addr;
use std::time::Duration;

use futures::stream;
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
async fn who_does_not_begin_is_not_waited_for() {
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
