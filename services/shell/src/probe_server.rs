//! The server for the probes and metrics of a process that serves no gRPC calls.

use std::net::SocketAddr;
use std::sync::Arc;

use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::flags::ProbeFlags;
use crate::probes::Probes;
use crate::readiness::Readiness;
use crate::server::{Hosted, Serve, listen};

/// Serves only probes and metrics. The process provides the metrics.
#[derive(Debug)]
pub struct ProbeServer {
    flags: ProbeFlags,
    listener: TcpListener,
    probes: Probes,
}

impl ProbeServer {
    /// Binds the address. Requests are processed after [`ProbeServer::run`] is called. The process
    /// is ready when `ready` is set. Until then, the probes report that `name` is not ready.
    ///
    /// # Errors
    /// Returns an error if the server cannot listen on the address.
    pub async fn bind(
        flags: ProbeFlags,
        (name, ready): (&'static str, Readiness),
        metrics: Registry,
    ) -> Result<Self, Serve> {
        Ok(Self {
            listener: listen(flags.probes_listen, "--probes-listen").await?,
            probes: Probes {
                hosted: [Hosted { name, ready }].into(),
                metrics: vec![Arc::new(metrics)],
                draining: CancellationToken::new(),
            },
            flags,
        })
    }

    /// Returns the address on which the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.listener
            .local_addr()
            .unwrap_or(self.flags.probes_listen)
    }

    /// Processes requests until the future is dropped.
    pub async fn run(self) {
        let probes = self.probes_address();
        tracing::info!(%probes, "listening");
        self.probes.serve(self.listener).await;
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::metrics::gauge::Gauge;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio_util::task::AbortOnDropHandle;

    use super::*;

    async fn answer(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = format!("GET {path} HTTP/1.0\r\n\r\n");
        let sent = stream.write_all(request.as_bytes()).await;
        sent.expect("a request");
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer).await;
        read.expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status");
        format!("{status} {body}")
    }

    #[tokio::test]
    async fn probe_server_serves_readiness_and_metrics() {
        let mut metrics = Registry::default();
        let gauge = Gauge::<i64>::default();
        metrics.register("ships", "Ships in the harbor", gauge.clone());
        let ready = Readiness::pending();
        let probes_listen = "127.0.0.1:0".parse().expect("an address");
        let named = ("controller", ready.clone());
        let probe_server = ProbeServer::bind(ProbeFlags { probes_listen }, named, metrics).await;
        let probe_server = probe_server.expect("a probe server");
        let address = probe_server.probes_address();
        let _running = AbortOnDropHandle::new(tokio::spawn(probe_server.run()));

        assert_eq!(
            answer(address, "/readyz").await,
            "503 no snapshot yet: controller\n"
        );
        ready.set_ready();
        gauge.set(3);
        assert_eq!(answer(address, "/readyz").await, "200 ok\n");
        let metrics = answer(address, "/metrics").await;
        let expected =
            "200 # HELP ships Ships in the harbor.\n# TYPE ships gauge\nships 3\n# EOF\n";
        assert_eq!(metrics, expected);
    }
}
