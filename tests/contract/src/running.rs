//! Runs a server in this process, on free ports.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures::Stream;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::{ProbeFlags, Readiness, Serve, ServeFlags, Server};
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::health_client::HealthClient;

use crate::raw::Raw;
use crate::{Fake, within};

/// A running server, with everything that a test needs to call and to stop the server.
#[derive(Debug)]
pub struct Running {
    /// The address of the gRPC server.
    pub grpc: SocketAddr,
    /// The address of the probe server.
    pub probes: SocketAddr,
    /// The readiness of the fake. It is pending until the test sets it.
    pub ready: Readiness,
    // Sends stop signals to the server. None if the caller of `run_until` stops the server.
    stop: Option<UnboundedSender<()>>,
    ended: JoinHandle<Result<(), Serve>>,
}

/// Serves a fake with the flags of [`flags`].
pub async fn served(fake: Fake) -> Running {
    served_with(fake, flags()).await
}

/// Serves a fake with these flags.
pub async fn served_with(fake: Fake, flags: ServeFlags) -> Running {
    let ready = Readiness::pending();
    let server = Server::new(flags, DESCRIPTORS).host(ResolverServer::new(fake), ready.clone());
    run(server, ready).await
}

/// Serves a fake that is ready. Used if a test needs several replicas.
pub async fn replica(fake: &Fake) -> Running {
    let running = served(fake.clone()).await;
    running.ready.set_ready();
    running
}

/// Runs a server until the test stops it, or drops the returned value.
pub async fn run(server: Server, ready: Readiness) -> Running {
    // Dropping the sender also stops the server, so a server never runs longer than its test.
    let (stop, stops) = unbounded();
    let running = run_until(server, ready, stops).await;
    Running {
        stop: Some(stop),
        ..running
    }
}

/// Runs a server until `stops` signals it to stop.
pub async fn run_until(
    server: Server,
    ready: Readiness,
    stops: impl Stream<Item = ()> + Send + 'static,
) -> Running {
    let bound = server.bind().await.expect("a free port must be there");
    Running {
        grpc: bound.grpc_address(),
        probes: bound.probes_address(),
        ready,
        stop: None,
        ended: tokio::spawn(bound.run(stops)),
    }
}

/// Returns flags with free ports, and with limits that only tests of limits reach.
pub fn flags() -> ServeFlags {
    let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    ServeFlags {
        listen: free_port,
        probes: ProbeFlags {
            probes_listen: free_port,
        },
        max_message_bytes: 64 * 1024,
        max_concurrent_calls: 1024,
        call_timeout: Duration::from_secs(60),
        max_connections: 1024,
        max_connection_age: Duration::from_secs(3600),
        drain_timeout: Duration::from_secs(60),
    }
}

// === impl Running ===

impl Running {
    /// Returns the URL of the gRPC server.
    pub fn url(&self) -> String {
        format!("http://{}", self.grpc)
    }

    /// Returns a client of the fake that sets no deadlines.
    pub fn resolver(&self) -> ResolverClient<Channel> {
        ResolverClient::new(self.channel())
    }

    /// Returns a client of the health service.
    pub fn health(&self) -> HealthClient<Channel> {
        HealthClient::new(self.channel())
    }

    /// Returns a connection that any client can use.
    pub fn channel(&self) -> Channel {
        Endpoint::from_shared(self.url())
            .expect("a socket address must make a URL")
            .connect_lazy()
    }

    /// Opens a connection on which only the test decides what is sent.
    pub async fn raw(&self) -> Raw {
        Raw::connect(self.grpc).await
    }

    /// Like `raw`, but connects from another address of this machine.
    pub async fn raw_from(&self, from: Ipv4Addr) -> Raw {
        Raw::connect_from(self.grpc, from).await
    }

    /// Returns a client that can read the header of each response, but not the body.
    pub async fn full(&self) -> Raw {
        self.narrow(0).await
    }

    /// Returns a client with a receive window of this number of bytes for each response.
    pub async fn narrow(&self, window: u32) -> Raw {
        Raw::narrow(self.grpc, window).await
    }

    /// Stops the server, which then completes its running calls. A second call ends these calls
    /// immediately.
    pub fn stop(&self) {
        let stop = self.stop.as_ref();
        let stop = stop.expect("the test must not have arranged for another stop");
        stop.unbounded_send(())
            .expect("the server must run until it is stopped");
    }

    /// Ends the server as SIGKILL does: connections break at any point.
    pub async fn kill(self) {
        self.ended.abort();
        let killed = within(self.ended).await;
        assert!(killed.is_err_and(|end| end.is_cancelled()));
    }

    /// Waits until the server has ended. Panics if the server has returned an error.
    pub async fn wait_for_end(self) {
        within(self.ended)
            .await
            .expect("the server must not panic")
            .expect("the server must end in order");
    }
}
